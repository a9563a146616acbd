"""Pictures of a round, drawn by the display's own code in a separate process, one round at a time.

The configured command `display` gets a folder as its last argument, and on standard input the round's record as JSON
with the page's language and the venue's money format. It writes `NN.png` for each segment, and `round.json`, which says
what each picture shows and whether the replay reproduced every recorded hash. The page imports no code of the display.
After a failure the round is drawn again when somebody asks for it again. Pictures that nobody has viewed for a month
are removed; they can be drawn again.
"""

import contextlib
import hashlib
import json
import logging
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings
from django.utils import formats
from django.utils.translation import get_language

from common.error_words import error_words

_log = logging.getLogger(__name__)
_busy: set[Path] = set()
_lock = threading.Lock()
_one_at_a_time = threading.Semaphore()

TIME_LIMIT_S = 120
KEPT_S = 30 * 24 * 3600
"""Seconds after the last view until the pictures of a round are removed."""
_SYMBOLS = {"EUR": "\N{EURO SIGN}", "GBP": "\N{POUND SIGN}", "USD": "$"}
MADE = "made.json"
_NAME = re.compile(r"[0-9]{2,3}\.png")


class Pictures(NamedTuple):
    """The pictures of a round: `state` is `drawing`, `ready`, `failed` or `no_display`; `shots` in order."""

    state: str
    shots: tuple[Mapping[str, Any], ...] = ()
    matches: bool = False
    message: str = ""


def folder(cabinet: int, number: int) -> Path:
    """Return the folder of a round's pictures in the reader's language."""
    return Path(settings.CONFIG.spool) / f"{cabinet}-{number}-{_language()}"


def _language() -> str:
    return (get_language() or "en")[:2]


def _money() -> Mapping[str, object]:
    """Return the venue's money format for the display (`ui.protocol.values.Money`)."""
    currency = settings.CONFIG.currency
    return {
        "symbol": _SYMBOLS.get(currency, currency),
        "decimal": formats.get_format("DECIMAL_SEPARATOR"),
        "thousands": formats.get_format("THOUSAND_SEPARATOR"),
        "symbol_first": currency in {"GBP", "USD"},
    }


def picture(cabinet: int, number: int, name: str) -> Path | None:
    """Return the path of one picture; None if it does not exist."""
    path = folder(cabinet, number) / name
    return path if _NAME.fullmatch(name) and path.is_file() else None


def forget_failure(cabinet: int, number: int) -> None:
    """Forget that a round could not be drawn, so that the next view draws it again."""
    for place in Path(settings.CONFIG.spool).glob(f"{cabinet}-{number}-*"):
        known = _read(place)
        if known is not None and known.get("error"):
            (place / MADE).unlink(missing_ok=True)


def tidy(now: float) -> None:
    """Remove pictures that nobody has viewed for `KEPT_S`; `now` is the time in seconds since 1970."""
    for made in Path(settings.CONFIG.spool).glob(f"*-*-*/{MADE}"):
        with contextlib.suppress(OSError):
            if now - made.stat().st_mtime > KEPT_S:
                shutil.rmtree(made.parent)


def pictures(cabinet: int, number: int, record: object) -> Pictures:
    """Return the pictures of a round; start drawing them if they do not exist."""
    place = folder(cabinet, number)
    given = record if isinstance(record, Mapping) else {}  # a cabinet may send anything
    content = json.dumps({**given, "language": _language(), "money": _money()}, sort_keys=True)
    made = _made(place, hashlib.sha256(content.encode()).hexdigest())
    if made is not None:
        return made
    if not settings.CONFIG.display:
        return Pictures("no_display")
    with _lock:
        if place in _busy:
            return Pictures("drawing")
        _busy.add(place)
    threading.Thread(target=_draw, args=(place, content), name="redraw", daemon=True).start()
    return Pictures("drawing")


def _made(place: Path, digest: str) -> Pictures | None:
    known = _read(place)
    if known is None or known.get("record") != digest:
        return None
    with contextlib.suppress(OSError):
        (place / MADE).touch()
    if known.get("error"):
        return Pictures("failed", message=str(known["error"]))
    return Pictures("ready", tuple(known["shots"]), bool(known["matches"]), str(known.get("message", "")))


def _read(place: Path) -> dict[str, Any] | None:
    try:
        known: dict[str, Any] = json.loads((place / MADE).read_text())
    except (OSError, ValueError):
        return None
    return known


def _draw(place: Path, content: str) -> None:
    """Run the display's program; after a failure, write the error in place of the pictures."""
    result: dict[str, Any] = {"record": hashlib.sha256(content.encode()).hexdigest()}
    try:
        with _one_at_a_time:
            tidy(time.time())
            place.mkdir(parents=True, exist_ok=True)
            ended = subprocess.run(  # noqa: S603 - the command of the venue's own configuration
                [*settings.CONFIG.display, str(place)],
                input=content.encode(),
                capture_output=True,
                timeout=TIME_LIMIT_S,
                check=False,
            )
        if ended.returncode == 0:
            result |= json.loads((place / "round.json").read_text())
        else:
            result["error"] = ended.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["failed"]
            result["error"] = result["error"][0]
    except subprocess.TimeoutExpired:
        result["error"] = f"the display's program took longer than {TIME_LIMIT_S} s"
    except (OSError, ValueError) as error:
        _log.warning("a round could not be drawn: %s", error_words(error))
        result["error"] = "the display's program could not be run"
    try:
        temporary = place / f"{MADE}.new"
        temporary.write_text(json.dumps(result))
        temporary.replace(place / MADE)
    except OSError as error:
        _log.warning("the folder of rounds' pictures cannot be written: %s", error_words(error))
    with _lock:
        _busy.discard(place)
