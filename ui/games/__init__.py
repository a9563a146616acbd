"""What the display adds for each game: its theme, scenes, acts and art. `ui/scenes` draws what all games share."""
