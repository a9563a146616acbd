"""What a venue offers: bundles go the way of a stick's, templates wait for a technician, and results arrive."""

import hashlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path

import pytest

from controller.features.update.orders import Act, End, Outcome, Wish, read, write
from controller.features.update.signing import SigningKey
from controller.features.update.trial_watch import HELD
from controller.features.venue.calls import Offer
from controller.features.venue.offer_journal import offered
from controller.journal.schema import NAMES
from controller.journal.settings import stored_settings
from tests.rigs.model_venue import ModelVenue, Wire
from tests.rigs.offered_cabinet import OfferedCabinet
from tests.rigs.program_trees import KEY, bundled
from tests.rigs.service_menu import with_sticks
from tests.rigs.updates import places
from tests.rigs.venue_store import ME, linked

OWN = version("cabinet")
SETTINGS = b"[sound]\npercent = 30\nattract = false\n"


class Cabinet(OfferedCabinet):
    """One that is linked to a model venue."""

    def join(self, venue: ModelVenue, folder: Path) -> Wire:
        """Link it from its next start on."""
        self.venue, self.wire = venue, Wire(venue, ME)
        self.join_by(self.wire, places(folder))
        return self.wire

    @property
    def results(self) -> list[tuple[int, str, str]]:
        """What the venue has got."""
        return self.venue.cabinets[ME].results

    @property
    def states(self) -> list[str]:
        """The states of those."""
        return [state for _, state, _ in self.results]


@asynccontextmanager
async def cabinet(
    folder: Path, venue: ModelVenue, fate: Callable[[int], str] = lambda _fetch: "ok"
) -> AsyncIterator[Cabinet]:
    """A running cabinet in a venue; `fate` is that of each fetch, by its number."""
    config = with_sticks(folder).config
    rig = Cabinet(folder, config=config)
    wire = rig.join(venue, folder)
    wire.fate = lambda name: fate(wire.called.count("fetch")) if name == "fetch" else "ok"
    await rig.begin()
    try:
        yield rig
    finally:
        await rig.kill()


def bundle_of(folder: Path, number: str = "99.0", *, key: SigningKey = KEY, names: tuple[str, ...] = NAMES) -> bytes:
    """The bytes of a bundle."""
    return bundled(number, folder / "made", migrations=names, key=key).read_bytes()


def inbox(folder: Path) -> list[str]:
    """What lies in the updater's inbox."""
    return sorted(path.name for path in (folder / "bundles").iterdir()) if (folder / "bundles").exists() else []


async def asked(rig: Cabinet) -> Wish:
    """Wait until the updater is asked; return for what."""
    await rig.until_true(rig.at.wanted.exists, 120)
    wish = read(rig.at.wanted, Wish)
    assert wish is not None
    return wish


def answer(rig: Cabinet, wish: Wish, end: End, detail: str = "") -> None:
    """Answer for the updater."""
    write(rig.at.outcome, Outcome(id=wish.id, act=wish.act, old=OWN, new="99.0", end=end, detail=detail))


@pytest.mark.parametrize(
    ("end", "state"),
    [(End.DONE, "installed"), (End.UNDONE, "failed"), (End.KEPT, "failed"), (End.REFUSED, "refused")],
)
async def test_a_bundle_is_fetched_proved_and_asked_for(tmp_path: Path, end: End, state: str) -> None:
    """The inbox has it whole; play stops; the venue hears `taken` and then how it ended, once each."""
    venue, content = linked(), bundle_of(tmp_path)
    venue.offered[1] = "bundle", "new.cabinet", content
    async with cabinet(tmp_path, venue) as rig:
        wish = await asked(rig)
        assert wish.act is Act.INSTALL
        assert (tmp_path / "bundles" / wish.bundle).read_bytes() == content
        assert HELD in rig.notices()
        await rig.until_true(lambda: rig.states == ["taken"])
        answer(rig, wish, end, "full")
        await rig.until_true(lambda: rig.states == ["taken", state])
        assert await rig.events("update") != []
        rig.at.wanted.unlink()
        await rig.until_true(lambda: rig.wire.called.count("offers") > 8, 120)
        assert (rig.states, rig.at.wanted.exists()) == (["taken", state], False)


@pytest.mark.parametrize("piece", range(1, 8))
@pytest.mark.parametrize("fate", ["cut", "lost"])
async def test_a_line_cut_at_any_piece_changes_nothing(tmp_path: Path, piece: int, fate: str) -> None:
    """It goes on where it was; what comes is what was offered."""
    venue, content = linked(), bundle_of(tmp_path)
    venue.offered[1] = "bundle", "new.cabinet", content
    assert 4 < len(content) / venue.piece <= 7
    async with cabinet(tmp_path, venue, lambda number: fate if number == piece else "ok") as rig:
        wish = await asked(rig)
        assert (tmp_path / "bundles" / wish.bundle).read_bytes() == content
        pieces = -(-len(content) // venue.piece)
        assert rig.wire.called.count("fetch") == pieces + (piece <= pieces)


@pytest.mark.parametrize("pieces", range(1, 5))
async def test_a_restart_in_the_middle_goes_on_where_it_was(tmp_path: Path, pieces: int) -> None:
    """Also one whose file the power cut has damaged: it is fetched anew, once, and not refused."""
    venue, content = linked(), bundle_of(tmp_path)
    venue.offered[1] = "bundle", "new.cabinet", content
    async with cabinet(tmp_path, venue, lambda number: "cut" if number > pieces else "ok") as rig:
        await rig.until_true(lambda: rig.wire.called.count("fetch") > pieces, 120)
        await rig.kill()
        (part,) = (tmp_path / "bundles").iterdir()
        if pieces % 2:
            part.write_bytes(bytes(part.stat().st_size))
        rig.wire.fate = lambda _name: "ok"
        await rig.begin()
        wish = await asked(rig)
        assert (tmp_path / "bundles" / wish.bundle).read_bytes() == content
        assert rig.states in ([], ["taken"])


async def test_a_restart_while_the_updater_works_reports_its_answer(tmp_path: Path) -> None:
    """The new program, or the old one again, finds in the books what was asked for."""
    venue = linked()
    venue.offered[1] = "bundle", "new.cabinet", bundle_of(tmp_path)
    async with cabinet(tmp_path, venue) as rig:
        wish = await asked(rig)
        await rig.kill()
        answer(rig, wish, End.DONE)
        await rig.begin()
        await rig.until_true(lambda: rig.states == ["taken", "installed"])


class Lying(ModelVenue):
    """A venue that says another hash or size than what it gives."""

    sha256 = b""
    size = 0

    def offers(self, me: int, session: int) -> list[Offer]:
        """Say something else."""
        return [
            offer._replace(sha256=self.sha256 or offer.sha256, size=self.size or offer.size)
            for offer in super().offers(me, session)
        ]


@pytest.mark.parametrize("kind", ["bundle", "settings"])
@pytest.mark.parametrize(
    ("sha256", "size", "why"),
    [
        (hashlib.sha256(b"another").digest(), 0, "SHA-256 is not the one"),
        (b"", 100_000_000_000, "has at most"),
        (b"", -1, "has at most"),
        (b"", 200_000, "another size"),
        (b"", 10, "another size"),
    ],
)
async def test_what_is_not_as_the_venue_says_is_refused_once(
    tmp_path: Path, kind: str, sha256: bytes, size: int, why: str
) -> None:
    """Nothing is asked for, nothing stays, and the venue hears why."""
    venue = Lying(linked().pools)
    venue.cabinets = linked().cabinets
    venue.sha256, venue.size = sha256, size
    venue.offered[1] = kind, "x", bundle_of(tmp_path) if kind == "bundle" else SETTINGS
    async with cabinet(tmp_path, venue) as rig:
        await rig.until_true(lambda: bool(rig.results), 120)
        ((_, state, detail),) = rig.results
        assert state == "refused"
        assert why in detail
        assert (inbox(tmp_path), rig.at.wanted.exists()) == ([], False)
        assert (await rig.journal.do(offered)).proposals == ()


@pytest.mark.parametrize(
    ("number", "key", "names", "why"),
    [
        ("99.0", SigningKey.throwaway(), NAMES, "not whole or not the maker's"),
        ("0.0.1", KEY, NAMES, "older than the present program"),
        ("99.0", KEY, NAMES[:-1], "cannot read these books"),
    ],
)
async def test_a_bundle_that_needs_a_person_or_is_not_the_makers_is_refused(
    tmp_path: Path, number: str, key: SigningKey, names: tuple[str, ...], why: str
) -> None:
    """Not signed, older, or for older books: the updater hears of none."""
    venue = linked()
    venue.offered[1] = "bundle", "x.cabinet", bundle_of(tmp_path, number, key=key, names=names)
    async with cabinet(tmp_path, venue) as rig:
        await rig.until_true(lambda: bool(rig.results), 120)
        ((_, state, detail),) = rig.results
        assert state == "refused"
        assert why in detail
        assert (inbox(tmp_path), rig.at.wanted.exists()) == ([], False)


async def test_the_program_that_plays_already_is_installed(tmp_path: Path) -> None:
    """A stick was faster."""
    venue = linked()
    venue.offered[1] = "bundle", "x.cabinet", bundle_of(tmp_path, OWN)
    async with cabinet(tmp_path, venue) as rig:
        await rig.until_true(lambda: rig.results == [(1, "installed", "this version plays already")], 120)
        assert not rig.at.wanted.exists()


async def test_nothing_is_fetched_while_there_is_credit(tmp_path: Path) -> None:
    """Nor taken; once the credit is gone, it is."""
    venue = linked()
    async with cabinet(tmp_path, venue) as rig:
        assert await rig.note(500)
        venue.offered[1] = "bundle", "x.cabinet", bundle_of(tmp_path)
        before = rig.wire.called.count("offers")
        await rig.until_true(lambda: rig.wire.called.count("offers") > before + 2, 120)
        assert rig.wire.called.count("fetch") == 0
        await rig.journal.do(lambda tx: tx.post("test", credit=-500, meters={"handpays": 500}))
        await rig.machine.journal.reload()
        await asked(rig)


async def test_a_withdrawn_bundle_is_dropped(tmp_path: Path) -> None:
    """In the middle of its pieces, and without a word to the venue."""
    venue = linked()
    venue.offered[1] = "bundle", "x.cabinet", bundle_of(tmp_path)

    def withdrawing(number: int) -> str:
        if number == 3:
            del venue.offered[1]
        return "ok"

    async with cabinet(tmp_path, venue, withdrawing) as rig:
        await rig.until_true(lambda: inbox(tmp_path) != [], 120)
        await rig.until_true(lambda: inbox(tmp_path) == [], 120)
        assert (rig.results, rig.at.wanted.exists()) == ([], False)
        assert await rig.events("venue_trouble") == []


async def test_a_template_waits_for_a_technician(tmp_path: Path) -> None:
    """Nothing changes before; taking it changes the settings, is recorded, and is reported."""
    venue = linked()
    venue.offered[5] = "settings", "Quiet\nhours", SETTINGS
    async with cabinet(tmp_path, venue) as rig:
        await rig.until_true(lambda: rig.wire.called.count("fetch") > 0)
        assert await rig.journal.do(stored_settings) == {}
        assert rig.results == []
        await rig.answer_template("Take these settings")
        await rig.until_true(lambda: rig.states == ["installed"])
        stored = await rig.journal.do(stored_settings)
        assert stored == {"sound.percent": "30", "sound.attract": "false"}
        assert (await rig.events("venue"))[-1].endswith("taken by the technician: Quiethours")


async def test_a_technician_refuses_a_template(tmp_path: Path) -> None:
    """Nothing changes, and the venue hears it; after a restart it is asked nothing again."""
    venue = linked()
    venue.offered[5] = "settings", "Quiet", SETTINGS
    async with cabinet(tmp_path, venue) as rig:
        await rig.until_true(lambda: rig.wire.called.count("fetch") > 0)
        await rig.again()
        await rig.answer_template("Refuse them")
        await rig.until_true(lambda: rig.results == [(5, "refused", "by the technician")])
        assert await rig.journal.do(stored_settings) == {}


async def test_a_withdrawn_template_is_gone(tmp_path: Path) -> None:
    """It is no longer in the menu, and an event says so."""
    venue = linked()
    venue.offered[5] = "settings", "Quiet", SETTINGS
    async with cabinet(tmp_path, venue) as rig:
        await rig.until_true(lambda: rig.wire.called.count("fetch") > 0)
        del venue.offered[5]
        before = rig.wire.called.count("offers")
        await rig.until_true(lambda: rig.wire.called.count("offers") > before + 1, 120)
        assert (await rig.journal.do(offered)).proposals == ()
        assert (await rig.events("venue"))[-1] == "The venue no longer proposes settings (5): Quiet"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"x = ", "no TOML"),
        (b"\xff", "no TOML"),
        (b"x = " + b"1" * 5_000, "a line has at most"),
        (b"x = [" + b"\n[" * 5_000, "no TOML"),
        (b".".join([b"a"] * 100_000) + b" = 1", "a line has at most"),
        (b"", "has at most"),
        (b"# nothing\n", "no settings"),
        (b"'a' . \"b\\u0000\" = 1\n", "is no setting"),
        (b"[cabinet]\njournal = '/x'\n", "cabinet.journal: is no setting"),
        (b"[network]\nenabled = true\n", "network.enabled: is no setting"),
        (b"[sound]\npercent = 3.5\n", "sound.percent: must be"),
        (b"[sound]\npercent = 101\n", "sound.percent: "),
    ],
)
async def test_a_template_that_does_not_fit_is_refused(tmp_path: Path, content: bytes, why: str) -> None:
    """The venue hears which key, and why."""
    venue = linked()
    venue.offered[5] = "settings", "Bad", content
    async with cabinet(tmp_path, venue) as rig:
        await rig.until_true(lambda: bool(rig.results))
        ((_, state, detail),) = rig.results
        assert state == "refused"
        assert why in detail
        assert detail.isprintable()
        assert (await rig.journal.do(offered)).proposals == ()


async def test_a_restored_venue_gets_the_same_answer_again(tmp_path: Path) -> None:
    """Nothing is fetched or done a second time."""
    venue = linked()
    venue.offered[5] = "settings", "Bad", b"[sound]\npercent = 101\n"
    async with cabinet(tmp_path, venue) as rig:
        await rig.until_true(lambda: bool(rig.results))
        (first,) = rig.results
        fetched = rig.wire.called.count("fetch")
        rig.results.clear()
        await rig.until_true(lambda: rig.results == [first], 60)
        assert rig.wire.called.count("fetch") == fetched
