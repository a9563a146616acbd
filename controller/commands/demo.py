"""`cabinet demo`: the whole cabinet with simulated hardware, in one command."""

from pathlib import Path

import click

from controller.demo.performance import Options, run_demo


@click.command()
@click.option("--headless", is_flag=True, help="Play the script off-screen even where there is a screen.")
@click.option(
    "--run", type=click.Path(path_type=Path, file_okay=False), help="Keep the journal and go on with it here."
)
@click.option(
    "--seed", type=int, help="Seed of the draws; without it the script chooses one, a hand plays real chance."
)
@click.option("--fast", is_flag=True, help="Let the script hurry every show.")
@click.option("--shape", type=click.Choice(["wide", "tall", "portrait"]), default="wide", help="The monitor's shape.")
@click.option("--baked", type=click.Path(path_type=Path, file_okay=False), default="build/baked", show_default=True)
@click.option("--pictures", type=click.Path(path_type=Path, file_okay=False), default="demo", show_default=True)
def demo(
    *, headless: bool, run: Path | None, seed: int | None, fast: bool, shape: str, baked: Path, pictures: Path
) -> None:
    """Run the whole cabinet: in a window if there is a screen, else with a script that plays and saves pictures."""
    options = Options(headless=headless, run=run, seed=seed, fast=fast, baked=baked, pictures=pictures, shape=shape)
    raise SystemExit(run_demo(options, click.echo))
