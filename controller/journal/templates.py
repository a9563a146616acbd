"""Fills in English templates with named figures."""

from collections.abc import Mapping


def filled(template: str, figures: Mapping[str, str | int]) -> str:
    """Return `template` with its figures filled in; figures whose names end in `_cents` are amounts."""
    amounts = {name: f"{value} cents" for name, value in figures.items() if name.endswith("_cents")}
    return template.format(**{**figures, **amounts})
