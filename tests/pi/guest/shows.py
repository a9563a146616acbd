"""Within the emulated machine, in the supervisor's place: shows the display one state.

`python3 shows.py SOCKET HELLO SNAPSHOT`: each display that connects to SOCKET is sent the packets in these two files,
and what it says is printed, a packet a line. It ends by SIGTERM.
"""

import socket
import sys
import threading
from pathlib import Path

MAX_PACKET = 64 * 1024


def hear(display: socket.socket) -> None:
    """Print what a display says until it has gone."""
    with display:
        while packet := display.recv(MAX_PACKET):
            sys.stdout.write(f"{packet.decode()}\n")
            sys.stdout.flush()


def main(path: Path, packets: list[bytes]) -> None:
    """Serve one display after another."""
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(str(path))
    path.chmod(0o660)
    listener.listen(4)
    while True:
        display, _ = listener.accept()
        for packet in packets:
            display.send(packet)
        threading.Thread(target=hear, args=(display,), daemon=True).start()


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(name).read_bytes() for name in sys.argv[2:]])
