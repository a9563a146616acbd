"""A real supervisor on a pty, driven by a host that was written from the frames and tables alone."""

import signal
import subprocess
import time
from pathlib import Path

import pytest

from controller.books.audit import audit
from controller.features.sas.configuration import ACTS
from tests.rigs.hall import Hall, until
from tests.rigs.sas_aft import IN_HOUSE_TO_HOST, IN_HOUSE_TO_MACHINE, AftHost
from tests.rigs.sas_host import SasHost, Timing
from tests.rigs.sas_polling import HostThread

pytestmark = [pytest.mark.processes, pytest.mark.timeout(240)]

ASSET = 318
RESET_HAND_PAY = 0x94
KILLS = 6
PATIENT = Timing(answer=1.0)
"""What is measured elsewhere must not fail here on a busy computer (tests/bench/host_port.py)."""
METERS = {0x00: "stakes", 0x01: "wins", 0x05: "games", 0x0B: "notes_in", 0xA0: "host_in", 0xB8: "host_out"}
"""Meters and the journal's own, in cents or counts: a credit is a cent here."""


def hosted(hall: Hall) -> Path:
    """Add a host port to the cabinet's configuration; return where its pty is to be."""
    line = hall.run.path / "tty-host"
    may = ", ".join(f'"{act}"' for act in ACTS)
    table = (
        f'\n[host_port]\nport = "{line}"\nlink = "timed"\nmay = [{may}]\nasset = {ASSET}\n'
        "transfer_limit_cents = 50_000\n"
    )
    with hall.run.configuration.open("a") as configuration:
        configuration.write(table)
    return line


def without_coins(hall: Hall) -> None:
    """Have the attendant pay everything by hand."""
    configuration = hall.run.configuration
    text = configuration.read_text()
    assert "hopper_cents = 10_000" in text
    configuration.write_text(text.replace("hopper_cents = 10_000", "hopper_cents = 0"))


def put_in(hall: Hall, units: int) -> None:
    """Put a note in, again and again until its validator is ready for it."""
    for _ in range(10):
        hall.hand.do(f"note {units}")
        ends = time.monotonic() + 6.0
        while time.monotonic() < ends:
            if hall.books.credit_cents == units * 100:
                return
            time.sleep(0.1)
        hall.hand.do("take note")
    raise AssertionError("the note was never taken")


def agree(hall: Hall, host: HostThread) -> None:
    """The meters that the host reads are the journal's."""
    read = host.do(lambda one: one.read_meters(list(METERS)))
    known = dict(hall.books.rows("SELECT name, value FROM meters"))
    assert {code: known.get(name, 0) for code, name in METERS.items()} == read


def test_a_host_reads_steers_and_pays_a_real_cabinet_over_a_kill(tmp_path: Path) -> None:
    """Exceptions, meters, acts and transfers; after a kill in between the host's books and the cabinet's agree."""
    hall = Hall(tmp_path)
    with hall.devices(), HostThread(hosted(hall), timing=PATIENT) as host:
        with hall.supervisor() as running:
            host.confirmed(0x17, 30.0)
            put_in(hall, 20)
            host.confirmed(0x4A, 20.0)
            host.confirmed(0x8C)
            aft = AftHost(host.host, asset=ASSET)
            paid = host.do(lambda _: aft.transfer("T1", IN_HOUSE_TO_MACHINE, 3000))
            assert (paid.done, paid.moved_cents) == (True, 3000)
            assert hall.books.credit_cents == 5000
            host.confirmed(0x69)
            hall.hand.do("tap spin")
            host.confirmed(0x7E)
            host.confirmed(0x7F, 30.0)
            agree(hall, host)
            assert host.do(lambda one: one.order(0x01))
            until(lambda: not hall.hand.front.lamps["spin"])
            assert host.do(lambda one: one.order(0x02))
            running.send_signal(signal.SIGKILL)
            running.wait()
            host.lose_power()
        with hall.supervisor():
            host.confirmed(0x17, 30.0, times=2)
            host.do(lambda _: aft.recover())
            until(lambda: hall.hand.front.lamps["collect"])
            until(lambda: host.do(lambda _: aft.status())["available"] != 0)
            assert host.do(lambda _: aft.transfer("T2", IN_HOUSE_TO_HOST, 1000)).done
            agree(hall, host)
            known = dict(hall.books.rows("SELECT name, value FROM meters"))
            tally = host.host.tally
            assert (tally.to_machine_cents, tally.to_host_cents) == (known["host_in"], known["host_out"])
            assert (tally.fallen, host.host.wakes, bytes(host.host.strays)) == ([], [], b"")
    assert audit(hall.run.journal, lambda _what, _done, _total: None).failures == []


def test_a_hand_pay_that_a_host_was_told_is_reset_is_not_paid_again(tmp_path: Path) -> None:
    """SIGKILL as soon as 94 is answered with 00: the books have it, and after a restart nothing waits to be paid."""
    hall = Hall(tmp_path)
    without_coins(hall)

    async def reset(host: SasHost, running: subprocess.Popen[bytes]) -> object:
        answer = await host.ask(RESET_HAND_PAY)
        running.send_signal(signal.SIGKILL)
        return answer

    with hall.devices(), HostThread(hosted(hall), timing=PATIENT) as host:
        for time_of in range(1, KILLS + 1):
            with hall.supervisor() as running:
                host.confirmed(0x17, 30.0, times=time_of)
                assert hall.books.credit_cents == 0
                put_in(hall, 20)
                hall.hand.do("tap collect")
                host.confirmed(0x51, 20.0, times=time_of)
                assert host.do(lambda one: reset(one, running)) == {"code": 0}
                running.wait()
                host.lose_power()
            assert (hall.meter("hand_pay"), hall.books.credit_cents) == (2000 * time_of, 0)
    assert audit(hall.run.journal, lambda _what, _done, _total: None).failures == []
