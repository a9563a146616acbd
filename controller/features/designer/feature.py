"""What the feature adds to the cabinet."""

from controller.feature import Command, Feature

FEATURE = Feature(
    commands={
        "bake": Command("bake:bake", "Rasterise the art and render the sounds."),
        "check-game": Command("check_game:check_game", "Name all that a game lacks, with the mend."),
        "draws": Command("draws:draws", "Draws of this machine's generator, for test batteries."),
        "figures": Command("figures:figures", "Work out what a game returns and may win, and keep it."),
        "highlights": Command("highlights:highlights", "Find rounds that attract shows of a game."),
        "new-game": Command("new_game:new_game", "Write a working game, which plays at once."),
        "par": Command("par:par", "The PAR sheet of a game."),
        "simulate": Command("simulate:simulate", "Play many rounds and compare with the exact figures."),
        "tune": Command("tune:tune", "Find reel strips for a return, hit frequency, sigma."),
    },
)
