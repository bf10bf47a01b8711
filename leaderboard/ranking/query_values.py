"""Values of query names: each parser takes the name and the texts given for it, and raises BadFilter with a sentence.

What Python would read beyond what is said to be allowed (underscores, other scripts' digits, the year 1) is refused.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Collection, Iterable
from decimal import Decimal
from typing import Any

VALUES_MAX = 40
"""Of one list filter: each value is repeated in the link of each other, so a page grows with their square."""
TEXT_MAX = 200


class BadFilter(Exception):
    """A known query name with a value that cannot be; the text names both and says what is allowed."""

    def __init__(self, parameter: str, value: str, allowed: str) -> None:
        self.parameter, self.value, self.allowed = parameter, value[:80], allowed
        super().__init__(f"{parameter} cannot be “{self.value}”. Allowed: {allowed}.")


Parser = Callable[[str, list[str]], Any]


def text_list(name: str, given: list[str]) -> tuple[str, ...]:
    for text in given:
        if len(text) > TEXT_MAX or not text.isprintable():
            raise BadFilter(name, text, f"printable text of at most {TEXT_MAX} characters")
    unique = sorted(set(given))
    if len(unique) > VALUES_MAX:
        raise BadFilter(name, unique[VALUES_MAX], f"at most {VALUES_MAX} values")
    return tuple(unique)


def one_text(name: str, given: list[str]) -> str:
    (text,) = text_list(name, given[-1:])
    return text


def at_most(count: int) -> Parser:
    def parse(name: str, given: list[str]) -> tuple[str, ...]:
        unique = tuple(dict.fromkeys(text_list(name, [text])[0] for text in given))
        if len(unique) > count:
            raise BadFilter(name, unique[count], f"at most {count} values")
        return unique

    return parse


def choices(allowed: Iterable[str]) -> Parser:
    known = tuple(allowed)

    def parse(name: str, given: list[str]) -> tuple[str, ...]:
        return tuple(sorted({one_of(name, text, known) for text in given}))

    return parse


def choice(allowed: Iterable[str]) -> Parser:
    known = tuple(allowed)
    return lambda name, given: one_of(name, given[-1], known)


def one_of(name: str, text: str, allowed: Collection[str]) -> str:
    if text not in allowed:
        raise BadFilter(name, text, ", ".join(sorted(allowed)))
    return text


PLAIN_NUMBER = re.compile(r"[0-9]{1,12}(\.[0-9]{0,12})?|\.[0-9]{1,12}")
"""Digits with a point at most: Python would also read underscores, exponents and the digits of other scripts."""


def money(name: str, given: list[str]) -> Decimal:
    amount = Decimal(given[-1]) if PLAIN_NUMBER.fullmatch(given[-1]) else Decimal(-1)
    if not 0 <= amount <= 1_000_000:
        raise BadFilter(name, given[-1], "USD per million tokens, from 0 to 1000000, as in 0.25")
    return amount


def rate(name: str, given: list[str]) -> float:
    share = float(given[-1]) if PLAIN_NUMBER.fullmatch(given[-1]) else -1.0
    if not 0 <= share <= 1:
        raise BadFilter(name, given[-1], "a share from 0 to 1, as in 0.95")
    return share


def page_number(name: str, given: list[str]) -> int:
    text = given[-1]
    if not (text.isascii() and text.isdigit() and 1 <= len(text) <= 6 and int(text) >= 1):
        raise BadFilter(name, text, "a whole number from 1")
    return int(text)


FIRST_YEAR, LAST_YEAR = 2020, 2100
"""No board is older."""


def instant(name: str, given: list[str]) -> dt.datetime:
    """Of the years that a snapshot can be of; a time without a zone is in UTC."""
    try:
        if not given[-1].isascii():
            raise ValueError
        moment = dt.datetime.fromisoformat(given[-1])
        moment = (moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)).astimezone(dt.UTC)
    except (ValueError, OverflowError):
        raise BadFilter(name, given[-1], "an ISO 8601 time in UTC, as in 2026-07-15T12:00:00Z") from None
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise BadFilter(name, given[-1], f"a time from the year {FIRST_YEAR} to {LAST_YEAR}")
    return moment


def flag(name: str, given: list[str]) -> bool:
    return one_of(name, given[-1], ("0", "1")) == "1"
