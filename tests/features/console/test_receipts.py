"""An answer to a console that precedes its commit cannot be written: mypy refuses it."""

from pathlib import Path

import pytest

from tests.rigs.typed import early, refused

CODE = """
import socket

from controller.features.console.link import ConsoleLink, Report
from controller.features.console.words import Denied, Sheet
from controller.fitting import Menu

async def answer(link: ConsoleLink, sock: socket.socket, menu: Menu, sheet: Sheet) -> None:
    await link._send(sock, sheet)  # early
    await link._send(sock, Report(sheet, None))  # early
    await link._send(sock, Report(sheet, await menu.recorded()))
    await link._send(sock, Denied("busy"))
"""


@pytest.mark.processes
def test_a_page_takes_its_proof(tmp_path: Path) -> None:
    """A page is sent with a receipt or the lock of the books; a refusal, which reports nothing, needs neither."""
    assert refused(CODE, tmp_path) == early(CODE)
