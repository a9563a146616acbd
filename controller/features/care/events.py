"""The events of reality checks and loss limits."""

from controller.journal.event_catalogue import EventKind

_CHECK = "Reality check after {minutes} min, in {in_cents}, out {out_cents}, net {net_cents}"


class CareEvent(EventKind):
    """What reality checks and loss limits log."""

    CHECK_GO_ON = "reality_check", f"{_CHECK}: the player goes on"
    CHECK_BREAK = "reality_check", f"{_CHECK}: the player takes a break"
    CHECK_COLLECT = "reality_check", f"{_CHECK}: the player is paid out"
    BREAK_BEGUN = "break", "A break of {minutes} min has begun"
    LOSS_LIMIT = "loss_limit", "The player has set a loss limit of {limit_cents}"
    NO_LOSS_LIMIT = "loss_limit", "The player wants no loss limit"
