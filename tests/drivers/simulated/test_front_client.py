import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from drivers.simulated.front_client import FrontClient, FrontLostError, FrontRefusedError
from tests.rigs.bench_fakes import STILL, FakeFront, fake_front


@pytest.fixture
def front(tmp_path: Path) -> Iterator[FakeFront]:
    with fake_front(tmp_path) as served:
        yield served


def socket_of(tmp_path: Path) -> Path:
    return tmp_path / "hardware.sock"


def test_the_front_is_there_at_once(tmp_path: Path, front: FakeFront) -> None:
    """Asking for the front waits for the first one."""
    with FrontClient(socket_of(tmp_path)) as client:
        assert client.front == front.front


def test_do_sends_the_words(tmp_path: Path, front: FakeFront) -> None:
    """An act arrives in its words and `do` returns once it is answered."""
    with FrontClient(socket_of(tmp_path)) as client:
        client.do("note 20")
        client.do("press spin")
        assert front.asked == ["note 20", "press spin"]


def test_do_connects_by_itself(tmp_path: Path, front: FakeFront) -> None:
    """A script may simply begin."""
    client = FrontClient(socket_of(tmp_path))
    client.do("crash")
    client.close()
    assert front.asked == ["crash"]


def test_a_refusal_raises_its_words(tmp_path: Path, front: FakeFront) -> None:
    """What the front cannot do is an error with the act and the reason."""
    front.refuse["note 20"] = "the mouth is full"
    with (
        FrontClient(socket_of(tmp_path)) as client,
        pytest.raises(FrontRefusedError, match="`note 20`: the mouth is full"),
    ):
        client.do("note 20")


def test_a_refusal_of_send_is_kept(tmp_path: Path, front: FakeFront) -> None:
    """A window does not wait for answers; it collects the refusals, each once."""
    front.refuse["note 20"] = "the mouth is full"
    with FrontClient(socket_of(tmp_path)) as client:
        client.send("note 20")
        client.do("coin 1.00")
        assert client.take_refusals() == ["the mouth is full"]
        assert client.take_refusals() == []


def test_no_answer_is_a_timeout(tmp_path: Path, front: FakeFront) -> None:
    """A front that says nothing does not hold a script for ever."""
    front.mute = True
    with FrontClient(socket_of(tmp_path), clock=itertools.count(step=10).__next__) as client:
        with pytest.raises(TimeoutError, match="no answer to `note 20`"):
            client.do("note 20")
        assert front.wait_asked("note 20")


def test_wait_until_sees_a_change(tmp_path: Path, front: FakeFront) -> None:
    """Waiting ends with the first front that fits, and returns it."""
    with FrontClient(socket_of(tmp_path)) as client:
        assert client.front.tray_cents == 0
        front.show(tray_cents=50)
        front.show(tray_cents=100)
        assert client.wait_until(lambda seen: seen.tray_cents >= 100).tray_cents == 100


def test_wait_until_misses_no_blink(tmp_path: Path, front: FakeFront) -> None:
    """Fronts that come while one waits are looked at one by one, however short they last."""
    moments = itertools.count()

    def clock() -> float:
        # The second look at the clock falls after the present front was found not to fit.
        if next(moments) == 1:
            front.show(crashes=1)
            front.show(crashes=2)
        return 0.0

    with FrontClient(socket_of(tmp_path), clock=clock) as client:
        assert front.wait_guest()
        assert client.wait_until(lambda seen: seen.crashes == 1).crashes == 1


def test_wait_until_gives_up_with_the_front(tmp_path: Path, front: FakeFront) -> None:
    """A wait in vain says what the front showed instead."""
    front.show(hopper_coins=77)
    with FrontClient(socket_of(tmp_path)) as client:
        assert client.front.hopper_coins == 77
        with pytest.raises(TimeoutError, match="hopper_coins=77"):
            client.wait_until(lambda seen: seen.hopper_coins == 0, timeout=0.0)


def test_nobody_listening_says_what_to_start(tmp_path: Path) -> None:
    """Without simulated hardware the error names the socket and the command."""
    with pytest.raises(FrontLostError, match=r"hardware\.sock: .*python -m drivers\.simulated"):
        FrontClient(socket_of(tmp_path)).connect()


def test_a_lost_front_can_be_found_again(tmp_path: Path) -> None:
    """A hang-up is an error, what was seen stays known, and the next server is used as if nothing had been."""
    client = FrontClient(socket_of(tmp_path))
    with fake_front(tmp_path):
        assert client.front == STILL
    with pytest.raises(FrontLostError):
        client.receive(10.0)
    assert (client.connected, client.latest) == (False, STILL)
    with fake_front(tmp_path) as second:
        second.show(crashes=3)
        assert client.front.crashes == 3
    client.close()
