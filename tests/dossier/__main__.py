"""Write the dossier: `python -m tests.dossier`, `make dossier`."""

import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import click

from gamekit.catalogue import names
from tests.dossier.book import DIGESTS, found_browser, write_book
from tests.dossier.chapter import Run
from tests.dossier.results import outcomes
from tests.rigs.paths import ROOT

RESULTS = "results.xml"


@click.command()
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=ROOT / "build" / "dossier",
    help="The folder, which is emptied first; build/dossier if not set.",
)
@click.option(
    "--junit",
    "given",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Results of `pytest --junitxml`, of proofs as well; several may be given. They are copied into the folder.",
)
@click.option("--quick", is_flag=True, help="Run no tests: --junit has all results.")
@click.option("--workers", type=click.IntRange(min=0), default=2, show_default=True, help="Processes for the tests.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of the control and of the rounds.")
@click.option("--spins", type=click.IntRange(min=5_000), default=100_000, show_default=True, help="Of each game.")
@click.option(
    "--samples",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Run the batteries on the bytes of an earlier run, which are in its folder `samples`.",
)
@click.option("--rounds", type=click.IntRange(min=1_000), default=100_000, show_default=True, help="Of each game.")
def dossier(
    *,
    out: Path,
    given: tuple[Path, ...],
    quick: bool,
    workers: int,
    seed: int,
    spins: int,
    samples: Path | None,
    rounds: int,
) -> None:
    """Write one folder for a testing laboratory; the exit code is 1 if a test failed."""
    if quick and not given:
        raise click.UsageError("--quick needs the results of an earlier run: --junit FILE")
    if out.exists() and any(out.iterdir()) and not (out / DIGESTS).is_file():
        raise click.UsageError(f"{out} is not empty and no dossier: name another folder")
    if samples is not None and samples.resolve().is_relative_to(out.resolve()):
        raise click.UsageError(f"{out} is emptied first: copy {samples} elsewhere")
    kept = [(f"given-{number}-{path.name}", path.read_bytes()) for number, path in enumerate(given, start=1)]
    if out.exists():
        shutil.rmtree(out)
    out.mkdir(parents=True)
    (out / DIGESTS).touch()  # so that a run that was broken off can be begun again
    files = []
    for name, data in kept:
        files.append(out / name)
        files[-1].write_bytes(data)
    failed = False
    if not quick:
        files.append(out / RESULTS)
        failed = run_tests(files[-1], workers)
    write_documents(out / "documents")
    run = Run(
        out=out,
        made=datetime.now(UTC),
        outcomes=[outcome for file in files for outcome in outcomes(file)],
        games=names(),
        seed=seed,
        spins=spins,
        rounds=rounds,
        samples=samples,
    )
    click.echo(f"wrote {write_book(run, found_browser(), lambda title: click.echo(f'{title} ...', err=True))}")
    sys.exit(failed)


def run_tests(results: Path, workers: int) -> bool:
    """Run the tests that are marked with requirements, but no proofs; return whether one failed."""
    command = [sys.executable, "-m", "pytest", "-m", "requirement and not proof", "-n", str(workers)]
    limits = ["--dist", "worksteal", "--processor-limit", "300", "--timeout", "3600"]
    ended = subprocess.run([*command, *limits, "--junitxml", str(results), "tests"], cwd=ROOT, check=False).returncode
    if ended not in (0, 1):
        raise click.ClickException(f"pytest ended with {ended}: there are no results of the tests")
    return ended == 1


def write_documents(out: Path) -> None:
    """Build the documents as `make docs` does."""
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(out)]
    subprocess.run(command, cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, check=True)


if __name__ == "__main__":
    dossier()
