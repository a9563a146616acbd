"""Money over real serial lines: notes, coins and a payout, compared with what the devices outside have counted."""

import re
from collections.abc import Iterator

from controller.configuration.cabinet_toml import load
from tests.pi import pulse_record
from tests.pi.cabinet import DISPLAY, SUPERVISOR, Cabinet
from tests.pi.fitted import ADAPTERS, SAMPLE, pull_out, put_back

LANGUAGE, NAME, PIN = "English", "ADA", "258014"
FOUND_S, NOTE_S, PAY_S, MENU_S = 600.0, 300.0, 600.0, 300.0
NOTE_CENTS, COIN_CENTS = 1000, 100
SHORTEST_MS = 49.0


def technician(cabinet: Cabinet) -> Iterator[str]:
    """A technician with the key chooses a PIN on the console; a cabinet without one does not play.

    From here on the display is off: without a GPU it would leave the machine's one processor little time for the rest.
    """
    cabinet.machine.run(f"systemctl stop {DISPLAY}; systemctl start {SUPERVISOR}", seconds=FOUND_S)
    cabinet.turn_key()
    typed = f"sleep 2; printf '%s\\n' {LANGUAGE} {NAME} {PIN} {PIN} | runuser -u cabinet -- cabinet service M.1 --json"
    said = cabinet.machine.run(f"cd /; {typed}", seconds=MENU_S)
    cabinet.keep("menu.txt", said)
    cabinet.turn_back()
    cabinet.machine.wait(
        "the doors are shut and a PIN is there",
        lambda: not {"door_open", "no_pin"} & {code for code, _ in cabinet.faults()},
        MENU_S,
    )
    yield "key turned by its line, PIN chosen on the console, doors shut by theirs"


def serial(cabinet: Cabinet) -> Iterator[str]:
    """Each device is found on its adapter, at the speed and parity that its language has."""
    machine, config = cabinet.machine, load(SAMPLE)
    assert config.bill_validator is not None
    machine.wait("the devices answer", lambda: not _lost(cabinet), FOUND_S)
    links = machine.run("cd /dev/serial/by-path; for link in *; do echo $link $(readlink $link); done")
    for name, socket in ADAPTERS.items():
        found = re.search(rf"^\S+-usb-0:{socket}:1.0-port0 \.\./\.\./(ttyUSB\d+)$", links, re.MULTILINE)
        assert found is not None, links
        line = machine.run(f"stty --all --file=/dev/{found[1]}")
        parity = "parenb" if name == "bill" else "-parenb"
        assert re.search(rf"speed 9600 baud.* {parity} -parodd.* cs8 ", line.replace("\n", " ")), line
        even = "even" if name == "bill" else "no"
        yield f"{name}: /dev/{found[1]} in socket {socket}, 9600 baud, 8 bits, {even} parity"


def _lost(cabinet: Cabinet) -> set[tuple[str, str]]:
    return {
        fault for fault in cabinet.faults() if fault[0] in {"port_lost", "no_reply", "comm_error", "driver_stopped"}
    }


def notes_and_coins(cabinet: Cabinet) -> Iterator[str]:
    """A note and a coin put into the devices outside are credited, to the cent."""
    machine = cabinet.machine
    assert cabinet.credit_cents() == 0
    pulse_record.begin(machine, [meter.pin for meter in load(SAMPLE).pins.meters.values()])
    cabinet.devices.do(f"note {NOTE_CENTS // 100}")

    def credited() -> bool:
        # A validator that has been found is not yet one that takes notes: who gets a note back puts it in again.
        if cabinet.devices.front.bill_return_cents:
            cabinet.devices.do("take note")
            cabinet.devices.do(f"note {NOTE_CENTS // 100}")
        return cabinet.credit_cents() == NOTE_CENTS

    took = machine.wait("the note is credited", credited, NOTE_S)
    stacked = cabinet.devices.front.stacked_cents
    assert stacked == NOTE_CENTS, cabinet.devices.front
    yield f"a note of {NOTE_CENTS} cents: credited {took:.0f} s later, {stacked} cents in the stacker outside"
    cabinet.devices.do(f"coin {COIN_CENTS // 100}")
    took = machine.wait("the coin is credited", lambda: cabinet.credit_cents() == NOTE_CENTS + COIN_CENTS, NOTE_S)
    yield f"a coin of {COIN_CENTS} cents: credited {took:.0f} s later"


def payout(cabinet: Cabinet) -> Iterator[str]:
    """COLLECT by its line: the hopper outside pays what the books say."""
    before = cabinet.credit_cents()
    cabinet.tap(load(SAMPLE).pins.buttons["collect"].pin)
    took = cabinet.machine.wait("the credit is paid", lambda: cabinet.credit_cents() == 0, PAY_S)
    cabinet.machine.wait(
        "the payout has ended",
        lambda: cabinet.rows("SELECT count(*) FROM payouts WHERE state = 'open'") == [[0]],
        PAY_S,
    )
    (paid,) = cabinet.rows("SELECT amount_cents, paid_cents, state FROM payouts ORDER BY id DESC LIMIT 1")
    assert paid == [before, before, "done"], paid
    tray = cabinet.devices.front.tray_cents
    assert tray == before, cabinet.devices.front
    yield f"{before} cents paid {took:.0f} s after COLLECT; {tray} cents in the tray outside"


def pulled(cabinet: Cabinet) -> Iterator[str]:
    """An adapter pulled out is a fault of its device; put back, the device is found again."""
    machine = cabinet.machine
    pull_out(machine, "hopper")
    took = machine.wait("the hopper is missed", lambda: ("port_lost", "hopper") in cabinet.faults(), NOTE_S)
    yield f"hopper's adapter pulled out: port_lost {took:.0f} s later"
    put_back(machine, "hopper")
    took = machine.wait("the hopper is back", lambda: not _lost(cabinet), FOUND_S)
    yield f"put back: found {took:.0f} s later"


def meters(cabinet: Cabinet) -> Iterator[str]:
    """What the hard meters' lines have pulsed is what the books say that they were given."""
    machine = cabinet.machine
    machine.wait(
        "all pulses are given",
        lambda: cabinet.rows("SELECT count(*) FROM hard_meters WHERE owed > 0 OR in_flight") == [[0]],
        PAY_S,
    )
    written = pulse_record.end(machine)
    given = dict(cabinet.rows("SELECT name, given FROM hard_meters"))
    for name, meter in load(SAMPLE).pins.meters.items():
        assert len(written.get(int(meter.pin), [])) == given.get(name, 0), (name, written, given)
    lengths = [ms for found in written.values() for ms in found]
    assert min(lengths) >= SHORTEST_MS, lengths
    yield (
        f"pulses by the kernel's record and by the books: {given}; {min(lengths):.1f} to {max(lengths):.1f} ms long"
        f" (at least 50 wanted; the longest while the machine had no turn)"
    )


def proved(cabinet: Cabinet) -> Iterator[str]:
    """The books are proved from their first row, on the machine itself."""
    said = cabinet.machine.run(
        "cd /; runuser -u cabinet -- cabinet audit /var/lib/cabinet/journal.sqlite", seconds=300.0
    )
    cabinet.keep("audit.txt", said)
    soft = dict(cabinet.rows("SELECT name, value FROM meters WHERE value > 0"))
    front = cabinet.devices.front
    assert soft.get("notes_in", 0) == front.stacked_cents, (soft, front)
    yield f"books proved; {said.strip().splitlines()[-1]}"


def hung(cabinet: Cabinet) -> Iterator[str]:
    """A supervisor that hangs is ended by the service manager's watchdog and started again."""
    machine = cabinet.machine
    before = int(machine.property(SUPERVISOR, "NRestarts"))
    machine.run(f"systemctl kill --kill-whom=main --signal=STOP {SUPERVISOR}")
    took = machine.wait(
        "it is started again",
        lambda: (
            int(machine.property(SUPERVISOR, "NRestarts")) > before
            and machine.property(SUPERVISOR, "ActiveState") == "active"
        ),
        FOUND_S,
    )
    said = machine.run(f"journalctl -b -u {SUPERVISOR} --no-pager --output=cat")
    assert "Watchdog timeout" in said, said[-2000:]
    yield f"supervisor stopped (SIGSTOP): ended by its watchdog, ready again {took:.0f} s later"
