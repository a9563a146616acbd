"""The archive: old rows of the journal sealed, signed and put aside, so that the books stay small."""
