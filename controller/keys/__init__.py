"""Files beside the journal: the cabinet's identity, and the PINs and cards of its people."""
