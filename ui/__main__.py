"""`python -m ui`: the display process (docs/display.md). Exit codes: 0 ended, 1 cannot draw, 3 wrong protocol."""

import argparse
import os
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

from common.error_words import error_words
from ui.layout import SHAPES

WRONG_PROTOCOL = 3


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m ui", description="The cabinet's display process.")
    parser.add_argument("--socket", type=Path, required=True, help="the supervisor's display socket")
    parser.add_argument("--touch", type=Path, help="where to listen for touches in canvas units")
    parser.add_argument("--frame-mirror", type=Path, help="copy each frame to this file instead of a monitor")
    parser.add_argument("--baked", type=Path, default=Path("build/baked"), help="the baked art (cabinet bake)")
    parser.add_argument("--shape", choices=SHAPES, default="wide", help="the monitor's shape (docs/display.md)")
    parser.add_argument("--scale", type=float, default=1.0, help="1, or in a wide shape 1.5 for 1920x1080")
    compose = ("auto", "gpu", "software")
    parser.add_argument("--compose", choices=compose, default="auto", help="what composes a monitor's frames")
    parser.add_argument("--language", default="en", help="the language of the very first picture")
    parser.add_argument(
        "--language-file",
        type=Path,
        default=_folder("STATE_DIRECTORY", "language"),
        help="keeps the newest view's language for the next start",
    )
    return parser.parse_args()


def _report_ready() -> None:
    """Report that the display can draw to the process that started it and listens on NOTIFY_SOCKET (sd_notify(3))."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out, suppress(OSError):
        out.sendto(b"READY=1", socket.MSG_DONTWAIT, "\0" + address[1:] if address.startswith("@") else address)


def _folder(variable: str, name: str) -> Path | None:
    """Return a file in a folder named by the service manager, or None if it has named none."""
    return Path(os.environ[variable], name) if variable in os.environ else None


def main() -> int:
    """Run the display until SIGTERM or SIGINT."""
    arguments = _arguments()
    if arguments.frame_mirror is not None:
        os.environ["SDL_VIDEODRIVER"] = "dummy"

    # SDL reads its environment when it is loaded, so nothing that imports it may be imported above.
    from ui.atlas import ArtError  # noqa: PLC0415  see above
    from ui.display import Display  # noqa: PLC0415  see above
    from ui.frame_mirror import FrameMirrorBusyError  # noqa: PLC0415  see above
    from ui.kept_language import KeptLanguage  # noqa: PLC0415  see above
    from ui.link import ProtocolMismatchError  # noqa: PLC0415  see above
    from ui.start import put_together  # noqa: PLC0415  see above

    try:
        display: Display = put_together(
            socket=arguments.socket,
            touch=arguments.touch,
            frame_mirror=arguments.frame_mirror,
            baked=arguments.baked,
            shape=arguments.shape,
            scale=arguments.scale,
            compose=arguments.compose,
            # folders from the service manager: the first survives a restart of the display, the second also a reboot
            starts=_folder("XDG_RUNTIME_DIR", "gpu-starts"),
            kept=KeptLanguage(arguments.language_file, arguments.language),
        )
    except (ArtError, FrameMirrorBusyError, OSError) as error:
        sys.stderr.write(f"display: {error_words(error)}\n")
        return 1
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: display.end())
    _report_ready()
    try:
        display.run()
    except ProtocolMismatchError as error:
        sys.stderr.write(f"display: {error}\n")
        return WRONG_PROTOCOL
    except ArtError as error:
        sys.stderr.write(f"display: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
