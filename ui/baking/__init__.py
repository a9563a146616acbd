"""The bake's parts: sources, fonts, motion, digits, atlases and sounds. Build time only; needs the `bake` extra."""
