"""The books as a whole: opening, audit, signing, archives, second copy, full clear, restore, rebuild."""
