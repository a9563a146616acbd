"""`cabinet doctor`."""

import asyncio
import logging
import sys
from pathlib import Path

import click

from controller.features.doctor.findings import as_json, as_table, is_well
from controller.features.doctor.report import report
from controller.features.doctor.world import real_world

CONFIGURATION = Path("/etc/cabinet/cabinet.toml")


@click.command()
@click.argument("file", type=click.Path(path_type=Path), default=CONFIGURATION)
@click.option("--json", "in_json", is_flag=True, help="Print JSON for a program.")
def doctor(file: Path, *, in_json: bool) -> None:
    """Report what is really there, each with its mend (exit code 1 if anything is to be mended).

    FILE is the cabinet.toml that it is compared with, /etc/cabinet/cabinet.toml if there is one. Ports that a running
    cabinet has open are not touched; on the others the devices are asked who they are, and nothing is moved.
    """
    # A port on which nothing answers is in the report.
    logging.getLogger("drivers").setLevel(logging.CRITICAL)
    findings = asyncio.run(report(real_world(), file.absolute()))
    click.echo(as_json(findings) if in_json else as_table(findings))
    sys.exit(0 if is_well(findings) else 1)
