"""Files beside the journal: the identity of the cabinet, and the PINs and cards of its people."""
