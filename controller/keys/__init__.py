"""Files beside the journal: the identity of the cabinet, and the PINs of its people."""
