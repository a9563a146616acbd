"""The hand's own count of every cent: what it put in and took out, and what the devices hold. The books must agree.

The tally never reads a meter to learn an amount. Where the power was cut while an act was being booked, the hand cannot
know whether it still was; then the books may say either, and what they say is taken.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from itertools import combinations

from controller.journal.open_items import OpenItem, Resolution

UNASKED_S = 2.0
"""A coin that fell so shortly before the mains failed may not have been asked for: the acceptor forgets it."""


class TallyError(AssertionError):
    """The books and the hand disagree, by the amount that is named."""


class Tally:
    """Amounts in cents since the first start."""

    def __init__(self) -> None:
        self.coins_put = self.notes_put = 0
        self.accepted = self.forgotten = self.strays = 0
        self.found_coins = self.found_notes = 0
        self.known = dict.fromkeys(("hand_pay", "service_credit", "hopper_refill", "collections"), 0)
        self.pending: dict[str, int] = {}
        self.either = 0
        self.coin_trouble_since: float | None = None
        self.mains_at: float | None = None
        self._reported: dict[str, int] = {}
        """What has been said to disagree, and by how much: it is said once."""
        self._newest: deque[tuple[float, int]] = deque(maxlen=200)

    def coin(self, at: float, cents: int, *, accepted: bool) -> None:
        """Count a coin that was put into the slot."""
        self.coins_put += cents
        if accepted:
            self.accepted += cents
            self._newest.append((at, cents))

    def begin(self, meter: str, amount: int) -> None:
        """An act that raises that meter is about to be done."""
        self.pending = {meter: amount}

    def end(self, meter: str, *, done: bool) -> None:
        """It was done, or it was refused."""
        self.known[meter] += self.pending.pop(meter) if done else 0
        self.pending.clear()

    def resolution(
        self, item: OpenItem, items: Sequence[OpenItem], meters: Mapping[str, int], devices: "Devices"
    ) -> tuple[Resolution, int]:
        """Return what an attendant who looks into the machine finds the truth of an open item to be, with its cents."""
        match item.kind:
            case "note_unknown" | "note_unexpected":
                missing = devices.stacked - meters.get("notes_in", 0) - self.found_notes
                notes = [one for one in items if one.kind in ("note_unknown", "note_unexpected")]
                if item in _adding_up(notes, missing):
                    return Resolution.PAID, item.amount_cents or 0
            case "coins_lost" | "coins_forgotten":
                missing = self.accepted - meters.get("coins_in", 0) - self.found_coins - self.forgotten
                if missing > 0:
                    return Resolution.PAID, missing
            case "payout_held":
                missing = devices.tray - meters.get("hopper_out", 0) - devices.overpaid
                return (Resolution.LEFT, missing) if missing > 0 else (Resolution.KEPT, 0)
            case "payout_rest":
                return Resolution.CREDITED, item.amount_cents or 0
        return Resolution.RETURNED, 0

    def resolved(self, item: OpenItem, way: Resolution, cents: int) -> None:
        """Count what came of an open item."""
        if way is Resolution.PAID:
            self.known["hand_pay"] += cents
            if item.kind in {"coins_lost", "coins_forgotten"}:
                self.found_coins += cents
            else:
                self.found_notes += cents

    def check(self, meters: Mapping[str, int], devices: "Devices") -> None:
        """Compare every cent, with no item open and no money on its way; raise `TallyError` naming what disagrees."""
        figure = meters.get
        wrong: list[str] = []
        self._forget(figure("coins_in", 0))
        for what, hand, books in (
            ("the stacker and notes in", devices.stacked, figure("notes_in", 0) + self.found_notes),
            ("coins accepted and coins in", self.accepted, figure("coins_in", 0) + self.found_coins + self.forgotten),
            ("the tray and the hopper's payouts", devices.tray, figure("hopper_out", 0) + devices.overpaid),
            ("found and found in", self.found_coins + self.found_notes, figure("found_in", 0)),
            (
                "what was put in and where it is",
                self.coins_put + self.notes_put,
                self.accepted + devices.stacked + devices.returned,
            ),
            ("the hopper's content", devices.hopper, devices.poured - devices.tray),
            ("coins beyond orders and strays", devices.overpaid, min(devices.overpaid, self.strays)),
            *((name, amount, figure(name, 0)) for name, amount in self.known.items()),
        ):
            off = hand - books - self._reported.get(what, 0)
            if off:
                self._reported[what] = hand - books
                wrong.append(f"{what}: the hand says {hand} cents, the books {books}")
        if wrong:
            raise TallyError(f"{'; '.join(wrong)}; {dict(meters)}; {devices}")

    def cut_off(self, meters: Mapping[str, int]) -> None:
        """Take from the books whether the act was done that the power's cut interrupted."""
        for meter, amount in self.pending.items():
            if meters.get(meter, 0) == self.known[meter] + amount:
                self.known[meter] += amount
                self.either += 1
        self.pending.clear()

    def _forget(self, coins_in: int) -> None:
        """Take what a mains cut made the acceptor forget: coins that fell just before it, or while it was not heard."""
        missing = self.accepted - coins_in - self.found_coins - self.forgotten
        if missing and self.mains_at is not None:
            since = self.mains_at - UNASKED_S
            if self.coin_trouble_since is not None:
                since = min(since, self.coin_trouble_since)
            last = [cents for at, cents in self._newest if since <= at <= self.mains_at]
            if not 0 < missing <= sum(last):
                self.mains_at = self.coin_trouble_since = None
                raise TallyError(f"{missing} cents of coins are missing, of {last} that a mains cut may have taken")
            self.forgotten += missing
        self.mains_at = self.coin_trouble_since = None


class Devices:
    """What a hand finds in the devices, in cents: `overpaid` is what the open items say left beyond every order."""

    def __init__(self, *, stacked: int, tray: int, returned: int, hopper: int, poured: int, overpaid: int) -> None:
        self.stacked = stacked
        self.tray = tray
        self.returned = returned
        self.hopper = hopper
        self.poured = poured
        self.overpaid = overpaid

    def __repr__(self) -> str:
        return f"<Devices {vars(self)}>"


def _adding_up(items: Sequence[OpenItem], cents: int) -> Sequence[OpenItem]:
    """Return those items whose amounts are `cents` together; raise `TallyError` where none do."""
    for count in range(len(items) + 1):
        for some in combinations(items, count):
            if sum(one.amount_cents or 0 for one in some) == cents:
                return some
    raise TallyError(f"{cents} cents of notes lie in the stacker uncredited, and {items} are the only items")
