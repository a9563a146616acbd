"""What the cabinet keeps beside its journal: its identity and the PINs of its people."""
