"""A receipt comes from a commit alone, so that whatever wants one cannot be told anything earlier."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rigs.paths import ROOT
from tests.rigs.typed import early, refused

CODE = """
from controller.journal.journal import Journal
from controller.journal.receipt import Receipt, each
from controller.journal.transaction import Transaction

def say(words: Receipt[str]) -> None: ...
def read(tx: Transaction) -> list[int]: return [tx.credit_cents]

async def talk(books: Journal) -> None:
    done = await books.do(read)
    say(str(done))  # early
    say(str((await books.commit(read)).result))  # early
    say((await books.commit(read)).map(str))
    for member in each(await books.commit(read)):
        say(member.map(str))
"""


def made_in(tree: ast.AST) -> Iterator[str]:
    """Yield the name of each function that makes a receipt, and of each class of receipts."""
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef() if any("Receipt" in ast.unparse(base) for base in node.bases):
                yield node.name
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                calls = (call.func for call in ast.walk(node) if isinstance(call, ast.Call))
                if any(ast.unparse(call) == "_Durable" for call in calls):
                    yield node.name


def test_only_a_commit_makes_a_receipt() -> None:
    """In the whole product one class of receipts is made in two places: by a commit, and of another receipt."""
    files = sorted((ROOT / "controller").rglob("*.py"))
    made = sorted((file.name, name) for file in files for name in made_in(ast.parse(file.read_text("utf-8"))))
    assert made == [("journal.py", "_Durable"), ("journal.py", "commit"), ("journal.py", "map")]


@pytest.mark.processes
def test_a_result_is_no_receipt(tmp_path: Path) -> None:
    """Mypy takes neither what a transaction without proof has read nor a receipt's bare result."""
    assert refused(CODE, tmp_path) == early(CODE)
