"""The listening socket of the simulated devices."""

import asyncio
import os
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from drivers.simulated.packets import PacketServer


def connect_once_there(path: Path) -> None:
    """Connect as soon as the file is there, as who waits for a process to serve does; raise as `connect` does."""
    while not path.exists():
        os.sched_yield()
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
        client.connect(str(path))


def deaf_server(path: Path) -> PacketServer:
    """One that does nothing with what comes."""
    return PacketServer(path, on_peer=lambda _: None, on_packet=lambda _peer, _packet: None, on_gone=lambda _: None)


async def test_the_file_is_there_once_it_listens(tmp_path: Path) -> None:
    """Whoever waits for the socket's file is never refused."""
    with ThreadPoolExecutor() as others:
        for turn in range(300):
            path = tmp_path / f"{turn}.sock"
            waiting = asyncio.get_running_loop().run_in_executor(others, connect_once_there, path)
            server = deaf_server(path)
            server.open()
            await waiting
            server.close()


async def test_the_file_of_a_killed_process_is_taken_over(tmp_path: Path) -> None:
    """What it left behind, by either name, is in nobody's way."""
    path = tmp_path / "left.sock"
    path.touch()
    path.with_suffix(".new").touch()
    server = deaf_server(path)
    server.open()
    connect_once_there(path)
    server.close()
    assert not path.exists()
