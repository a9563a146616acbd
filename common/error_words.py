"""Error messages for people: an operating system error is shown as reason and file, without errno and Python syntax."""

import os


def error_words(error: BaseException) -> str:
    """Return the message of an error, with its file if it has one."""
    files = [getattr(error, name, None) for name in ("filename", "filename2")] if _is_of_system(error) else []
    named = [os.fsdecode(file) for file in files if isinstance(file, str | bytes)]
    return ": ".join((*named[:1], *(f"to {file}" for file in named[1:]), error_reason(error)))


def error_reason(error: BaseException) -> str:
    """Return the message of an error without its file, for a sentence that already names the file."""
    if _is_of_system(error):
        return str(getattr(error, "strerror", ""))
    if isinstance(error, KeyError) and error.args:
        return f"{error.args[0]} is missing"
    # lgpio's error is the repr of its text
    said = getattr(error, "value", None)
    words = said if isinstance(said, str) else str(error)
    return words or type(error).__name__


def _is_of_system(error: BaseException) -> bool:
    """Whether an error is an `OSError` with a system reason and no message format of its own."""
    return isinstance(error, OSError) and bool(error.strerror) and type(error).__str__ is OSError.__str__
