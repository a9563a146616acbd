"""Views of tests are changed by field names, whichever part a field lies in."""

import pytest

from tests.rigs.views import PART_OF, changed
from ui.protocol.messages import View
from ui.protocol.view_parts import Balance, Locale


def test_each_field_of_a_view_has_one_name() -> None:
    """No two parts have a field of the same name, nor has the view itself."""
    own = View.__struct_fields__
    fields = [field for part in set(PART_OF.values()) for field in getattr(View(state=""), part).__struct_fields__]
    assert len({*own, *fields}) == len(own) + len(fields)


def test_a_change_reaches_its_part_and_leaves_the_others() -> None:
    """Fields of two parts and of the view itself are changed at once; what is not named stays."""
    view = View(state="idle", focus="spin", balance=Balance(held_cents=7))
    wanted = View(state="lobby", focus="spin", balance=Balance(credit_cents=5, held_cents=7), locale=Locale(dates="dd"))
    assert changed(view, state="lobby", credit_cents=5, dates="dd") == wanted


def test_an_unknown_field_is_refused() -> None:
    """A name that neither the view nor a part has is an error."""
    with pytest.raises(TypeError, match="credits"):
        changed(View(state="idle"), credits=5)
