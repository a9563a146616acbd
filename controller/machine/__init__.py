"""The machine: its states, what each lets be pressed, what it shows, and what locks it."""
