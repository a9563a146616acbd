"""What the supervisor's process loads before the cabinet is up: the drivers that are configured, and no menu page."""

import subprocess
import sys

NEVER = (
    "controller.service.settings_log",
    "drivers.cards.pcsc",
    "drivers.ebds.",
    "drivers.escpos",
    "drivers.id003.",
    "drivers.mdb.",
    "drivers.probe",
    "drivers.pulse",
    "drivers.sas.link",
    "drivers.ssp.session",
)
"""What only some cabinets need, or none before it is up."""
DECLARED = ".validator"
"""The module of a protocol of bill validators that says what the protocol is."""
PARTS = {
    "doctor": {"feature"},
    "sas": {"feature", "schema"},
    "venue": {"feature", "schema", "tickets_schema"},
}
"""All that a start loads of the features that few cabinets have: their tables, and what the books count of them."""


def loaded(imported: str) -> list[str]:
    """Return the modules that a Python of its own has loaded after an import."""
    words = [sys.executable, "-c", f"import sys, {imported}; print(*sys.modules)"]
    return subprocess.check_output(words, text=True).split()


def test_a_start_loads_no_driver_that_is_not_configured_and_no_menu() -> None:
    """Importing the supervisor brings nothing that a configuration has to ask for."""
    names = loaded("controller.supervisor")
    assert "controller.machine.machine" in names
    assert [name for name in names if name.startswith(NEVER) and not name.endswith(DECLARED)] == []
    place = "controller.features."
    for feature, parts in PARTS.items():
        inside = f"{place}{feature}."
        assert {name.removeprefix(inside) for name in names if name.startswith(inside)} == parts


def test_cabinet_run_loads_nothing_that_the_supervisor_loads_again() -> None:
    """It becomes the supervisor, which reads and checks the configuration itself."""
    names = loaded("controller.commands.run")
    assert [name for name in names if name.startswith(("asyncio", "controller.configuration", "msgspec"))] == []
