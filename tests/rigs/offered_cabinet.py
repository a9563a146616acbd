"""A machine's rig that takes what a venue offers: bundles for its updater, and templates of settings."""

from controller.features.care.presets import PRESETS
from controller.features.update.orders import Folders
from controller.features.venue.calls import Venue
from controller.features.venue.keeper import VenueKeeper
from controller.machine.view import MachineParts
from drivers.clock import LoopClock
from tests.features.update.rig import trial_of
from tests.rigs.machine import Rig
from tests.rigs.service_menu import Hand
from tests.rigs.updates import BOOT, nothing


class OfferedCabinet(Rig):
    """A rig in a venue whose machine takes updates; `join_by` links it, `begin` starts it."""

    def join_by(self, venue: Venue, at: Folders) -> None:
        """Link it by this connection from its next start on; its updater's folders are `at`."""
        self.at = at

        def keeper(parts: MachineParts) -> VenueKeeper:
            trial_of(self).fit(at, BOOT)
            self.keeper = VenueKeeper(
                parts,
                venue,
                LoopClock(),
                site=self.config.cabinet,
                identity=lambda: "ab" * 32,
                jitter=lambda: 0.5,
                program=self.service.machine.program,
            )
            return self.keeper

        self.keeper_of = keeper

    async def begin(self, *, until: str = "attract") -> None:
        """Start until the machine is in that state, with the tasks of updates and offers."""
        await self.start(until=until)
        self.serve()

    def serve(self) -> None:
        """Run the tasks of updates and offers."""
        self.run(trial_of(self).run(nothing))
        self.run(self.keeper.offers.run())

    async def again(self) -> None:
        """Cut the power and start again."""
        await self.kill()
        await self.begin()

    async def answer_template(self, entry: str) -> None:
        """Open the main door, turn the technician's key, and choose `entry` for the template that C.8 offers."""
        hand = Hand(self)
        await self.door(is_open=True)
        await hand.technician()
        await hand.go("C.8")
        await hand.enter(f"C.8.{len(PRESETS) + 1}")
        await hand.enter(entry)
        await self.press("lines")
        await self.press("spin")
