"""Section T: all tests, in order of their numbers."""

from controller.features.diagnostics import (
    burn_in,
    checkout,
    coins,
    combination,
    gates,
    hopper,
    inputs,
    lights,
    meter_pulse,
    notes,
    ports,
    screen,
    sound,
    storage,
    watchdog,
)
from controller.service.page import Page

PAGES: tuple[Page, ...] = tuple(
    sorted(
        (
            *inputs.PAGES,
            *lights.PAGES,
            *meter_pulse.PAGES,
            *coins.PAGES,
            *notes.PAGES,
            *hopper.PAGES,
            *gates.PAGES,
            *sound.PAGES,
            *screen.PAGES,
            *ports.PAGES,
            *storage.PAGES,
            *watchdog.PAGES,
            *combination.PAGES,
            *checkout.PAGES,
            *burn_in.PAGES,
        ),
        key=lambda page: int(page.code.partition(".")[2]),
    )
)
