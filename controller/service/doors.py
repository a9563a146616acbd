"""The doors that must be open for a page: the main door, or the memory's to replace books (requirements.md C8)."""

from controller.journal.errors import RefusedError
from controller.service.messages import WORDS
from controller.service.serviced_machine import ServicedMachine

MAIN, LOGIC = "main", "logic"
SHUT = {MAIN: WORDS["door"], LOGIC: WORDS["logic door"]}


def memory_door(machine: ServicedMachine) -> str:
    """Return the door in front of the computer's memory: the logic door if one is wired, else the main door."""
    return LOGIC if LOGIC in machine.settings.config.pins.doors else MAIN


def refuse_shut_door(machine: ServicedMachine, door: str = MAIN) -> None:
    """Raise `RefusedError` unless that door is open."""
    if not machine.conditions.doors.get(door):
        raise RefusedError(SHUT[door])
