"""The service menu's pages as short rehearsals; they join `tests.ui.programme`."""

from collections.abc import Callable
from typing import Literal

import msgspec

from controller.faults import place_in_words
from controller.features.cards.page import SECOND
from controller.features.diagnostics import panel
from controller.features.diagnostics.inputs import HOW_TO_LEAVE
from controller.features.doctor.guide import devices, steps
from controller.features.doctor.guide_journal import Step
from controller.features.exports.summary import modules
from controller.features.sas.events import HostEvent
from controller.journal.event_catalogue import Event, EventKind
from controller.journal.event_log import LoggedEvent
from controller.service import pin_gate as gate
from controller.service.access import ADD
from controller.service.events import line_of
from controller.service.page import Entry
from controller.service.typing import Typing
from controller.system.starts import Start
from drivers.wiring import BUTTONS
from tests.ui.rehearsal import Rehearsal, neptune_view
from ui.protocol.messages import PAD_BUTTONS, ServicePage, ServiceRow

Screenplay = Callable[[Rehearsal], None]
SCREENS: dict[str, Screenplay] = {}
MAIN_SCREENS = (
    "menu",
    "meters",
    "rounds",
    "events",
    "pin",
    "card",
    "card_enrolled",
    "names",
    "people",
    "question",
    "dangerous",
    "long_rows",
    "chart_days",
    "chart_wins",
    "qr",
    "demo_mode",
    "guide",
    "guide_people",
    "guide_devices",
    "guide_panel",
    "test",
    "plain_keys",
    "bars",
    "grid",
    "frames",
    "touches",
    "calibrate",
)
CARD_ROWS: tuple[tuple[str, Literal["heading", "plain"]], ...] = (("card", "heading"), ("no card", "plain"))
TITLES = ("Neptune", "Bewitched", "Mona Lisa Jewels", "Witch Feature", "Mystery Elves")
STATES = ("open", *("settled",) * 5, "void", "settled", "interrupted", *("settled",) * 4)
PAGE_KEYS = ("info", "max_bet", "service:page_up", "service:page_down")
PAD_KEYS = (
    *PAD_BUTTONS,
    *(f"service:pad:{place}" for place in range(len(PAD_BUTTONS))),
    *(f"service:digit:{digit}" for digit in range(10)),
    "service:done",
    "service:back",
)
"""What lives while figures are typed."""
KEYS = ("lines", "bet", "spin", "collect", "service:up", "service:down", "service:enter", "service:back")


def _screen(play: Screenplay) -> Screenplay:
    """Enter a screen in the programme under its function's name."""
    SCREENS[play.__name__] = play
    return play


def _show(rehearsal: Rehearsal, page: ServicePage, *controls: str) -> None:
    rehearsal.view(neptune_view(state="service_menu", service=page, controls=(*KEYS, *controls)))


def _picture(rehearsal: Rehearsal, picture: str, *rows: ServiceRow, marks: tuple[tuple[int, int], ...] = ()) -> None:
    page = ServicePage(
        code="T.13",
        title="Display and touch",
        who="technician",
        testing=True,
        picture=picture,
        rows=rows,
        marks=marks,
    )
    _show(rehearsal, page)


@_screen
def menu(rehearsal: Rehearsal) -> None:
    """The technician has come in."""
    names = {"A": "Attendant", "M": "Meters", "H": "History", "U": "Utilities"}
    rows = tuple(ServiceRow(label=name, code=code, leads=True) for code, name in names.items())
    rows = (*rows, ServiceRow(label="Go to a code", leads=True))
    page = ServicePage(code="", title="Service menu", who="technician", person="Ada", rows=rows, focus=1)
    _show(rehearsal, page, "auto", "service:code")


@_screen
def guide(rehearsal: Rehearsal) -> None:
    """The set-up guide of a new cabinet, two steps done."""
    rows = [
        ServiceRow(label=steps.WELCOME, tone="heading"),
        ServiceRow(label=steps.TITLES[Step.DEVICES], value=steps.NEXT, code="U.14.3", leads=True),
        *(
            ServiceRow(
                label=steps.TITLES[step],
                value=steps.DONE if step in (Step.SITE, Step.PEOPLE) else "",
                tone="good" if step in (Step.SITE, Step.PEOPLE) else "plain",
                code=f"U.14.{number}",
                leads=True,
            )
            for number, step in enumerate(Step, start=1)
            if step is not Step.DEVICES
        ),
    ]
    page = ServicePage(code=steps.CODE, title=steps.GUIDE, who="technician", person="Ada", rows=tuple(rows), focus=1)
    _show(rehearsal, page)


@_screen
def guide_people(rehearsal: Rehearsal) -> None:
    """Nobody has a PIN, and the technician's key opens the menu by itself."""
    rows = (
        ServiceRow(label=steps.NO_PIN, tone="bad"),
        *(ServiceRow(label=words, leads=True) for words in ADD.values()),
        ServiceRow(label="Attendant's key opens without a PIN", value="off", leads=True),
        ServiceRow(label="Technician's key opens without a PIN", value="on", leads=True),
        ServiceRow(label=steps.GO_ON, tone="good", leads=True),
    )
    _show(
        rehearsal,
        ServicePage(code="U.14.2", title=steps.TITLES[Step.PEOPLE], who="technician", rows=rows, focus=1),
    )


FOUND = (
    "Coin Acceptor, cctalk",
    "Payout, cctalk",
    "bill validator, ssp",
    "…:01:00.0-usb-0:1.3:1.0-port0",
    "/dev/ttyAMA0",
)
"""What answered on the ports, in the devices' words, and the ports on which nothing did."""


@_screen
def guide_devices(rehearsal: Rehearsal) -> None:
    """What was found on the ports."""
    acceptor, hopper, validator, echo, nobody = FOUND
    ports = ("…:01:00.0-usb-0:1.1:1.0-port0", "…:01:00.0-usb-0:1.2:1.0-port0")
    rows = (
        ServiceRow(label=devices.USE_ALL, tone="good", leads=True),
        ServiceRow(
            label="{place}",
            place=acceptor,
            value=devices.CHOSEN,
            detail=f"Maker X6  ·  {ports[0]}",
            tone="good",
        ),
        ServiceRow(label="{place}", place=hopper, detail=f"Maker HCS  ·  {ports[0]}", leads=True),
        ServiceRow(label="{place}", place=validator, detail=f"firmware NV02004  ·  {ports[1]}", leads=True),
        ServiceRow(label="{place}", place=echo, value=devices.ECHO),
        ServiceRow(label="{place}", place=nobody, value=devices.NOBODY),
    )
    _show(
        rehearsal,
        ServicePage(code=devices.CODE, title=devices.FOUND, who="technician", person="Ada", rows=rows, focus=2),
    )


@_screen
def guide_panel(rehearsal: Rehearsal) -> None:
    """The third button is lit; another one was pressed."""
    words = (panel.WORKS, panel.DOES_NOT, panel.PRESS, *[panel.WAITS] * 5)
    tones: tuple[Literal["good", "bad", "heading", "plain"], ...] = ("good", "bad", "heading", *["plain"] * 5)  # type: ignore[assignment]
    buttons = [
        ServiceRow(
            label="{place}",
            place=place_in_words(name),
            value=words[at],
            tone=tones[at],
            code=f"I{at + 1}",
            detail=f"GPIO {at + 4}",
        )
        for at, name in enumerate(BUTTONS)
    ]
    rows = (
        ServiceRow(label=panel.BEGIN, tone="heading"),
        buttons.pop(2),
        ServiceRow(label=panel.WRONG, place=place_in_words("auto"), tone="bad"),
        ServiceRow(label=panel.LEAVE_OUT, leads=True),
        ServiceRow(label=HOW_TO_LEAVE),
        *buttons,
    )
    page = ServicePage(
        code=panel.CODE, title=panel.TITLE, who="technician", person="Ada", testing=True, rows=rows, focus=3
    )
    _show(rehearsal, page)


@_screen
def meters(rehearsal: Rehearsal) -> None:
    """A page longer than the screen, the cursor far down."""
    money = (
        "Coin in (stakes)",
        "Coin out (wins)",
        "Coins in",
        "Notes in",
        "Found in the machine",
        "Paid by the hopper",
    )
    rows = [ServiceRow(label=name, cents=123_456_789 >> number) for number, name in enumerate(money)]
    rows.append(ServiceRow(label="Games played", count=1_234_567))
    rows.append(ServiceRow(label="Self-audit", value="agrees", tone="good"))
    rows.append(ServiceRow(label="Drop", value="differs", tone="bad"))
    rows += [ServiceRow(label="Notes of", count=12, cents=cents) for cents in (500, 1_000, 2_000, 5_000)]
    rows += [ServiceRow(label="Coins of", count=345, cents=cents) for cents in (10, 20, 50, 100, 200)]
    _show(rehearsal, ServicePage(code="M.1", title="Lifetime", who="attendant", rows=tuple(rows), focus=9), *PAGE_KEYS)


@_screen
def rounds(rehearsal: Rehearsal) -> None:
    """Past rounds: the state of each, its stake and its win, one below the other."""
    wins = (0, 0, 12_350, 0, 40, 0, 150, 0, 5_012_345, 0, 0, 20, 0)
    ways = (
        ServiceRow(label="Go to a day", leads=True),
        ServiceRow(label="Older", code="H.1", leads=True),
        ServiceRow(label="Played at, game", columns=("State", "Stake", "Win"), tone="heading"),
    )
    entries = (
        ServiceRow(
            code=f"H.1.{48_213 - number}",
            label=f"2026-11-22 14:{59 - number}:19   {TITLES[number % 5]}",
            columns=(state, (25, 150, 25_000)[number % 3], win),
            tone="bad" if state == "void" else "good" if win else "plain",
            leads=True,
        )
        for number, (state, win) in enumerate(zip(STATES, wins, strict=True))
    )
    page = ServicePage(code="H.1", title="Rounds", who="attendant", rows=(*ways, *entries), focus=5)
    _show(rehearsal, page, *PAGE_KEYS)


STAFF = ("Ben", "Cyd Meier", "Dan", "Ada", "Maximiliane Oberhuber")
TRANSACTIONS = ("T1", "A1B2C3D4E5F6G7H8I9J0")
AS_WRITTEN = frozenset(
    (
        *(f"2026-11-22 14:{59 - number}:19   {TITLES[number % 5]}" for number in range(len(STATES))),
        "limits.large_win",
        "the line was cut",
        "Whatever another program has written",
        *TRANSACTIONS,
        *STAFF,
        *FOUND,
    )
)
"""What is on these pages in no language's words: games' titles, settings' keys, what devices, hosts and others say."""


def _event(kind: EventKind, place: str = "", **figures: str | int) -> LoggedEvent:
    return LoggedEvent(0, kind.code, kind.key, place, 0, figures)


EVENTS = (
    _event(Event.PAID_PART_BECAUSE, "hopper", paid_cents=1500, amount_cents=2000, state="short", reason="empty"),
    LoggedEvent(0, "hopper_empty", "The hopper is empty", "hopper", 0),
    _event(Event.FAULT_CLEARED, "bill_validator", fault="acceptor_jam", who="attendant"),
    _event(Event.AMOUNT_CHANGED, name="limits.large_win", old_cents=100000, new_cents=250000, who="technician"),
    _event(Event.ROUND_RECOVERED, round=48213, game="neptune", how="resumed", step=2),
    _event(Event.NOTE_UNKNOWN, value_cents=2000, reason="the line was cut"),
    _event(Event.LARGE_WIN, "game", round=48000, won_cents=5012345),
    _event(Event.POWER_UP, how=Start.CRASHED),
    LoggedEvent(0, "coin_jam", "code 14: the coin did not leave the mechanism within 500 ms", "coin_acceptor", 0),
    LoggedEvent(0, "something_newer", "Whatever another program has written", "somewhere", 0),
)


@_screen
def events(rehearsal: Rehearsal) -> None:
    """Events of every kind of words, the last of which this program does not know; the cursor is on the last row."""
    lines = map(line_of, EVENTS)
    rows = (
        ServiceRow(label="Go to a day", leads=True),
        *(msgspec.structs.replace(line.row, value="2026-11-22 14:34:19", leads=True) for line in lines),
    )
    page = ServicePage(code="H.2", title="Events", who="attendant", rows=rows, focus=len(rows) - 1)
    _show(rehearsal, page, *PAGE_KEYS)


@_screen
def host(rehearsal: Rehearsal) -> None:
    """Two host ports, the second host gone; what the first has switched off."""
    rows = (
        ServiceRow(label="Machine", value="off", tone="bad"),
        ServiceRow(label="Notes", value="off", tone="bad"),
        ServiceRow(label="Sound", value="on", tone="good"),
        ServiceRow(label="Maintenance by the host", tone="bad"),
        ServiceRow(label="Neptune", value="off", tone="bad"),
        ServiceRow(label="host port", tone="heading"),
        ServiceRow(label="Host", value="polls this machine", tone="good"),
        ServiceRow(label="Exceptions that wait for the host", count=3),
        ServiceRow(label="Last transfer", value="2026-11-22 14:34:19", cents=123_450),
        ServiceRow(label="second host port", tone="heading"),
        ServiceRow(label="Host", value="gone", tone="bad"),
        ServiceRow(label="Exceptions that wait for the host", count=50),
    )
    page = ServicePage(code="H.7", title="Host ports", who="technician", person="Ada", rows=rows)
    _show(rehearsal, page, *PAGE_KEYS)


HOST_EVENTS = (
    _event(HostEvent.HOST_THERE, "host_port"),
    _event(HostEvent.HOST_ACT, "host_port", what="the machine is disabled"),
    _event(HostEvent.HOST_GAME_OFF, "host_port", game="Neptune"),
    _event(HostEvent.HOST_ACT, "host_port", what="hand-pay confirmed"),
    _event(HostEvent.HOST_TRANSFER_IN, "host_port", amount_cents=3000, transaction=TRANSACTIONS[0]),
    _event(HostEvent.HOST_TRANSFER_OUT, "host_port", amount_cents=123450, transaction=TRANSACTIONS[1]),
    _event(HostEvent.HOST_GONE, "host_port", reason="nothing is polled any more"),
)


@_screen
def host_events(rehearsal: Rehearsal) -> None:
    """What a host does at the cabinet, in the log."""
    lines = map(line_of, HOST_EVENTS)
    rows = (msgspec.structs.replace(line.row, value="2026-11-22 14:34:19", leads=True) for line in lines)
    page = ServicePage(code="H.2", title="Events", who="attendant", rows=tuple(rows))
    _show(rehearsal, page, *PAGE_KEYS)


@_screen
def pin(rehearsal: Rehearsal) -> None:
    """The technician types the PIN, two digits of which are shown as stars."""
    page = ServicePage(
        code="",
        title="Service menu",
        who="technician",
        person="Ada",
        gate=True,
        entry="PIN",
        entry_kind="digits",
        typed="**",
        group=1,
    )
    rehearsal.view(neptune_view(state="service_menu", service=page, controls=PAD_KEYS))


@_screen
def card(rehearsal: Rehearsal) -> None:
    """With card and PIN nothing is offered at the gate but to present a card."""
    rows = tuple(ServiceRow(label=gate.WORDS[words], tone=tone) for words, tone in CARD_ROWS)
    page = ServicePage(code="", title="Service menu", who="technician", gate=True, rows=rows)
    _show(rehearsal, page)


@_screen
def card_enrolled(rehearsal: Rehearsal) -> None:
    """A new card is presented for the second time."""
    page = ServicePage(
        code="C.7.2",
        title="Person",
        who="technician",
        person="Ada",
        rows=(ServiceRow(label="{place}", place="Ben", value="may come in", tone="heading"),),
        entry=SECOND.label,
        entry_kind="card",
    )
    _show(rehearsal, page, "service:back")


@_screen
def names(rehearsal: Rehearsal) -> None:
    """Four people may have turned the attendant's key; the hand-pay that waits is named."""
    staff = (
        ("Ben", "attendant"),
        ("Cyd Meier", "attendant"),
        ("Ada", "technician"),
        ("Maximiliane Oberhuber", "technician"),
    )
    page = ServicePage(
        code="",
        title="Service menu",
        who="attendant",
        gate=True,
        rows=tuple(ServiceRow(label="{place}", place=name, value=role, leads=True) for name, role in staff),
        message="Then {amount_cents} count as paid by hand",
        figures={"amount_cents": 5_800},
    )
    _show(rehearsal, page)


@_screen
def code(rehearsal: Rehearsal) -> None:
    """The code of a page is typed: T.1 is one, and begins others."""
    codes = ("A", "A.1", *(f"T{one}" for one in ("", *(f".{number}" for number in range(1, 20)))))
    typing = Typing(Entry("code", "Code of the page", "code", codes))
    for letter in ("T", "1"):
        typing.take(f"letter:{typing.options.index(letter)}")
    page = ServicePage(
        code="A.1",
        title="Status",
        who="technician",
        person="Ada",
        entry="Code of the page",
        entry_kind="code",
        options=tuple(typing.options),
        typed=typing.shown,
        digit=typing.digit,
        may_be_done=typing.may_be_done,
    )
    _show(rehearsal, page, *typing.controls)


@_screen
def people(rehearsal: Rehearsal) -> None:
    """C.7: who may come in, and what the keys do."""
    people = (("Ben", "may come in"), ("Cyd Meier", "must change the PIN"), ("Dan", "barred"), ("Ada", "may come in"))
    rows = (
        *(
            ServiceRow(label="{place}", place=name, value=value, code=f"C.7.{number}", leads=True)
            for number, (name, value) in enumerate(people, 1)
        ),
        ServiceRow(label="Add an attendant", leads=True),
        ServiceRow(label="Add a technician", leads=True),
        ServiceRow(label="Key of the {place}", place="technician", value="turned"),
        ServiceRow(label="Attendant's key opens without a PIN", value="off", leads=True),
    )
    page = ServicePage(code="C.7", title="People, keys, time-outs", who="technician", person="Ada", rows=rows, focus=1)
    _show(rehearsal, page, "auto", "service:code")


@_screen
def qr(rehearsal: Rehearsal) -> None:
    """The main meters as a QR code, with figures of as many digits as a busy cabinet has after years."""
    text = (
        "CAB1 0123456789ABCDEF 20261122T081500Z G1 P24 N1234567"
        " H9F86D081884C7D659A2FEAA0C55AD015A3BF4F1B2B0B822CD15D6C15B0F00A08 K0A738BF45C3ED432"
        " CI1234567890/12345600 CO1172839455/11728300 CN23456700/234500 NT98765000/987600 FD500/0 HO34567000/345600"
        " HP1234500/12300 GM8765432/87654 CR2350"
        " SORUGS43JNZTSAYLUOVZGKIDDN5WXAZLSFQQHI2DBOQQGCIDDNBUXG43FFQQHO2LUNAQGCIDTNFTW4YLUOVZGKIDGN5ZCA5DFON2HGIDPNY"
    )
    rows = (ServiceRow(label="Scan it; cabinet verify-export proves it"), ServiceRow(label="Text", value=text[:40]))
    title = "Meters as a QR code"
    _show(rehearsal, ServicePage(code="M.7.1", title=title, who="attendant", rows=rows, modules=modules(text)))


@_screen
def demo_mode(rehearsal: Rehearsal) -> None:
    """Demo mode, marked over whatever is shown."""
    rows = (
        ServiceRow(label="Demo mode", value="on", tone="bad"),
        ServiceRow(label="Credit", cents=8_350),
        ServiceRow(label="Give free credits", cents=10_000, leads=True),
        ServiceRow(label="End it with a full clear", code="U.8", leads=True),
    )
    page = ServicePage(code="U.9", title="Demo mode", who="technician", rows=rows, focus=2)
    rehearsal.view(neptune_view(state="service_menu", service=page, controls=KEYS, demo_mode=True))


@_screen
def amount(rehearsal: Rehearsal) -> None:
    """The credit limit is typed, within its limits."""
    page = ServicePage(
        code="C.2",
        title="Money",
        who="technician",
        entry="Credit limit",
        entry_kind="cents",
        limits=(100, 100_000_000),
        typed="50000",
        group=3,
        message="It must be {low_cents} to {high_cents}",
        figures={"low_cents": 100, "high_cents": 100_000_000},
    )
    rehearsal.view(neptune_view(state="service_menu", service=page, controls=PAD_KEYS))


@_screen
def letters(rehearsal: Rehearsal) -> None:
    """The location is written, letter by letter."""
    typing = Typing(Entry("value", "Location", "text", longest=24))
    page = ServicePage(
        code="C.1",
        title="Site",
        who="technician",
        entry="Location",
        entry_kind="text",
        options=tuple(typing.options),
        typed="CAFE ROSA 2",
        digit=4,
        may_be_done=True,
    )
    _show(rehearsal, page, *typing.controls)


@_screen
def choices(rehearsal: Rehearsal) -> None:
    """What the top light shows is chosen."""
    options = ("as weaker ones", "off", "on", "slow", "medium", "fast")
    page = ServicePage(
        code="C.5.2",
        title="A door is open",
        who="technician",
        entry="Top light",
        entry_kind="choice",
        options=options,
        typed="slow",
        digit=3,
    )
    _show(rehearsal, page, *(f"service:choice:{place}" for place in range(len(options))))


@_screen
def question(rehearsal: Rehearsal) -> None:
    """A collection is asked about; NO is chosen."""
    rows = (ServiceRow(label="Collect and close the period", leads=True),)
    page = ServicePage(
        code="U.3",
        title="Collection",
        who="technician",
        rows=rows,
        question="Close the period now?",
        message="It is asked twice: answer once more",
    )
    _show(rehearsal, page, "service:no", "service:yes")


@_screen
def dangerous(rehearsal: Rehearsal) -> None:
    """The credit is to be voided: the row with its amount, the reason that was chosen, and a red YES."""
    rows = (
        ServiceRow(label="Credit", cents=4_400),
        ServiceRow(label="Void the credit", cents=4_400, tone="bad", leads=True),
    )
    page = ServicePage(
        code="U.5",
        title="Clear credits",
        who="technician",
        rows=rows,
        focus=1,
        question="Take the whole credit away without payment?",
        entry_kind="choice",
        typed="credited by mistake",
        yes=True,
    )
    _show(rehearsal, page, "service:no", "service:yes")


@_screen
def long_rows(rehearsal: Rehearsal) -> None:
    """Rows whose words and figures are too long for one line of a narrow monitor."""
    frame = " ".join(f"{byte:02X}" for byte in range(0x10, 0x2C))
    rows = (
        ServiceRow(label="The machine was restarted; your credit was kept", value="2026-11-22 14:34:19"),
        ServiceRow(label="Device", value="4711 \u00b7 0815 \u00b7 16.11.2026 \u00b7 1234567890 \u00b7 0987654321"),
        ServiceRow(label="Neptune", value="908650818840706590240010550015031412802082201506150150000808081984"),
        ServiceRow(label="Received", value="0.480", detail=frame),
        ServiceRow(label="Returned", value="32.50 %", tone="good"),
        ServiceRow(label="A setting does not fit the configuration: {place}", place="7.123456789012345678", tone="bad"),
        ServiceRow(label="Clear everything and begin anew", tone="bad", leads=True),
    )
    _show(rehearsal, ServicePage(code="U.7", title="Software", who="technician", rows=rows, focus=1))


@_screen
def chart_days(rehearsal: Rehearsal) -> None:
    """Stakes of a month, the cursor on the fourth day."""
    rows = tuple(
        ServiceRow(
            label=f"2026-{11 - (day > 21)}-{22 - day + 31 * (day > 21):02}", cents=(day * 7_919 + 41) % 3_120 * 50
        )
        for day in range(31)
    )
    _show(rehearsal, ServicePage(code="M.6.1", title="Stakes by day", who="attendant", rows=rows, chart=True, focus=3))


@_screen
def chart_wins(rehearsal: Rehearsal) -> None:
    """How large the wins were."""
    counts = {"0": 57_123, "\u2264 1 \u00d7": 22_040, "\u2264 2 \u00d7": 9_871, "\u2264 5 \u00d7": 6_002}
    counts |= {"\u2264 10 \u00d7": 2_841, "\u2264 20 \u00d7": 1_320, "\u2264 50 \u00d7": 611, "\u2264 100 \u00d7": 120}
    rows = tuple(ServiceRow(label=label, count=count) for label, count in (counts | {"> 100 \u00d7": 12}).items())
    title = "Games by win (times the stake)"
    _show(rehearsal, ServicePage(code="M.6.5", title=title, who="technician", rows=rows, chart=True))


@_screen
def test(rehearsal: Rehearsal) -> None:
    """A test is open: marked as one, each input with its code, pin and wire."""
    rows = (
        ServiceRow(
            label="{place}", place="collect", code="I2", detail="GPIO 5  \u00b7  yellow  \u00b7  1", value="released"
        ),
        ServiceRow(
            label="{place}",
            place="main door",
            code="I9",
            detail="GPIO 2  \u00b7  white/blue  \u00b7  1",
            value="open",
            tone="good",
        ),
        ServiceRow(label="{place}", place="auto", code="I7", detail="GPIO 10  \u00b7  0", value="stuck", tone="bad"),
        ServiceRow(label="The {place} is unplugged", place="wiring of the button lamps", tone="bad"),
    )
    page = ServicePage(code="T.2", title="Switch levels", who="technician", testing=True, rows=rows, focus=1)
    _show(rehearsal, page)


@_screen
def bars(rehearsal: Rehearsal) -> None:
    """Eight colours and four ramps."""
    _picture(rehearsal, "bars")


@_screen
def grid(rehearsal: Rehearsal) -> None:
    """Lines to the edge, and circles that must be round."""
    _picture(rehearsal, "grid")


@_screen
def frames(rehearsal: Rehearsal) -> None:
    """The moving bar, and what the display says of itself."""
    rows = (
        ServiceRow(label="Frames in the last second", count=60),
        ServiceRow(label="Usual work for a frame (ms)", value="0.18"),
        ServiceRow(label="Most work for a frame (ms)", value="0.42"),
    )
    _picture(rehearsal, "frames", *rows)


@_screen
def touches(rehearsal: Rehearsal) -> None:
    """Where fingers were put down."""
    rows = (ServiceRow(label="Touches", count=3), ServiceRow(label="The last one", value="640, 500"))
    _picture(rehearsal, "touch", *rows, marks=((100, 650), (900, 500), (640, 500)))


@_screen
def calibrate(rehearsal: Rehearsal) -> None:
    """The third cross waits for a finger."""
    _picture(
        rehearsal,
        "calibrate",
        ServiceRow(label="Touch the middle of the cross", value="3 / 5"),
        marks=((1152, 648),),
    )


@_screen
def plain_keys(rehearsal: Rehearsal) -> None:
    """A test in which the panel's buttons are inputs: the keys at the foot are for a finger alone."""
    rows = (
        ServiceRow(label="Hold COLLECT for two seconds to leave", tone="heading"),
        ServiceRow(
            label="{place}", place="lines", code="I4", value="pressed", count=2, detail="14:34:19.250", tone="good"
        ),
        ServiceRow(label="{place}", place="cash-box door", code="I10", value="open", count=1, detail="14:34:12.003"),
    )
    page = ServicePage(code="T.1", title="Switch edges", who="technician", testing=True, rows=rows, focus=1)
    live = tuple(key for key in KEYS if key.startswith("service:"))
    rehearsal.view(neptune_view(state="service_menu", service=page, controls=live))
