"""A.6: the volumes, set by the attendant; a player can still choose in the game's settings."""

from collections.abc import Sequence

import msgspec

from controller.journal.event_catalogue import Event
from controller.journal.transaction import Transaction
from controller.service.page import Entry, Line, MenuTransaction, Page, Submission
from controller.service.serviced_machine import ServicedMachine
from controller.session.session import change_session, load_session
from controller.session.volume_panel import LOUDEST_PERCENT, STEP_PERCENT

SET = "It is set"
MUTED, HEARD = "silent", "heard"
GROUPS = {"overall": "All sounds", "wins": "Wins", "game": "Game", "background": "Background music"}
"""The volume groups and their labels."""

_PERCENT = tuple(f"{percent} %" for percent in range(LOUDEST_PERCENT, -1, -STEP_PERCENT))


def _volumes(tx: Transaction, _machine: ServicedMachine) -> Sequence[Line]:
    session = load_session(tx)
    percents = {name: f"{getattr(session.volumes, name)} %" for name in GROUPS}
    lines = [Line(label, percents[name], leads=_sets(name, label, percents[name])) for name, label in GROUPS.items()]
    switch = MenuTransaction(lambda tx, submission: _mute(tx, submission, muted=not session.muted))
    return (*lines, Line("Sound", MUTED if session.muted else HEARD, leads=switch))


def _sets(name: str, label: str, now: str) -> MenuTransaction:
    def do(tx: Transaction, submission: Submission) -> str:
        percent = int(submission.typed["percent"].removesuffix(" %"))
        volumes = load_session(tx).volumes
        before = getattr(volumes, name)
        change_session(tx, volumes=msgspec.structs.replace(volumes, **{name: percent}))
        tx.event(Event.VOLUME, name=name, before=before, percent=percent, who=submission.who)
        return SET

    return MenuTransaction(do, (Entry("percent", label, "choice", _PERCENT, now),))


def _mute(tx: Transaction, submission: Submission, *, muted: bool) -> str:
    change_session(tx, muted=muted)
    tx.event(Event.SILENCED if muted else Event.HEARD, who=submission.who)
    return SET


PAGES = (Page("A.6", "Volume", _volumes),)
