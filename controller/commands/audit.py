"""`cabinet audit`: proves a journal and says what stands in it."""

import sys
from pathlib import Path

import click
import msgspec
from rich.progress import Progress as Bar
from rich.progress import TaskID

from controller.books.audit import Proof
from controller.books.audit import audit as prove
from controller.journal.errors import JournalError


@click.command()
@click.argument("journal", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--format", "output", type=click.Choice(["text", "json"]), default="text", show_default=True)
def audit(journal: Path, output: str) -> None:
    """Prove JOURNAL: its chain, its meters against the ledger, the self-audit equation, every round by replay.

    Exits with 0 for books that are proved and with 1 for books that are not.
    """
    try:
        if sys.stderr.isatty():
            with Bar() as bar:
                tasks: dict[str, TaskID] = {}

                def advance(what: str, done: int, total: int) -> None:
                    task = tasks.setdefault(what, bar.add_task(what, total=total))
                    bar.update(task, completed=done)

                proof = prove(journal, advance)
        else:
            proof = prove(journal, lambda _what, _done, _total: None)
    except JournalError as error:
        raise click.ClickException(str(error)) from error
    click.echo(msgspec.json.encode(proof).decode() if output == "json" else _in_words(journal, proof))
    sys.exit(1 if proof.failures else 0)


def _in_words(journal: Path, proof: Proof) -> str:
    lines = [
        f"{journal}{' (simulated)' if proof.simulated else ''}",
        f"  ledger rows   {proof.ledger_rows:>12}",
        f"  rounds        {proof.rounds:>12}   replayed {proof.replayed}",
        f"  credit        {proof.credit_cents:>12} cents",
    ]
    lines += [f"  {name:<24} {value:>12}" for name, value in sorted(proof.meters.items())]
    lines += [f"  open item: {text}" for text in proof.open_items]
    lines += [f"  NOT PROVED: {failure}" for failure in proof.failures]
    lines.append("  the books are proved" if not proof.failures else f"  {len(proof.failures)} proofs failed")
    return "\n".join(lines)
