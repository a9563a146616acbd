"""What an error says to people: an operating system's one by its reason and file, without number and Python's signs."""

import os


def error_words(error: BaseException) -> str:
    """Return what an error says, with the file that it is about where it knows one."""
    files = [getattr(error, name, None) for name in ("filename", "filename2")] if _is_of_system(error) else []
    named = [os.fsdecode(file) for file in files if isinstance(file, str | bytes)]
    return ": ".join((*named[:1], *(f"to {file}" for file in named[1:]), error_reason(error)))


def error_reason(error: BaseException) -> str:
    """Return what an error says without its file, for a sentence that names it."""
    if _is_of_system(error):
        return str(getattr(error, "strerror", ""))
    if isinstance(error, KeyError) and error.args:
        return f"{error.args[0]} is missing"
    # lgpio's error is the repr of its text
    said = getattr(error, "value", None)
    words = said if isinstance(said, str) else str(error)
    return words or type(error).__name__


def _is_of_system(error: BaseException) -> bool:
    """Whether an error is one of the operating system's, without words of its own."""
    return isinstance(error, OSError) and bool(error.strerror) and type(error).__str__ is OSError.__str__
