"""A visitor without scripts: follows redirects, keeps cookies, fills in a page's form and presses a button."""

from __future__ import annotations

import http.cookiejar
import urllib.request
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urlencode, urljoin


@dataclass(slots=True)
class Form:
    action: str
    values: list[tuple[str, str]] = field(default_factory=list)
    buttons: dict[str, str] = field(default_factory=dict)
    """Label to name; the name may be empty."""


class FormReader(HTMLParser):
    """Every form of a page with the values a browser would send untouched."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.selected = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append(Form(given.get("action", "")))
        elif self.forms and tag == "input":
            self._input(given)
        elif self.forms and tag == "textarea":
            self.forms[-1].values.append((given["name"], ""))
        elif tag == "select":
            self.selected = given["name"]
        elif self.forms and tag == "option" and "selected" in given:
            self.forms[-1].values.append((self.selected, given.get("value", "")))

    def _input(self, given: dict[str, str]) -> None:
        form, kind = self.forms[-1], given.get("type", "text")
        if kind == "submit":
            form.buttons[given.get("value", "")] = given.get("name", "")
        elif given.get("name") and (kind not in ("checkbox", "radio") or "checked" in given):
            form.values.append((given["name"], given.get("value", "")))


class Visitor:
    def __init__(self, site: str) -> None:
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), cookies)
        self.address = site
        self.text = ""

    def open(self, path: str, body: bytes | None = None) -> str:
        request = urllib.request.Request(urljoin(self.address, path), body, {"Referer": self.address})
        with self.opener.open(request, timeout=90) as answer:
            self.address = answer.url
            self.text = answer.read().decode()
        return self.text

    def press(self, label: str, **filled: str) -> str:
        """Send the form that has this button; `filled` names fields by their end, as a prefix may be generated."""
        reader = FormReader()
        reader.feed(self.text)
        form = next((f for f in reader.forms if label in f.buttons), None)
        assert form is not None, f"no button {label!r} at {self.address}"
        values = [(name, value) for name, value in form.values if not ends_with_any(name, filled)]
        names = {name for name, _ in form.values}
        for end, value in filled.items():
            values += [(next((n for n in names if n.endswith(end)), end), value)]
        if form.buttons[label]:
            values.append((form.buttons[label], label))
        return self.open(form.action or self.address, urlencode(values).encode())

    def sign_in(self, name: str, password: str) -> None:
        self.open("/admin/")
        self.press("Log in", username=name, password=password)


def ends_with_any(name: str, ends: dict[str, str]) -> bool:
    return any(name.endswith(end) for end in ends)
