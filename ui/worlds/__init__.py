"""What is special to each game's look; everything else is drawn by `ui/scenes` for all games alike."""
