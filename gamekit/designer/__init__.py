"""What a designer looks at: the distribution of a play, sessions, droughts, near misses, sensitivity, two versions.

`cabinet par GAME --html FILE` writes it, `--against` compares two versions, and `--sheet` writes the sheet as
regulators file it. All of it needs numpy, and none of it is ever on a cabinet.
"""
