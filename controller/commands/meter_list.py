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
    "stake": "with the bet, before a reel moves: it takes the bet off the credit and stores the first draws",
    "win": "with each part of a round that wins, before it is shown: the credit rises in the same transaction",
    "void": "when a round that cannot be ended is voided: stake back, wins taken back",
    "coin": "when the acceptor's counter reports the coin: with its credit",
    "note": "when the validator reports the note as stacked: with its credit",
    "ticket_in": "when the validator reports the ticket as stacked: with its credit",
    "ticket_out": "when the printer reports the ticket as printed: with its credit",
    "hopper_coin": "with each coin that the hopper's sensor or counter reports: with its credit",
    "hand_pay": "when the attendant confirms the payment: with its credit",
    "open_item": "when an attendant or technician resolves an open item with an amount (A.8)",
    "payout_held": "when a hopper falls silent within a payout: with its credit",
    "held_released": "when that payout is settled: with its credit",
    "store_boxed": "when a device's own count shows that money fell into the cash box",
    "service_credit": "with the act: with its credit",
    "credits_voided": "with the act: with its credit",
    "host_in": "with the transfer: with its credit",
    "host_out": "with the transfer: with its credit",
    "demo_credit": "as demo mode gives or takes it: with its credit",
    "event": "with the event that it counts, as it is logged",
}
"""When a row of each kind is written, and the meters with it."""

_HEAD = f"""# Soft meters

`cabinet meters` writes this page from the program's own declarations: `controller/service/soft_meters.py`, the
journal's hard meters and the SAS meters.

**Size.** The journal stores each meter as a signed whole number of 64 bits: up to {MOST:,},
in cents or in things. The pages show all 19 digits. **Roll-over**: none. A transaction that would go
beyond is refused as a whole; at a million a second that takes {MOST // 1_000_000 // 86_400 // 365:,} years. No meter
falls and none is removed: triggers of the database refuse both. A SAS host sees four or five bytes of decimal digits,
which go back to zero after 99,999,999 and 9,999,999,999 ([host-port.md](host-port.md#polls)). Hard meters have the
digits that they were bought with; M.4 has their pulses.

**Where.** M.1 shows each labelled meter since the cabinet's first start, M.2 since the last collection; M.5 shows the
self-audit equation, and the hard meters beside the soft ones. All meters are in `meters.csv` of an export
([exports.md](exports.md)), and on M.1 of books that are locked. "Single ones" is the page that lists what was counted.
"SAS" is the code (hexadecimal) of the meter in the polls 2F and 6F.

**When.** Every update is a row of the ledger in one durable transaction, together with the credit that it moves: after
a power cut both are there or neither. The kinds of rows are at the end of this page. Books that were restored or
rebuilt have the figures of the old ones in a row of the kind `carried_on` or `carried_over`.
"""

_JACKPOTS = """
## Jackpots and hand-pays

There is no meter of attendant-paid jackpots beside the one of attendant-paid credit, since no win is paid past the
credit. A win of any size, jackpots included, is posted to the credit and counted in `wins` as it is won. From
`[limits] large_win_cents` on the machine then waits until an attendant has seen it, with the win on the credit. If it
is paid by hand it is paid as credit: `hand_pay` rises and the credit falls. So coin out has every win once, hand-pay
has every payment by hand once, and the two never overlap. SAS reports 0 for jackpots (02), and counts hand-pays within
cancelled credit (04). The one exception is a venue's jackpot whose round is gone: its open item raises `wins` and
`hand_pay` together, in one row, and leaves the credit as it is.

## The kinds of rows

| kind | when it is written |
| --- | --- |
"""

_COLUMNS = """
| meter | label | what it counts | unit | kinds of rows | hard meter | single ones | SAS |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""


def meter_list() -> str:
    """Return the whole page in Markdown."""
    parts = [_HEAD, "\n## Money\n", _table(soft_meters.MONEY, "cents")]
    parts += ["\nThese three are on the pages where they were ever counted:\n", _table(soft_meters.STORE, "cents")]
    parts += ["\n## Counts\n", _table(soft_meters.COUNTS, "things")]
    parts += ["\nA meter for each value, named `coin_200` for 2.00:\n", _table(soft_meters.VALUES, "things", "_*")]
    since = " and ".join(f"*{label}*" for label in SINCE.values())
    parts.append(f"\nM.1 also has {since}: `games` less what it was at the newest event of that kind.\n")
    parts += ["\n## Beside M.1\n\nThese are in exports, and where the table says.\n"]
    parts += [_table(soft_meters.MONEY_BESIDE, "cents"), "\n", _table(soft_meters.COUNTS_BESIDE, "things")]
    parts += [_JACKPOTS, *(f"| `{kind}` | {when} |\n" for kind, when in UPDATED.items())]
    return "".join(parts)


def _table(meters: Mapping[str, SoftMeter], unit: str, suffix: str = "") -> str:
    rows = (_row(name, meter, unit, suffix) for name, meter in meters.items())
    return _COLUMNS + "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _row(name: str, meter: SoftMeter, unit: str, suffix: str) -> tuple[str, ...]:
    hard = hard_meter(name)
    kinds = ", ".join(f"`{kind}`" for kind in meter.kinds)
    fed = hard and f"{hard[: -len(hard.lstrip(MINUS))]}{HARD_NAMES[hard.lstrip(MINUS)]}"
    return f"`{name}{suffix}`", meter.label, meter.counts, unit, kinds, fed, meter.listed, _sas(name)


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
