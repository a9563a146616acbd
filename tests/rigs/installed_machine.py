"""A machine whose program is an installed tree."""

from collections.abc import Callable, ItemsView, Mapping
from pathlib import Path

from controller.features.update.installed import Authority, Verdict
from controller.features.update.manifest import Progress
from tests.features.update.rig import software_of
from tests.rigs.installed_tree import GAME, InstalledTree
from tests.rigs.machine import Rig

TAMPERED, KEY, PROVING = "software_tampered", "software_key", "software_proving"


class Proofs:
    """The proof of a tree, counted; `before` is called in the proof's own thread before each.

    `written` is called in the journal's thread while what was found is being written down.
    """

    def __init__(self, tree: InstalledTree) -> None:
        self.tree = tree
        self.fresh: list[bool] = []
        self.before: Callable[[Progress], None] = lambda _progress: None
        self.written: Callable[[], None] = lambda: None

    def __call__(self, *, fresh: bool, progress: Progress) -> Verdict:
        """Prove the tree."""
        self.fresh.append(fresh)
        self.before(progress)
        verdict = self.tree.installation.prove(fresh=fresh, progress=progress)
        return verdict._replace(authorities=Authorities(verdict.authorities, self.written))


class Authorities(dict[str, Authority]):
    """Who vouches; calls `on_read` whenever they are gone through."""

    def __init__(self, authorities: Mapping[str, Authority], on_read: Callable[[], None]) -> None:
        super().__init__(authorities)
        self._on_read = on_read

    def items(self) -> ItemsView[str, Authority]:
        """Return each, by its kind."""
        self._on_read()
        return super().items()


class Installed(Rig):
    """A machine whose program is an installed tree."""

    def __init__(self, folder: Path) -> None:
        root = folder / "root"
        root.mkdir()
        self.tree = InstalledTree(root)
        self.proofs = Proofs(self.tree)
        super().__init__(folder, proof=self.proofs)

    async def proved(self) -> None:
        """Let time pass until no proof is under way."""
        await self.until_true(lambda: not software_of(self).proving)

    async def shut(self, name: str = "main") -> None:
        """Open a door and shut it, and let what follows be over."""
        await self.door(name=name, is_open=True)
        await self.door(name=name, is_open=False)
        await self.proved()

    def spoil(self) -> bytes:
        """Change a bit of a game; return what it was."""
        place = self.tree.place(GAME)
        good = place.read_bytes()
        place.write_bytes(bytes([good[0] ^ 1]) + good[1:])
        return good

    def mend(self, good: bytes) -> None:
        """Put a game back."""
        self.tree.place(GAME).write_bytes(good)
