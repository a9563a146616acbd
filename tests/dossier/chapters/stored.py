"""What the books store, from their schema, and what the file itself refuses."""

import re
import sqlite3
from contextlib import closing

from markupsafe import Markup, escape

from controller.journal.schema import MIGRATIONS
from tests.dossier.chapter import Chapter, Run, Written, table

REFUSES = re.compile(r"RAISE\(ABORT, '(.+?)'\)")
INTRODUCTION = """The tables of the journal, an SQLite file. Beside a table stands what its triggers refuse, whoever
writes; [Recovery](recover.md) says how the books are checked and what is done when they fail.

"""


def write(_run: Run) -> Written:
    """Write the tables."""
    rows = []
    with closing(sqlite3.connect(":memory:")) as books:
        for _, script in MIGRATIONS:
            books.executescript(script)
        objects = "SELECT name, sql FROM sqlite_schema WHERE type = ? AND tbl_name = ? ORDER BY rowid"
        names = books.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").fetchall()
        for (name,) in names:
            columns = books.execute("SELECT name, type FROM pragma_table_info(?)", (name,)).fetchall()
            refused = dict.fromkeys(
                words for _, sql in books.execute(objects, ("trigger", name)) for words in REFUSES.findall(sql)
            )
            lines = (escape(line) for line in refused)
            rows.append((name, ", ".join(f"{column} {kind}" for column, kind in columns), Markup("<br>").join(lines)))
    return Written(INTRODUCTION + table(("table", "columns", "refused"), rows))


CHAPTER = Chapter(35, "Stored items", write)
