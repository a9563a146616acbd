"""The settings that the venue proposes, on page C.8; a technician accepts or refuses them like a preset."""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from controller.configuration.cabinet_toml import Config
from controller.features.venue.events import VenueEvent
from controller.features.venue.offer_journal import INSTALLED, REFUSED, Proposal, finish, offered
from controller.journal.errors import RefusedError
from controller.journal.transaction import Transaction
from controller.play.worlds import can_be_shown
from controller.service.page import Line, MenuTransaction, Page, Submission, Tone
from controller.service.serviced_machine import ServicedMachine
from controller.service.setting_lines import SAME, SAVED
from controller.settings.set_up import look_at_set_up
from controller.settings.settings import Value, change, value_at
from controller.settings.settings_table import all_settings

TAKE, REFUSE = "Set all that the venue proposes?", "Refuse what the venue proposes?"
REFUSED_NOW = "It is refused"


def proposal_lines(tx: Transaction, _machine: ServicedMachine, first: int) -> Iterator[Line]:
    """Yield a line for each pending proposal; their pages are numbered from `first`."""
    for number, proposal in enumerate(offered(tx).proposals, start=first):
        page = _page(f"C.8.{number}", proposal)
        yield Line("The venue proposes: {place}", place=proposal.name, tone="bad", leads=page)


def _page(code: str, proposal: Proposal) -> Page:
    """Return the page of a proposal: all its settings, and the lines to accept or refuse it."""
    values: dict[str, Value] = {key: msgspec.json.decode(text) for key, text in proposal.values.items()}

    def lines(_tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
        take = _takes(proposal, values, machine.settings.file_config)
        return (
            Line("{place}", place=proposal.name, tone="heading"),
            Line("Take these settings", leads=MenuTransaction(take, question=TAKE, confirmations=1)),
            Line("Refuse them", leads=MenuTransaction(_refuses(proposal), question=REFUSE, confirmations=1)),
            *(_line(key, value, machine) for key, value in values.items()),
        )

    return Page(code, "Settings of the venue", lines, technician=True, door=True)


def _line(key: str, value: Value, machine: ServicedMachine) -> Line:
    """Return a proposed setting, marked if it differs from the current value."""
    config = machine.settings.config
    tone: Tone = "plain" if value == value_at(config, key) else "good"
    setting = next(one for one in all_settings(config) if one.key == key)
    if isinstance(value, list) or setting.member is not None:
        return Line("{place}", msgspec.json.encode(value).decode(), place=key, tone=tone)
    cents = value if setting.kind == "cents" and isinstance(value, int) else None
    return Line(setting.label, setting.words(value), cents=cents, tone=tone, place=key)


def _takes(
    proposal: Proposal, values: dict[str, Value], file_config: Config
) -> Callable[[Transaction, Submission], str]:
    def do(tx: Transaction, submission: Submission) -> str:
        _refuse_unless_waiting(tx, proposal)
        games = values.get("games.enabled")
        if isinstance(games, list) and not all(can_be_shown(file_config, str(game)) for game in games):
            raise RefusedError("The pictures of this game are not on this machine")
        changed = change(tx, file_config, values, submission.who)
        look_at_set_up(tx, file_config)
        tx.event(VenueEvent.SETTINGS_TAKEN, offer=proposal.key.offer, template=proposal.name, who=submission.who)
        finish(tx, proposal.key, INSTALLED, f"{len(changed)} settings changed by the {submission.who}")
        return SAVED if changed else SAME

    return do


def _refuses(proposal: Proposal) -> Callable[[Transaction, Submission], str]:
    def do(tx: Transaction, submission: Submission) -> str:
        _refuse_unless_waiting(tx, proposal)
        finish(tx, proposal.key, REFUSED, f"by the {submission.who}")
        return REFUSED_NOW

    return do


def _refuse_unless_waiting(tx: Transaction, proposal: Proposal) -> None:
    """Raise `RefusedError` for a proposal that was withdrawn or decided since the page opened."""
    if proposal not in offered(tx).proposals:
        raise RefusedError("The venue no longer proposes it")
