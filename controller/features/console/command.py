"""`cabinet service`: the service menu on the command line, for a person at the cabinet."""

import sys
from collections.abc import Mapping
from pathlib import Path

import click
import msgspec
from rich.console import Console as Terminal
from rich.table import Table
from rich.text import Text

from controller.commands.configured import configured
from controller.features.console.client import Console, ConsoleError, NotThereError
from ui.protocol.messages import ServicePage, ServiceRow
from ui.protocol.values import Money

_KEYS = {"u": "up", "d": "down", "U": "page_up", "D": "page_down", "e": "enter", "b": "back"}
_HELP = (
    "number: open a row   code: go to a page   u up   d down   U page up   D page down   e enter   b back"
    "   o older   n newer   RETURN look again   q leave   ctrl-D back from what is asked for"
)
_LISTS = {"o": "Older", "n": "Newer"}
"""The labels of the rows that lead to further parts of a long list."""
_TONES = {"good": "green", "bad": "red", "heading": "bold"}
_COLUMN = 14
_LONG = 100
"""The length beyond which a value is printed in one line below the table, so that it can be copied."""
MOST_TYPED = 4096
"""The longest line read from a pipe; no entry needs more than a few dozen characters."""
_SECRET, _CHOICE = "digits", "choice"


@click.command()
@click.argument("code", required=False)
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    default="/etc/cabinet/cabinet.toml",
    show_default=True,
    help="The cabinet.toml of the cabinet that runs here.",
)
@click.option("--socket", "path", type=click.Path(path_type=Path), help="The console's socket, in place of --config.")
@click.option("--json", "as_json", is_flag=True, help="Print the page as JSON.")
def service(*, code: str | None, config: Path, path: Path | None, as_json: bool) -> None:
    """Show the service menu, page by page; with CODE (such as M.1) that page once.

    It is the menu of the cabinet's screen, which shows every step: turn a key switch at the cabinet first. Name and PIN
    are required, and the PIN is not echoed. Doors count, and the journal records the person and the console.

    Exits with 0; 3 if no supervisor is running, 4 if it refuses this user, 5 if the menu is closed, 6 if the page is
    not available, 7 if the supervisor ended meanwhile.
    """
    try:
        with Console(path or configured(config).cabinet.console_socket) as console:
            _let_in(console)
            if code is not None:
                console.go(code.upper())
            if as_json:
                click.echo(msgspec.json.encode(_whole(console.page)))
            elif code is not None:
                _print(console)
            else:
                _work(console)
    except ConsoleError as error:
        click.echo(f"Error: {error}", err=True)
        raise SystemExit(error.exit_code) from error


def _whole(page: ServicePage) -> dict[str, object]:
    """Return a page with all fields of all rows, for a program."""
    return msgspec.structs.asdict(page) | {"rows": [msgspec.structs.asdict(row) for row in page.rows]}


def _let_in(console: Console) -> None:
    """Prompt for name and PIN while the menu asks for them."""
    while console.page.gate:
        page = console.page
        try:
            if page.entry:
                console.type(_asked(page))
            else:
                console.press(_name(page))
        except (EOFError, click.Abort) as error:
            raise NotThereError("The PIN is asked first") from error
        if console.page.message:
            click.echo(_filled(console.page, console.sheet.money), err=True)


def _name(page: ServicePage) -> str:
    """Prompt for the name of the person; return the control of its row."""
    names = {row.place.casefold(): number for number, row in enumerate(page.rows) if row.leads}
    if not names:
        raise NotThereError(page.rows[0].label if page.rows else "Nobody may come in with this key")
    if sys.stdin.isatty():
        click.echo("   ".join(row.place for row in page.rows), err=True)
    typed = line_typed("Your name: " if page.rows[0].value else "Language: ").casefold()
    if typed not in names:
        raise NotThereError(f"Nobody of that name may come in with the key of the {page.who}")
    return f"service:row:{names[typed]}"


def _work(console: Console) -> None:
    """Run the prompt until the user leaves."""
    click.echo(_HELP)
    while True:
        _print(console)
        try:
            if console.page.entry:
                _type(console)
            elif console.page.question:
                console.answer(yes=click.confirm(_words(console.page.question), default=False))
            elif not _obey(console, line_typed("> ")):
                return
        except NotThereError as error:
            click.echo(str(error))
            console.look()
        except (click.Abort, EOFError):
            return


def _obey(console: Console, typed: str) -> bool:
    """Carry out a command typed at a page; return False to leave."""
    if typed == "q":
        return False
    if not typed:
        console.look()
    elif typed in _KEYS:
        console.press(f"service:{_KEYS[typed]}")
    elif typed in _LISTS:
        _open(console, _LISTS[typed])
    elif typed.isdecimal():
        console.press(f"service:row:{int(typed) - 1}")
    else:
        console.go(typed.upper())
    return True


def _type(console: Console) -> None:
    """Prompt for the page's entry; the end of the input (ctrl-D, ctrl-C) is BACK."""
    try:
        typed = _asked(console.page)
    except (click.Abort, EOFError):
        click.echo()
        console.press("service:back")
    else:
        console.type(typed)


def _open(console: Console, label: str) -> None:
    """Open the row with that label; raises `NotThereError` if there is none."""
    for number, row in enumerate(console.page.rows):
        if row.label == label:
            console.press(f"service:row:{number}")
            return
    raise NotThereError("There is nothing more")


def _asked(page: ServicePage) -> str:
    """Return the input for the page's entry; a PIN is not echoed."""
    words = _words(page.entry)
    if page.entry_kind == _CHOICE:
        for number, choice in enumerate(page.options, 1):
            click.echo(f"{number:>4}  {choice}")
        number = int(click.prompt(words, type=click.IntRange(1, len(page.options))))
        return page.options[number - 1]
    whose = f" of {page.person}" if page.gate and page.person else ""
    unit = f" ({page.unit})" if page.unit else ""
    return line_typed(f"{words}{whose}{unit}: ", secret=page.entry_kind == _SECRET)


def line_typed(prompt: str, *, secret: bool = False) -> str:
    """Return a line from the terminal or from a pipe."""
    if not sys.stdin.isatty():
        line = sys.stdin.readline(MOST_TYPED)
        if not line:
            raise EOFError
        if len(line) == MOST_TYPED:
            raise click.ClickException(f"a line of {MOST_TYPED} letters or more is no answer")
        return line.strip()
    text: str = click.prompt(prompt, default="", show_default=False, prompt_suffix="", hide_input=secret)
    return text.strip()


def _words(words: str) -> str:
    return words[:1].upper() + words[1:]


def _print(console: Console) -> None:
    page, money = console.page, console.sheet.money
    terminal = Terminal(highlight=False)
    name = f"{page.code}  {page.title}" if page.code else page.title
    terminal.rule(Text(f"{name}  ({page.person or page.who})"))
    if console.sheet.locked:
        terminal.print(Text(f"LOCKED: {console.sheet.locked}", style="red"))
    table = Table(box=None, show_header=False, pad_edge=False)
    for to_the_right in (True, False, False, True, False):
        table.add_column(justify="right" if to_the_right else "left")
    long = [row.value for row in page.rows if len(row.value) > _LONG]
    for number, row in enumerate(page.rows, 1):
        if row.value in long:
            continue
        mark = ">" if row.leads else ""
        cells = (str(number) if row.leads else "", row.code, _label(row, money), _value(row, money), mark)
        table.add_row(*map(Text, cells), style=_TONES.get(row.tone, ""))
    terminal.print(table)
    for text in long:
        terminal.print(Text(text), soft_wrap=True)
    if page.message:
        terminal.print(Text(_filled(page, money), style="bold"))


def _label(row: ServiceRow, money: Money) -> str:
    label = _fill_in(row.label, row.figures | {"place": "{place}"}, money) if row.figures else row.label
    return _words(label.replace("{place}", row.place))


def _value(row: ServiceRow, money: Money) -> str:
    figures = [str(row.count)] if row.count is not None else []
    figures += [_amount(row.cents, money)] if row.cents is not None else []
    cells = (_amount(cell, money) if isinstance(cell, int) else cell for cell in row.columns)
    text = "   ".join(filter(None, (row.detail, row.value, " x ".join(figures))))
    return text + "".join(f"{cell:>{_COLUMN}}" for cell in cells)


def _amount(cents: int, money: Money) -> str:
    """Return an amount in the cabinet's format, without thousands separators."""
    whole, rest = divmod(abs(cents), 100)
    figure = f"{'-' if cents < 0 else ''}{whole}{money.decimal}{rest:02}"
    return f"{money.symbol} {figure}" if money.symbol_first else f"{figure} {money.symbol}"


def _filled(page: ServicePage, money: Money) -> str:
    return _fill_in(page.message, page.figures, money)


def _fill_in(template: str, figures: Mapping[str, str | int], money: Money) -> str:
    """Return a text with its figures filled in; those ending in `_cents` are amounts."""
    filled: dict[str, str | int] = {
        name: _amount(value, money) if name.endswith("_cents") and isinstance(value, int) else value
        for name, value in figures.items()
    }
    return template.format(**filled) if filled else template
