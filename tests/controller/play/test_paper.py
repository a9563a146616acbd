"""Nothing on paper is a question mark that nobody wrote, whatever the printer's code page.

What is typed at the cabinet has letters that every printer has; what comes from `cabinet.toml`, a template or the venue
is refused with the characters named (`test_what_a_ticket_says_can_be_printed`); a host's lines are ASCII.
"""

import pytest
from msgspec.structs import replace

from controller.configuration.cabinet_toml import Config, parse
from controller.configuration.separators import DATE_FORMATS
from controller.features.tickets.attendant_slips import paper_of
from controller.features.tickets.printing import slip
from controller.features.tickets.slip_journal import MAIN, RARE, AttendantSlip, SlipKind
from controller.features.venue.templates import TemplateError, template_of
from controller.journal.actor import Role
from controller.journal.tickets import Ticket
from controller.service.typing import CAPITALS, SIGNS
from controller.settings.settings import fitted
from drivers.capabilities import Slip
from drivers.currency import CURRENCIES
from drivers.escpos.encoder import CODE_PAGES, nearest
from tests.rigs.paths import SAMPLE

LETTERS = CAPITALS + CAPITALS.lower() + SIGNS
"""All that a name can be typed of, at the panel and at a console."""
TICKET = Ticket(1, "001234567890123456", 500, "printed", 0, 86_400_000, None)


def sample() -> Config:
    """Return the sample cabinet, with a printer."""
    return parse(f'{SAMPLE.read_text("utf-8")}\n[ticket_printer]\nport = "/dev/serial/by-id/printer"\n')


def papers(config: Config) -> list[Slip]:
    """Return a ticket and every kind of slip, done by a person whose name has all letters, and by each role."""
    figures = dict.fromkeys((*MAIN, *RARE), -123_456)
    people = (LETTERS, *map(str, Role))
    return [
        slip(TICKET, config, ()),
        *(
            paper_of(AttendantSlip(kind, 1, 0, who, 500, figures, 2, copy=1), config)
            for kind in SlipKind
            for who in people
        ),
    ]


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("codec", [codec for _, codec in CODE_PAGES])
def test_all_that_a_cabinet_writes_by_itself_can_be_printed(codec: str, language: str) -> None:
    """Names as they are typed, words, figures, days, and the sign of every currency."""
    config = sample()
    for code in CURRENCIES:
        money = replace(config.cabinet.money, currency=code, symbol="")
        name = replace(config.cabinet, language=language, money=money, name=LETTERS, dates=DATE_FORMATS[0])
        for paper in papers(replace(config, cabinet=name)):
            lost = [text for text in (paper.title, paper.amount, *paper.lines) if "?" in nearest(text, codec)]
            assert lost == []


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ('[cabinet]\nname = "日本 7"', "cabinet.name: .*would print 日, 本 as question marks"),
        ('[cabinet]\nnumber = "№ ٣"', "cabinet.number: .*would print ٣ as question marks"),
        ('[cabinet.money]\nsymbol = "₪"', "cabinet.money.symbol: "),
    ],
)
def test_a_template_that_would_print_question_marks_is_refused(template: str, words: str) -> None:
    """From a stick and from the venue: the characters are named, and nothing of it is taken."""
    with pytest.raises(TemplateError, match=words):
        template_of(template.encode(), sample(), {})


def test_a_name_that_a_new_printer_cannot_print_is_left_out() -> None:
    """It was set before there was a printer: the file's own is printed, and its characters are named."""
    result = fitted(sample(), {"cabinet.name": '"日本 7"'})
    assert result.config.cabinet.name == sample().cabinet.name
    assert ["日, 本" in problem.text for problem in result.unfit] == [True]
