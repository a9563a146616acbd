"""The list of all soft meters that is handed over with a cabinet: `docs/meters.md`."""

import re
from collections.abc import Mapping

from controller.features.sas import notes
from controller.features.sas.meters import METERS
from controller.journal.ledger import MOST
from controller.service import soft_meters
from controller.service.meters import HARD_NAMES, MINUS, SINCE
from controller.service.soft_meters import SoftMeter, hard_meter

UPDATED: Mapping[str, str] = {
    "stake": "with the bet, before a reel moves",
    "win": "with each part of a round that wins, before it is shown",
    "void": "when a round that cannot be ended is voided: stake back, wins taken back",
    "coin": "when the acceptor's counter reports the coin",
    "note": "when the validator reports the note as stacked",
    "ticket_in": "when the validator reports the ticket as stacked",
    "ticket_out": "when the printer reports the ticket as printed",
    "hopper_coin": "with each coin that the hopper's sensor or counter reports",
    "hand_pay": "when the attendant confirms the payment",
    "open_item": "when an attendant or technician resolves an open item with an amount (A.8)",
    "payout_held": "when a hopper falls silent within a payout",
    "held_released": "when that payout is settled",
    "store_boxed": "when a device's own count shows that money fell into the cash box",
    "service_credit": "with the act",
    "credits_voided": "with the act",
    "host_in": "with the transfer",
    "host_out": "with the transfer",
    "demo_credit": "as demo mode gives or takes it",
    "event": "with the event that it counts, as it is logged",
}
"""When a row of each kind is written, and the meters with it."""

_HEAD = f"""# Soft meters

`cabinet meters` writes this page.

**Size.** A meter is a whole number up to {MOST:,}. It never falls and never rolls over: a transaction
that would go beyond is refused. A SAS host sees four or five bytes of decimal digits
([host-port.md](host-port.md#polls)).

**Where.** M.1 shows each labelled meter since the first start, M.2 since the last collection, M.5 the equation. All are
in `meters.csv` of an export ([exports.md](exports.md)). "Listed" is the page that lists what was counted. "SAS" is the
code (hexadecimal) in the polls 2F and 6F.

**When.** Every update is a row of the ledger in one durable transaction, together with the credit that it moves.
"Rows" are its kinds, listed at the end. Restored or rebuilt books have the old figures in a row `carried_on` or
`carried_over`.
"""

_JACKPOTS = """
## Jackpots and hand-pays

Every win, jackpots included, goes to the credit and counts in `wins`. If an attendant pays it, it is paid as credit:
`hand_pay` rises and the credit falls. So no meter counts jackpots paid by an attendant: SAS reports 0 for them (02) and
counts hand-pays in cancelled credit (04). One exception: the open item of a venue's jackpot whose round is gone raises
`wins` and `hand_pay` together and leaves the credit.

## The kinds of rows

"""

_COLUMNS = ("meter", "label", "what it counts", "rows", "hard meter", "listed", "SAS")


def meter_list() -> str:
    """Return the whole page in Markdown."""
    parts = [_HEAD, "\n## Money, in cents\n", _table(soft_meters.MONEY)]
    parts += ["\nShown only where they were ever counted:\n", _table(soft_meters.STORE)]
    parts += ["\n## Counts\n", _table(soft_meters.COUNTS)]
    parts += ["\nA meter for each value, named `coin_200` for 2.00:\n", _table(soft_meters.VALUES, "_*")]
    since = " and ".join(f"*{label}*" for label in SINCE.values())
    parts.append(f"\nM.1 also has {since}:\n`games` since the newest event of that kind.\n")
    parts += ["\n## Beside M.1\n\nMoney, in exports and where the table says:\n", _table(soft_meters.MONEY_BESIDE)]
    parts += ["\nCounts:\n", _table(soft_meters.COUNTS_BESIDE)]
    parts += [_JACKPOTS, *(f"- {', '.join(kinds)}: {when}\n" for when, kinds in _kinds_by_time().items())]
    return "".join(parts)


def _kinds_by_time() -> dict[str, list[str]]:
    """Return the kinds of rows that are written at the same time, by that time."""
    kinds: dict[str, list[str]] = {}
    for kind, when in UPDATED.items():
        kinds.setdefault(when, []).append(f"`{kind}`")
    return kinds


def _table(meters: Mapping[str, SoftMeter], suffix: str = "") -> str:
    """Return the meters' table, without the columns that are empty for all of them."""
    rows = [_row(name, meter, suffix) for name, meter in meters.items()]
    filled = [at for at in range(len(_COLUMNS)) if any(row[at] for row in rows)]
    lines = [[line[at] for at in filled] for line in (_COLUMNS, ("---",) * len(_COLUMNS), *rows)]
    return "\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _row(name: str, meter: SoftMeter, suffix: str) -> tuple[str, ...]:
    hard = hard_meter(name)
    kinds = ", ".join(f"`{kind}`" for kind in meter.kinds)
    fed = hard and f"{hard[: -len(hard.lstrip(MINUS))]}{HARD_NAMES[hard.lstrip(MINUS)]}"
    return f"`{name}{suffix}`", meter.label, meter.counts, kinds, fed, meter.listed, _sas(name)


def _sas(name: str) -> str:
    """Return the codes of the SAS meters that are this one alone, and those that contain it."""
    if name == "note":
        return f"40 to {0x40 + len(notes.VALUES) - 1:X}"
    sources = {
        code: re.findall(r"[a-z_*]+", meter.source.partition(": ")[2] or meter.source) for code, meter in METERS.items()
    }
    alone = [f"{code:02X}" for code, names in sorted(sources.items()) if names == [name]]
    within = [f"{code:02X}" for code, names in sorted(sources.items()) if name in names and names != [name]]
    parts = [", ".join(alone), f"within {', '.join(within)}" if within else ""]
    return "; ".join(filter(None, parts))
