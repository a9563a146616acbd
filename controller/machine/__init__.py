"""The machine: its states, the controls and screen of each, and the conditions that lock it."""
