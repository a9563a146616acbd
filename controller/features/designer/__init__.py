"""A designer's commands: new games, their figures, PAR sheets, simulations and tuning."""
