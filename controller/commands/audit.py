"""`cabinet audit`: verifies a journal and its archives, and prints a summary."""

import sys
import time
from contextlib import ExitStack
from pathlib import Path

import click
import msgspec
from rich.progress import Progress as Bar
from rich.progress import TaskID

from controller.books.audit import Progress, prove_archives
from controller.books.audit import audit as prove
from controller.books.proof import Proof
from controller.journal.errors import JournalError

GENTLY = 3
"""A gentle audit rests this many times as long as it works."""


@click.command()
@click.argument("journal", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--format", "output", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option(
    "--archives",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder with archives that were moved; may be said more than once.",
)
@click.option("--all", "whole", is_flag=True, help="Prove every archive by replay too, which takes its time.")
@click.option("--alone", is_flag=True, help="Prove this file alone, not what it follows.")
@click.option("--gently", is_flag=True, help="Leave most of the computer's time to others.")
def audit(journal: Path, output: str, archives: tuple[Path, ...], *, whole: bool, alone: bool, gently: bool) -> None:
    """Verify JOURNAL: its chain, its meters against the ledger, the self-audit equation, every round by replay.

    If its past was archived, the archives must be there, unchanged, each ending where the next one begins. Exits with 0
    if the journal is verified, else with 1.
    """
    try:
        with ExitStack() as stack:
            advance = _Resting() if gently else _progress(stack)
            proof = prove(journal, advance)
            if not alone:
                prove_archives(journal, proof, archives, whole=advance if whole else None)
    except JournalError as error:
        raise click.ClickException(str(error)) from error
    click.echo(msgspec.json.encode(proof).decode() if output == "json" else _in_words(journal, proof))
    sys.exit(1 if proof.failures else 0)


def _progress(stack: ExitStack) -> Progress:
    """Return the progress callback for a terminal."""
    if not sys.stderr.isatty():
        return lambda _what, _done, _total: None
    bar = stack.enter_context(Bar())
    tasks: dict[str, TaskID] = {}

    def advance(what: str, done: int, total: int) -> None:
        task = tasks.setdefault(what, bar.add_task(what, total=total))
        bar.update(task, completed=done)

    return advance


class _Resting:
    """Rests after each piece of work, `GENTLY` times as long as that took."""

    def __init__(self) -> None:
        self._since = time.monotonic()

    def __call__(self, _what: str, _done: int, _total: int) -> None:
        time.sleep(GENTLY * (time.monotonic() - self._since))
        self._since = time.monotonic()


def _in_words(journal: Path, proof: Proof) -> str:
    lines = [
        f"{journal}{' (simulated)' if proof.simulated else ''}",
        f"  ledger rows   {proof.ledger_rows:>12}",
        f"  rounds        {proof.rounds:>12}   replayed {proof.replayed}",
        f"  credit        {proof.credit_cents:>12} cents",
    ]
    lines += [f"  {name:<24} {value:>12}" for name, value in sorted(proof.meters.items())]
    lines += [f"  open item: {text}" for text in proof.open_items]
    lines += [f"  archive {words}" for words in proof.behind]
    lines += [f"  NOT PROVED: {failure}" for failure in proof.failures]
    lines.append("  the books are proved" if not proof.failures else f"  {len(proof.failures)} proofs failed")
    return "\n".join(lines)
