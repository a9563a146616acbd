"""What locks the cabinet until it is restarted.

controller.errors.LockingError
├── controller.journal.errors.JournalError          the books cannot be kept
├── controller.keys.identity.IdentityError          the books are another cabinet's, or its key is missing
└── controller.rounds.randomness.RandomnessError    the generator cannot be trusted
"""


class LockingError(Exception):
    """Nothing may be staked any more; `code` names the fault, the message is for people."""

    code = "locked"
