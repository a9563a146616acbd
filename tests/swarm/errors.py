"""What a life ends with when something does not hold."""


class WrongError(AssertionError):
    """What was found not to hold."""
