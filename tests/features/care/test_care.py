"""Why a stake may not be placed, from the session as the journal has it."""

import pytest

from controller.configuration.cabinet_toml import PlayerCare
from controller.features.care.care import (
    CHECK_DUE,
    LIMIT_REACHED,
    LIMIT_UNASKED,
    LIMITS_CENTS,
    ON_BREAK,
    Care,
    StoredSession,
)

ASKS = PlayerCare(reality_check_minutes=30, loss_limit="asked")
LOST = {"stakes": 900, "wins": 300, "stakes_voided": 150, "wins_voided": 50}
"""5.00 lost: a round that was voided is none."""


@pytest.mark.parametrize(
    ("now", "stake_cents", "refusal"),
    [
        (Care(StoredSession(active=True, limit_cents=0), minute=29, meters=LOST), 10_000, ""),
        (Care(StoredSession(active=True, limit_cents=600), minute=29, meters=LOST), 100, ""),
        (Care(StoredSession(active=True, limit_cents=600), minute=29, meters=LOST), 101, LIMIT_REACHED),
        (Care(StoredSession(active=True, limit_cents=600, meters={"stakes": 900}), minute=29, meters=LOST), 1_000, ""),
        (Care(StoredSession(active=True), minute=29), 1, LIMIT_UNASKED),
        (Care(StoredSession(active=True, limit_cents=0), minute=30), 1, CHECK_DUE),
        (Care(StoredSession(active=True, limit_cents=0, checked=1), minute=30), 1, ""),
        (Care(StoredSession(active=True, limit_cents=0), minute=30, break_until=31), 1, ON_BREAK),
        (Care(StoredSession(active=True, limit_cents=0), minute=29, break_until=29), 1, ""),
    ],
)
def test_what_is_held_back_is_refused(now: Care, stake_cents: int, refusal: str) -> None:
    """To the cent and to the minute; what the house does not ask for holds nobody back."""
    assert now.refusal(ASKS, stake_cents) == refusal
    if refusal in (CHECK_DUE, LIMIT_UNASKED):
        assert now.refusal(PlayerCare(), stake_cents) == ""


@pytest.mark.parametrize(("answer", "asking"), [(None, {"asked", "required"}), (0, {"required"}), (500, set())])
def test_who_has_no_limit_is_asked_again_where_one_is_required(answer: int | None, asking: set[str]) -> None:
    """A house that begins to require one in the middle of a session asks before the next stake."""
    now = Care(StoredSession(active=True, limit_cents=answer), minute=1)
    houses = [PlayerCare(loss_limit="none"), PlayerCare(loss_limit="asked"), PlayerCare(loss_limit="required")]
    assert {house.loss_limit for house in houses if now.limit_due(house)} == asking
    assert {house.loss_limit for house in houses if now.refusal(house, 1) == LIMIT_UNASKED} == asking


def test_a_limit_of_the_session_is_only_lowered() -> None:
    """No limit may become one, and one may become a lower one."""
    assert Care(StoredSession()).limits(ASKS) == (0, *LIMITS_CENTS)
    assert Care(StoredSession(limit_cents=0)).limits(ASKS) == (0, *LIMITS_CENTS)
    assert Care(StoredSession(limit_cents=2_000)).limits(ASKS) == (500, 1_000)
    assert Care(StoredSession()).limits(PlayerCare(loss_limit="required")) == LIMITS_CENTS
