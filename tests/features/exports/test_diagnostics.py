"""U.11: the diagnostics bundle, without a PIN in it."""

import json
import zipfile
from pathlib import Path

from msgspec.structs import replace

from controller.features.exports.diagnostics import BUNDLE, configuration
from controller.media.signed_folder import verify_folder
from tests.rigs import virtual_cabinet
from tests.rigs.people import PIN
from tests.rigs.service_menu import technician


async def test_the_bundle_shows_all_but_pins(tmp_path: Path) -> None:
    """U.11: configuration, books in short, events, logs and versions in one signed zip; no PIN, no digest of one."""
    async with technician(tmp_path) as (rig, hand):
        (tmp_path / "sticks" / "BLUE").mkdir(parents=True)
        Path(rig.machine.settings.config.cabinet.run_dir, "supervisor.log").write_text("it went well\n")  # noqa: ASYNC240
        await hand.go("U.11")
        await hand.enter("Diagnostics onto the stick")
        assert await hand.result() == "It is written and proved; the stick may be pulled out"
        (made,) = (tmp_path / "sticks" / "BLUE").iterdir()
        assert verify_folder(made).kind == "diagnostics"
        with zipfile.ZipFile(made / BUNDLE) as bundle:
            names = set(bundle.namelist())
            books, events = (json.loads(bundle.read(name)) for name in ("books.json", "events.json"))
            assert bundle.read("logs/supervisor.log") == b"it went well\n"
            everything = b"".join(bundle.read(name) for name in names)
        assert {"configuration.json", "versions.json"} <= names
        assert "power_ups" in {row["name"] for row in books["meters"]}
        assert events[0]["code"]
        (own,) = rig.machine.pins.read()
        for secret in (PIN.encode(), own.salt.encode(), own.digest.encode()):
            assert secret.lower() not in everything.lower()


def test_the_hoppers_pin_stays_here(tmp_path: Path) -> None:
    """It opens the hopper to whoever knows it."""
    config = virtual_cabinet.configuration(tmp_path)
    assert config.hopper is not None
    with_pin = replace(config, hopper=replace(config.hopper, security="pin", pin="87654321"))
    assert "87654321" not in json.dumps(configuration(with_pin))
    assert configuration(config)["hopper"]["pin"] == ""
