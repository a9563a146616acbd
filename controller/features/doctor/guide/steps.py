"""The guide's overview, the pages of site, people and money, and the order of the steps."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from controller.features.doctor.guide.devices import device_lines
from controller.features.doctor.guide.end import end_lines
from controller.features.doctor.guide_journal import OVERVIEW as CODE
from controller.features.doctor.guide_journal import Step, next_step, step_done, steps_done
from controller.journal import people
from controller.journal.actor import Role
from controller.journal.errors import RefusedError
from controller.journal.transaction import Transaction
from controller.service.access import ADD, IN, adds, standing
from controller.service.configuration import locked_lines
from controller.service.messages import WORDS
from controller.service.page import Job, Line, MenuTransaction, Page, Submission, added_lines
from controller.service.serviced_machine import ServicedMachine
from controller.service.setting_lines import SAVED, lines_of
from controller.settings import settings_table as table
from controller.settings.set_up import look_at_set_up
from controller.settings.settings import change

GUIDE = "Set-up guide"
TITLES = {
    Step.SITE: "Set-up: language and name",
    Step.PEOPLE: "Set-up: people",
    Step.DEVICES: "Set-up: devices",
    Step.MONEY: "Set-up: money",
    Step.PANEL: "Set-up: buttons and lamps",
    Step.END: "Set-up: end",
}
DONE, NEXT = "done", "next"
GO_ON = "Go on"
NO_PIN = "No technician has a PIN: the key alone opens this menu"
WELCOME = "Each step can be changed later in the menu"
USUAL, USUAL_QUESTION = "The usual coins and notes", "Take every coin, and notes up to the usual value?"
NO_NOTE = "The credit limit is too low for every note: raise it first"
USUAL_SHARE: Final = 20
"""The usual notes are worth at most one part in this many of the credit limit, as in the sample configuration."""
_MAIN: Final = "main"


def page_of(step: Step) -> Page:
    """Return the page of a step."""
    return Page(_code(step), TITLES[step], _LINES[step], technician=True, door=step is not Step.END)


def _code(step: Step) -> str:
    return f"{CODE}.{[*Step].index(step) + 1}"


def _overview(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    """Return a row for each step, with the cursor on the next one."""
    done, following = steps_done(tx), next_step(tx)
    is_open = machine.conditions.doors.get(_MAIN)
    head = [Line(WELCOME if is_open else WORDS["door"], tone="heading")]
    ahead = [] if following is None else [Line(TITLES[following], NEXT, leads=page_of(following))]
    rest = [
        Line(TITLES[step], DONE if step in done else "", tone="good" if step in done else "plain", leads=page_of(step))
        for step in Step
        if step is not following
    ]
    return [*head, *ahead, *rest]


def goes_on(step: Step) -> Line:
    """Return the row that ends a step and opens the next one."""

    async def run(machine: ServicedMachine, submission: Submission) -> Page:
        await machine.journal.attempt(lambda tx: step_done(tx, step, submission.who))
        steps = [*Step]
        return page_of(steps[steps.index(step) + 1])

    return Line(GO_ON, tone="good", leads=Job(run))


def _site(_tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    settings = {setting.key: setting for setting in table.site(machine.settings.config)}
    keys = ("cabinet.language", "cabinet.name", "cabinet.number", "cabinet.location")
    return [*lines_of((settings[key] for key in keys), machine), goes_on(Step.SITE)]


def _people(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    rules = [setting for setting in table.access(machine.settings.config) if setting.key.endswith("_key_alone")]
    bare = not people.may_turn(tx, Role.TECHNICIAN)
    known = [
        Line("{place}", one.role if standing(one) == IN else standing(one), place=one.name) for one in people.people(tx)
    ]
    return [
        *((Line(NO_PIN, tone="bad"),) if bare else ()),
        *known,
        *(Line(ADD[role], leads=adds(role)) for role in (Role.ATTENDANT, Role.TECHNICIAN)),
        *lines_of(rules, machine),
        goes_on(Step.PEOPLE),
    ]


def _devices(_tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    return [*device_lines(machine), goes_on(Step.DEVICES)]


def _money(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    config = machine.settings.config
    currency = [setting for setting in table.site(config) if setting.key == "cabinet.money.currency"]
    usual = Line(USUAL, leads=MenuTransaction(_usual(machine), question=USUAL_QUESTION, confirmations=1))
    limits = ("limits.credit_cents", "limits.large_win_cents", "limits.notes_cents", "coin_acceptor.coins_cents")
    members = [setting for setting in table.money(config) if setting.key in limits]
    presets = Line("Presets and factory defaults", leads="C.8")
    return [
        *locked_lines(tx),
        *lines_of(currency, machine),
        usual,
        *lines_of(members, machine),
        presets,
        goes_on(Step.MONEY),
    ]


def _usual(machine: ServicedMachine) -> Callable[[Transaction, Submission], str]:
    def do(tx: Transaction, submission: Submission) -> str:
        config = machine.settings.fitted
        most = config.limits.credit_cents // USUAL_SHARE
        notes = [cents for cents in config.cabinet.money.tender.notes_cents if cents <= most]
        if not notes and config.bill_validator is not None:
            raise RefusedError(NO_NOTE)
        coins = {"coin_acceptor.coins_cents": list[int]()} if config.coin_acceptor is not None else {}
        change(tx, machine.settings.file_config, {"limits.notes_cents": notes, **coins}, submission.who)
        look_at_set_up(tx, machine.settings.file_config)
        return SAVED

    return do


def _panel(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    """Return the features' tests; one that is in no section of the menu is marked once the step is done."""
    state = DONE if Step.PANEL in steps_done(tx) else ""
    tests = added_lines(_code(Step.PANEL), tx, machine)
    marked = (replace(line, value=state) if isinstance(line.leads, Page) else line for line in tests)
    return [*marked, goes_on(Step.PANEL)]


def _end(_tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    return end_lines(machine)


_Read = Callable[[Transaction, ServicedMachine], Sequence[Line]]
_LINES: Final[dict[Step, _Read]] = {
    Step.SITE: _site,
    Step.PEOPLE: _people,
    Step.DEVICES: _devices,
    Step.MONEY: _money,
    Step.PANEL: _panel,
    Step.END: _end,
}

PAGES = (Page(CODE, GUIDE, _overview, technician=True),)
