"""Pagination of long lists; each query reads one extra row to detect a next page."""

from collections.abc import Callable

from django.http import HttpRequest

from venue.page.queries.rows import Row

SIZE = 50
DEEPEST = 2000
"""Highest page number; older rows are reached by a narrower search."""


def paged(request: HttpRequest, read: Callable[[int, int], list[Row]]) -> dict[str, object]:
    """Return the template context for the requested page; `read` gets a limit and an offset.

    `older` and `newer` are the query strings of the adjacent pages, "" if there is none.
    """
    given = request.GET.get("page", "1")
    number = min(max(int(given), 1), DEEPEST) if given.isascii() and given.isdigit() and len(given) < 6 else 1  # noqa: PLR2004 - far above the deepest page
    found = read(SIZE + 1, (number - 1) * SIZE)
    query = request.GET.copy()

    def at(page: int) -> str:
        query["page"] = str(page)
        return query.urlencode()

    return {
        "rows": found[:SIZE],
        "page_number": number,
        "older": at(number + 1) if len(found) > SIZE and number < DEEPEST else "",
        "newer": at(number - 1) if number > 1 else "",
    }
