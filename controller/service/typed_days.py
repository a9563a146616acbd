"""Days typed in the service menu: eight digits, in the order in which the cabinet writes days."""

from datetime import datetime
from typing import Final, NamedTuple

from controller.service.page import Entry

DATE, DAY = "date", "day"
YEARS: Final = range(2020, 2100)


class _Order(NamedTuple):
    labels: dict[str, str]
    """The entry's label, by its name."""
    form: str
    limits: tuple[int, int]
    """The lowest and the highest figure that may be typed."""


ORDERS: Final = {
    "y": _Order(
        {DATE: "Date: year, month, day as 8 digits", DAY: "Day: year, month, day as 8 digits"},
        "%Y%m%d",
        (20_200_101, 20_991_231),
    ),
    "d": _Order(
        {DATE: "Date: day, month, year as 8 digits", DAY: "Day: day, month, year as 8 digits"},
        "%d%m%Y",
        (1_012_020, 31_122_099),
    ),
    "m": _Order(
        {DATE: "Date: month, day, year as 8 digits", DAY: "Day: month, day, year as 8 digits"},
        "%m%d%Y",
        (1_012_020, 12_312_099),
    ),
}
"""How a day is typed, by the first letter of its format."""


def day_entry(name: str, dates: str) -> Entry:
    """Return the entry `name`, `DATE` or `DAY`, for a day written in the format `dates` (such as `dd/mm/yy`)."""
    order = ORDERS[dates[0]]
    return Entry(name, order.labels[name], "number", limits=order.limits)


def read_day(typed: str, dates: str) -> datetime:
    """Return the start of the typed day without a time zone.

    Raises `ValueError` if there is no such day from 2020 to 2099.
    """
    day = datetime.strptime(f"{typed:0>8}", ORDERS[dates[0]].form)  # noqa: DTZ007 - the caller knows the zone
    if day.year not in YEARS:
        raise ValueError(f"{day.year} is not from {YEARS.start} to {YEARS.stop - 1}")
    return day
