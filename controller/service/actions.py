"""Carries out the action of the service menu's dialog once its entries and confirmations are complete."""

from collections.abc import Callable

from controller.journal.actor import Actor
from controller.journal.errors import RefusedError
from controller.service.dialog import Answer, Dialog
from controller.service.messages import WORDS, Message
from controller.service.navigation import Navigation
from controller.service.page import DeviceAction, Job, MenuTransaction, Submission
from controller.service.serviced_machine import ServicedMachine


class Actions:
    """The actions of one menu; `start` starts a device's action, `touched` restarts the idle timeout after a job."""

    def __init__(
        self,
        machine: ServicedMachine,
        dialog: Dialog,
        navigation: Navigation,
        message: Message,
        *,
        start: Callable[[DeviceAction, Submission], None],
        touched: Callable[[], None],
    ) -> None:
        self._machine = machine
        self._dialog = dialog
        self._start = start
        self._navigation = navigation
        self._message = message
        self._touched = touched

    async def answer(self, key: str, actor: Actor | None) -> None:
        """Take a key of the open question; carry out the action at its last YES."""
        action = self._dialog.action
        match self._dialog.answer(key):
            case Answer.NO:
                self._dialog.forget()
                self._message.text = WORDS["nothing"]
            case Answer.AGAIN:
                self._message.text = WORDS["again"]
            case Answer.YES if action is not None:
                await self._carry_out(action, actor)

    async def go_on(self, actor: Actor | None) -> None:
        """Open the next entry or question of the action, or carry it out."""
        action = self._dialog.go_on()
        if action is not None:
            await self._carry_out(action, actor)

    async def _carry_out(self, action: MenuTransaction | Job | DeviceAction, actor: Actor | None) -> None:
        typed, self._message.text = dict(self._dialog.typed), ""
        self._dialog.forget()
        if actor is None:
            return
        submission = Submission(actor, typed)
        if isinstance(action, DeviceAction):
            self._start(action, submission)
            return
        try:
            if isinstance(action, Job):
                self._message.text = await self._run(action, submission)
            else:
                self._message.text = await self._machine.journal.attempt(lambda tx: action.do(tx, submission))
        except RefusedError as error:
            self._message.refuse(error)
        await self._machine.journal.reload()

    async def _run(self, job: Job, submission: Submission) -> str:
        """Show that the job is running, wait for it, and return its message; open the page that it returned, if any."""
        self._message.text = WORDS["works"]
        self._machine.states.refresh()
        made = await job.run(self._machine, submission)
        self._touched()
        if isinstance(made, str):
            return made
        self._navigation.open(made)
        return ""
