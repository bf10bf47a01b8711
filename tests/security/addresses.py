"""Every address the site has, read from its own URL configuration: what is added there is swept here too."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product

from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RegexPattern, RoutePattern

LITERALS = re.compile(r"[\w.\\|-]+")
GROUP_NAME = re.compile(r"\(\?P<(\w+)>")
CONVERTER = re.compile(r"<(?:(\w+):)?(\w+)>")


@dataclass(frozen=True, slots=True)
class Address:
    """One concrete path and the pattern it was made from."""

    path: str
    route: str


@dataclass(slots=True)
class Maker:
    """Fills patterns in: `values` by parameter name, anything else with `x` or 1."""

    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def addresses(self) -> list[Address]:
        found = {a.path: a for a in self._below(get_resolver(), "/", "")}
        return [found[path] for path in sorted(found)]

    def _below(self, resolver: URLResolver, prefix: str, route: str) -> Iterator[Address]:
        for entry in resolver.url_patterns:
            for part in self._filled(entry):
                path, here = prefix + part, route + str(entry.pattern)
                if isinstance(entry, URLPattern):
                    yield Address(path, here)
                else:
                    yield from self._below(entry, path, here)

    def _filled(self, entry: URLPattern | URLResolver) -> list[str]:
        pattern = entry.pattern
        if isinstance(pattern, RoutePattern):
            return self._route(str(pattern))
        assert isinstance(pattern, RegexPattern)
        return self._regex(str(pattern))

    def _route(self, route: str) -> list[str]:
        texts = CONVERTER.split(route)
        parts: list[tuple[str, ...]] = [(texts[0],)]
        for kind, name, after in zip(texts[1::3], texts[2::3], texts[3::3], strict=True):
            parts += [self.values.get(name, ("1",) if kind == "int" else ("x",)), (after,)]
        return ["".join(chosen) for chosen in product(*parts)]

    def _regex(self, text: str) -> list[str]:
        text = text.removeprefix("^").removesuffix("$").removesuffix("\\Z")
        parts: list[tuple[str, ...]] = []
        while match := GROUP_NAME.search(text):
            end = closing(text, match.start())
            parts += [(plain(text[: match.start()]),), self._group(match[1], text[match.end() : end])]
            text = text[end + 1 :]
        parts.append((plain(text),))
        return ["".join(chosen) for chosen in product(*parts)]

    def _group(self, name: str, inside: str) -> tuple[str, ...]:
        if name in self.values:
            return self.values[name]
        if LITERALS.fullmatch(inside):
            return tuple(plain(word) for word in inside.split("|"))
        return tuple(word for word in ("x", "1", "x.json", "samples/x") if re.fullmatch(inside, word))[:1]


def plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text).replace("$", "")


def closing(text: str, start: int) -> int:
    depth = 0
    for place in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0) if text[place - 1] != "\\" else 0
        if depth == 0:
            return place
    raise AssertionError(f"unbalanced: {text}")
