"""The archive: old rows of the journal are sealed, signed and moved out, so that the books stay small."""
