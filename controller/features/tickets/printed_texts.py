"""The rule for texts printed on tickets: a code page of the printer must have their characters."""

from collections.abc import Iterator
from functools import cache

from controller.configuration.fields import Fields, Misfit, Problem, items, quoted

_MONEY = ("symbol", "decimal", "thousands")
_PRINTED = ("tickets.lines", "cabinet.name", "cabinet.number", *(f"cabinet.money.{sign}" for sign in _MONEY))


def printed(fields: Fields) -> Iterator[Problem]:
    """Report texts on tickets that would come out as question marks."""
    if "ticket_printer.port" not in fields:
        return
    for key in _PRINTED:
        for item_key, text in items(key, fields.get(key, "")):
            if not text or text.isascii():
                continue
            if lost := _lost(text, str(fields.get("ticket_printer.profile"))):
                mend = "no code page of the printer has them; write it with others"
                yield Problem(item_key, f"would print {quoted(lost)} as question marks: {mend}", Misfit.VALUE)


def _lost(text: str, profile: str) -> list[str]:
    """Return the characters of `text` that no code page of the profile can print, not even as a similar character."""
    from drivers.escpos.encoder import nearest  # noqa: PLC0415 - only a cabinet that prints such characters pays for it

    codec = _codec(profile)
    return [character for character in dict.fromkeys(text) if character != "?" and "?" in nearest(character, codec)]


@cache
def _codec(profile: str) -> str:
    """Return the code page of the printer's profile, or the usual one if python-escpos does not know it."""
    from drivers.errors import SettingsError  # noqa: PLC0415 - as above
    from drivers.escpos.encoder import CHARACTER_DOTS, CODE_PAGES, SlipEncoder  # noqa: PLC0415 - as above

    try:
        return SlipEncoder(profile, CHARACTER_DOTS).codec
    except SettingsError:  # the driver reports it
        return CODE_PAGES[0][1]
