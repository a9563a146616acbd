"""What a cabinet may have besides its core: a folder each, which imports the core and no other feature."""
