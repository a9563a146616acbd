"""The supervisor: journal, machine states, rounds, drivers and the command line."""
