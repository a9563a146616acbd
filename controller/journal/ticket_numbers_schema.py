"""The constraints of a column that stores ticket numbers, plain or sealed (`controller.journal.number_seal`)."""


def stored(column: str) -> str:
    """Return the constraint of a column whose numbers may be sealed."""
    return f"CHECK (length({column}) BETWEEN 1 AND 80)"


def same(column: str) -> str:
    """Return the condition of a trigger that allows resealing a number: its last four digits must not change."""
    return f"substr(NEW.{column}, -4) IS substr(OLD.{column}, -4)"
