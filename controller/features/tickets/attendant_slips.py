"""Prints slips for attendants on the ticket printer."""

from typing import Final

from controller.configuration.cabinet_toml import Config
from controller.configuration.tickets import tickets_of
from controller.features.tickets import slip_journal as slips
from controller.features.tickets.slip_journal import AttendantSlip, SlipKind
from controller.journal.receipt import Receipt
from controller.journal.transaction import Transaction
from controller.machine.journal_port import JournalPort
from controller.machine.settings_store import SettingsStore
from controller.machine.tickets import SlipPrinter
from drivers.capabilities import PrintEnd, Slip, TicketPrinter
from drivers.clock import Clock
from ui.protocol.values import dated, moment, written

LOOK_S: Final = 1.0
"""The interval, in seconds, at which the books are searched for a new hand-pay or collection."""
_TITLES: Final = {
    "en": {SlipKind.HAND_PAY: "HAND-PAY", SlipKind.COLLECTION: "COLLECTION", SlipKind.METERS: "METERS"},
    "de": {SlipKind.HAND_PAY: "HANDAUSZAHLUNG", SlipKind.COLLECTION: "LEERUNG", SlipKind.METERS: "ZÄHLER"},
}
_WORDS: Final = {
    "en": ("COPY", "Machine", "Slip", "Period", "By", "Signature"),
    "de": ("KOPIE", "Gerät", "Beleg", "Zeitraum", "Durch", "Unterschrift"),
}
_ROLES: Final = {"de": {"attendant": "Aufsicht", "technician": "Techniker", "host": "Host"}}
_FIGURES: Final = {
    "en": {
        "stakes": "Stakes",
        "wins": "Wins",
        "coins_in": "Coins in",
        "notes_in": "Notes in",
        "tickets_in": "Tickets in",
        "hopper_out": "Paid by the hopper",
        "tickets_out": "Tickets out",
        "hand_pay": "Paid by hand",
        "drop": "Drop",
        "found_in": "Found in the machine",
        "service_credit": "Service credit",
        "stakes_voided": "Stakes of void rounds",
        "wins_voided": "Wins of void rounds",
        "demo_in": "Free credits",
        "demo_out": "Free credits taken back",
        "payouts_held": "Held from payouts",
        "held_released": "Held and released",
        "host_in": "Transferred in by the host",
        "host_out": "Transferred out to the host",
        "credits_voided": "Credits voided",
    },
    "de": {
        "stakes": "Einsätze",
        "wins": "Gewinne",
        "coins_in": "Münzen ein",
        "notes_in": "Scheine ein",
        "tickets_in": "Tickets ein",
        "hopper_out": "Hopper aus",
        "tickets_out": "Tickets aus",
        "hand_pay": "Von Hand gezahlt",
        "drop": "Kasseninhalt",
        "found_in": "Im Gerät gefunden",
        "service_credit": "Service-Guthaben",
        "stakes_voided": "Einsätze ungültiger Spiele",
        "wins_voided": "Gewinne ungültiger Spiele",
        "demo_in": "Freies Guthaben",
        "demo_out": "Freies Guthaben zurück",
        "payouts_held": "Zurückgehalten",
        "held_released": "Davon freigegeben",
        "host_in": "Vom Host übertragen",
        "host_out": "An den Host übertragen",
        "credits_voided": "Gelöschte Guthaben",
    },
}


def paper_of(slip: AttendantSlip, config: Config) -> Slip:
    """Return the printed lines: title, copy, machine, number, time, person, figures, and a line for a signature."""
    site, money = config.cabinet, config.cabinet.written_money
    copied, machine, number, period, by, signature = _WORDS[site.language]
    names = _FIGURES[site.language]
    who = _ROLES.get(site.language, {}).get(slip.who, slip.who)
    return Slip(
        title=_TITLES[site.language][slip.kind],
        lines=(
            *((f"*** {copied} {slip.copy} ***",) if slip.copy else ()),
            *tickets_of(config).lines,
            f"{machine} {site.number or site.name}  {number} {slip.number}",
            dated(moment(slip.at_ms), site.written_dates),
            *((f"{period} {slip.period}",) if slip.period else ()),
            *((f"{by} {who}",) if who else ()),
            *(f"{names[name]}: {written(cents, money)}" for name, cents in slip.figures.items()),
            "",
            f"{signature}: ____________________",
        ),
        amount="" if slip.kind is SlipKind.METERS else written(slip.cents, money),
    )


class SlipClerk:
    """Prints slips; `run` prints those of hand-pays and collections automatically, if the configuration says so.

    Slips for a time without the program, or while the printer was not ready, are printed from the menu.
    """

    def __init__(self, journal: JournalPort, settings: SettingsStore, printer: TicketPrinter, clock: Clock) -> None:
        self._journal = journal
        self._settings = settings
        self._printer = SlipPrinter(printer)
        self._clock = clock

    def __repr__(self) -> str:
        return f"<SlipClerk at {self._printer!r}>"

    async def run(self) -> None:
        """Print the slip of each new hand-pay and collection until cancelled."""
        last = await self._journal.do(lambda tx: tx.head[0])
        while True:
            await self._clock.sleep(LOOK_S)
            head, due = await self._journal.do(lambda tx: (tx.head[0], slips.due_after(tx, last)))  # noqa: B023
            last = head
            if tickets_of(self._settings.config).slips:
                for slip in due:
                    await self.print(slip.kind, slip.number)

    async def print(self, kind: SlipKind, number: int) -> PrintEnd:
        """Print the slip of that ledger row, marked as a copy if it was printed before; raise `RefusedError`."""
        if not self._printer.ready:
            return PrintEnd.NOT_PRINTED
        return await self._out(await self._journal.commit(lambda tx: slips.begin(tx, kind, number)))

    async def print_meters(self, who: str) -> PrintEnd:
        """Print the current meters since the last collection."""
        if not self._printer.ready:
            return PrintEnd.NOT_PRINTED
        return await self._out(await self._journal.commit_or_lock(lambda tx: slips.begin_meters(tx, who)))

    async def _out(self, begun: Receipt[AttendantSlip]) -> PrintEnd:
        slip, config = begun.result, self._settings.config
        end = await self._printer.print(begun.map(lambda slip: paper_of(slip, config)))

        def act(tx: Transaction) -> None:
            if end is PrintEnd.NOT_PRINTED:
                slips.not_sent(tx, slip)
            elif end is PrintEnd.UNKNOWN:
                slips.unknown(tx, slip)

        if end is not PrintEnd.PRINTED:
            await self._journal.do(act)
        return end
