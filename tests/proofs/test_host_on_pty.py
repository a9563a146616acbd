"""A real supervisor on ptys, in real time: every poll, real time, two ports, a lost, returned and replaced host."""

import asyncio
import signal
from pathlib import Path

import pytest

from controller.books.audit import audit
from controller.configuration.cabinet_toml import parse
from controller.features.sas.configuration import ACTS
from tests.rigs import sas_readings
from tests.rigs.hall import Hall, until
from tests.rigs.journal_rows import Books
from tests.rigs.network_line import free_address
from tests.rigs.sas_aft import IN_HOUSE_TO_HOST, IN_HOUSE_TO_MACHINE, AftHost
from tests.rigs.sas_fields import Values
from tests.rigs.sas_host import Kind, SasHost, Timing
from tests.rigs.sas_polling import HostThread
from tests.rigs.sas_tickets import TicketHost

pytestmark = [pytest.mark.proof, pytest.mark.processes, pytest.mark.timeout(900)]

ASSET = 318
PATIENT = Timing(answer=1.0)
"""How soon it answers is measured elsewhere (tests/bench/host_port.py)."""
POWER_ON, NOTE_20, CHOSEN = 0x17, 0x4A, 0x8C


def hosted(hall: Hall, *tables: str) -> list[Path]:
    """Configure a host port for each name; return where their ptys are to be."""
    lines = []
    may = ", ".join(f'"{act}"' for act in ACTS)
    with hall.run.configuration.open("a") as configuration:
        for table in tables:
            line = hall.run.path / f"tty-{table}"
            first = f"may = [{may}]\nasset = {ASSET}\ntransfer_limit_cents = 50_000\n"
            second = "denomination_cents = 10\naddress = 5\n"
            configuration.write(f'\n[{table}]\nport = "{line}"\nlink = "timed"\n')
            configuration.write(first if table == "host_port" else second)
            lines.append(line)
    return lines


def asked(books: Books) -> sas_readings.Rows:
    """What asks the journal by plain SQL."""

    async def rows(sql: str) -> list[tuple[object, ...]]:
        return books.rows(sql)

    return rows


def put_in(hall: Hall, host: HostThread, what: str, code: int) -> None:
    """A note or a ticket, again where the validator takes none yet, until the host has heard of it."""
    for _ in range(10):
        hall.hand.do(what)
        try:
            host.confirmed(code, 8.0)
        except AssertionError:
            hall.hand.do("take note")
        else:
            return
    host.confirmed(code, 8.0)


def open_and_shut(hall: Hall) -> None:
    """Open the main door for as long as it takes to be noticed: a shorter time is a bounce of its switch."""
    hall.hand.do("door main open")
    until(lambda: ("door_open", "main") in hall.faults())
    hall.hand.do("door main close")


def played(hall: Hall, host: HostThread) -> None:
    """A note, a game, and the host has heard of both."""
    host.confirmed(POWER_ON, 60.0)
    put_in(hall, host, "note 20", NOTE_20)
    host.confirmed(CHOSEN, 30.0)
    hall.hand.do("tap spin")
    host.confirmed(0x7F, 60.0)


def test_every_poll_is_answered_by_the_journals_figures(tmp_path: Path) -> None:
    """Layout and value, from the host's side; then real time, with its data."""
    hall = Hall(tmp_path)
    (line,) = hosted(hall, "host_port")
    with hall.devices(), HostThread(line, timing=PATIENT) as host, hall.supervisor():
        played(hall, host)
        rows = asked(hall.books)
        assert host.do(lambda one: sas_readings.check_meters(one, rows)) > 70
        enabled = parse(hall.run.configuration.read_text(), hall.run.configuration).games.enabled
        host.do(lambda one: sas_readings.check_last_note(one, rows))
        host.do(lambda one: sas_readings.check_games(one, rows, enabled))
        host.do(sas_readings.check_identity)
        host.do(sas_readings.check_hopper)
        host.do(sas_readings.check_orders)
        host.do(sas_readings.check_silence)
        until(lambda: hall.hand.front.lamps["spin"])
        assert host.do(lambda one: one.order(0x0E, on=1))
        hall.hand.do("tap spin")
        host.wait(lambda: bool(host.host.events(0x7F)), 60.0, "the end of a game in real time")
        ((won,),) = hall.books.rows("SELECT win_cents FROM rounds ORDER BY id DESC LIMIT 1")
        assert host.host.events(0x7F)[-1].values == {"won": won}
        assert host.do(_credits) == {"credits": hall.books.credit_cents}
        assert host.do(lambda one: one.order(0x0E, on=0))
        assert host.do(lambda one: one.general_poll()).kind is Kind.EXCEPTION
        assert (host.host.wakes, host.host.tally.fallen, bytes(host.host.strays)) == ([], [], b"")
    assert audit(hall.run.journal, lambda _what, _done, _total: None).failures == []


@pytest.mark.parametrize(("link", "notes"), [("serial", "id003"), ("network", "cctalk")])
def test_a_ticket_is_numbered_and_redeemed_by_the_host(tmp_path: Path, link: str, notes: str) -> None:
    """From COLLECT to the printed ticket, and from the mouth of the notes to the credit; a copy goes back."""
    hall = Hall(tmp_path)
    kept_port, address = free_address()
    (line,) = hosted(hall, "host_port")
    configuration = hall.run.configuration
    kept = configuration.read_text().replace('protocol = "id003"', f'protocol = "{notes}"')
    port = hall.run.path / "tty-printer" if link == "serial" else address
    printer = f'\n[ticket_printer]\nlink = "{link}"\nport = "{port}"\n'
    configuration.write_text(f'{kept}{printer}\n[tickets]\npays = "all"\ntakes = true\nvalidated_by = "host_port"\n')
    with kept_port, hall.devices(), HostThread(line, timing=PATIENT) as host, hall.supervisor():
        played(hall, host)
        until(lambda: hall.hand.front.lamps["collect"])
        credit = hall.books.credit_cents
        tickets = TicketHost(host.host)
        hall.hand.do("tap collect")
        host.confirmed(0x57, 60.0)
        host.do(lambda _: tickets.validate())
        host.confirmed(0x3D, 60.0)
        host.do(lambda _: tickets.read_records())
        ((number, one),) = tickets.books.issued.items()
        assert (one.validated, one.cents, hall.books.credit_cents) == (True, credit, 0)
        put_in(hall, host, f"ticket {number}", 0x67)
        host.do(lambda _: tickets.decide())
        host.confirmed(0x68, 60.0)
        host.do(lambda _: tickets.read_end())
        hall.hand.do(f"ticket {number}")
        until(lambda: hall.hand.front.returned_tickets == (number,))
        assert host.host.tally.confirmed[0x67] == 1, "the cabinet knows that it is redeemed"
        assert (one.redeemed, hall.books.credit_cents) == (True, credit)
        assert (hall.meter("tickets_out"), hall.meter("tickets_in")) == (credit, credit)
    assert audit(hall.run.journal, lambda _what, _done, _total: None).failures == []


def test_two_hosts_hear_everything_each_and_steer_what_each_may(tmp_path: Path) -> None:
    """One exception each, meters in each one's denomination, and only the first may order."""
    hall = Hall(tmp_path)
    first, second = hosted(hall, "host_port", "host_port_2")
    with (
        hall.devices(),
        HostThread(first, timing=PATIENT) as one,
        HostThread(second, address=5, timing=PATIENT) as two,
        hall.supervisor(),
    ):
        played(hall, one)
        two.confirmed(0x7F, 30.0)
        assert one.host.tally.confirmed == two.host.tally.confirmed
        credit = hall.books.credit_cents
        assert one.do(lambda host: host.ask(0x1A)) == {"credits": credit}
        assert two.do(lambda host: host.ask(0x1A)) == {"credits": credit // 10}
        assert two.do(lambda host: host.order(0x01)) is False
        assert two.do(lambda host: host.ask(0x74, code=0xFF, condition=0, timeout=0)) is None
        assert one.do(lambda host: host.order(0x01)) is True
        until(lambda: not hall.hand.front.lamps["spin"])
        assert one.do(lambda host: host.order(0x02)) is True


def test_a_lost_host_is_an_event_and_a_new_one_goes_on(tmp_path: Path) -> None:
    """Chirps, the broken loop, what waits meanwhile; then another host on a new pty in the old one's place."""
    hall = Hall(tmp_path)
    (line,) = hosted(hall, "host_port")
    with hall.devices(), hall.supervisor() as running:
        with HostThread(line, timing=PATIENT) as host:
            played(hall, host)
            aft = AftHost(host.host, asset=ASSET)
            until(lambda: host.do(lambda _: aft.status())["available"] != 0)
            assert host.do(lambda _: aft.transfer("T1", IN_HOUSE_TO_MACHINE, 3000)).done
            host.confirmed(0x69, 20.0)
            chirps = host.do(lambda one: one.silence(8.0))
            said = bytes(host.host.strays) + bytes(len(chirps))
            assert len(said) > 5, "a machine that nobody polls says its address five times a second"
            until(lambda: _links(hall) == ["host_there", "host_gone"])
            open_and_shut(hall)
            host.host.strays.clear()
            host.confirmed(0x12, 30.0)
            assert host.host.tally.confirmed[0x11] == 1
            host.do(_repeats)
            credit = hall.books.credit_cents
        open_and_shut(hall)
        with HostThread(line, timing=PATIENT) as new:
            new.confirmed(0x12, 60.0)
            assert [code for code in new.host.tally.confirmed if code not in (0x11, 0x12)] == []
            aft = AftHost(new.host, asset=ASSET)
            state = new.do(lambda _: aft.interrogate())
            assert (state["id"], state["status"], state["cashable"]) == ("T1", 0x00, 3000)
            until(lambda: new.do(lambda _: aft.status())["available"] != 0)
            assert new.do(lambda _: aft.transfer("T2", IN_HOUSE_TO_HOST, 1000)).done
            assert hall.books.credit_cents == credit - 1000
            running.send_signal(signal.SIGKILL)
            running.wait()


async def _credits(host: SasHost) -> Values | None:
    """The credit; in real time a poll that comes before an acknowledgement is durable is left unanswered."""
    for _ in range(10):
        if (answer := await host.ask(0x1A)) is not None:
            return answer
    return None


def _links(hall: Hall) -> list[str]:
    """The first two events of the link."""
    sql = "SELECT data ->> '$.text' FROM ledger WHERE data ->> '$.code' = 'host_link' ORDER BY seq LIMIT 2"
    return [text for (text,) in hall.books.rows(sql)]


async def _repeats(host: SasHost) -> None:
    """The same poll again brings the same bytes, a long poll's too; another address acknowledges."""
    await host.send(0x19)
    first = host.exchanges[-1].heard
    assert (await host.repeat()).heard == first
    await asyncio.sleep(0.05)
    await host.to_another(3, None)
    assert (await host.ask(0x19)) is not None
