"""Every event that is logged beside the faults: its code, the words of its log line, and what declares it."""

from controller.journal.event_catalogue import every_event
from tests.dossier.chapter import Chapter, Run, Written, table

INTRODUCTION = """Faults are events too, with the codes of the chapter before. One code may have several texts. In each
stand the figures that are stored with the event, in braces.

"""


def write(_run: Run) -> Written:
    """Write the list."""
    rows = sorted((event.code, event.template, type(event).__module__) for event in every_event())
    return Written(INTRODUCTION + table(("code", "text", "declared in"), rows))


CHAPTER = Chapter(45, "Events", write)
