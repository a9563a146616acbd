"""The schematics of docs/wiring.md, drawn by schemdraw from the sample configurations and from the parts' values."""
