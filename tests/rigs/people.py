"""The technician of the tests' cabinets, and how a name and a PIN are typed at the gate of the service menu."""

from pathlib import Path

from controller.journal.actor import Actor, Role
from controller.journal.people import Person, add_person
from controller.journal.store import Store
from controller.keys.pins import Cost, Credential, PinFile
from ui.protocol.messages import PAD, PAD_BUTTONS, ServicePage

NAME = "ADA"
PIN = "258014"
CHEAP = Cost(log_n=4)
"""A digest that takes no time: what it costs has tests of its own."""
ADA = Actor(Role.TECHNICIAN, 1, NAME)


def typed_at(page: ServicePage, digits: str = PIN, name: str = NAME) -> tuple[str, ...]:
    """Return the touches that type what a page asks for: a name, or a PIN; the language of a new cabinet is English."""
    if not page.entry:
        return ("service:row:0",)
    if page.entry_kind == "text":
        return (*(f"service:letter:{page.options.index(letter)}" for letter in name), "service:done")
    return (*(f"service:digit:{digit}" for digit in digits), "service:done")


def pad_presses(what: str) -> tuple[str, str]:
    """Return the two buttons that type a digit, end an entry (`done`) or rub out (`back`)."""
    group = next(place for place, chosen in enumerate(PAD) if what in chosen)
    return PAD_BUTTONS[group], PAD_BUTTONS[PAD[group].index(what)]


def set_up_person(store: Store, name: str = NAME, role: Role = Role.TECHNICIAN, pin: str = PIN) -> Person:
    """Add somebody with a PIN to the books of `store` and to the file beside them, as the menu does."""
    credential = Credential.of(pin, name, role, CHEAP)
    PinFile(Path(store.path), CHEAP).add(credential)
    return store.transact(lambda tx: add_person(tx, name, role, credential.seal, change_pin=False))
