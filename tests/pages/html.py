"""Reading a page as a reader's tools do, by tags and attributes, with nothing but the standard library."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset({"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"})


@dataclass
class Node:
    tag: str
    attributes: dict[str, str]
    children: list[Node | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        words = "".join(c if isinstance(c, str) else c.text for c in self.children)
        return " ".join(words.split())

    @property
    def cells(self) -> list[str]:
        """A table row's texts, heads included."""
        return [c.text for c in self.children if not isinstance(c, str) and c.tag in ("td", "th")]

    def all(self, tag: str | None = None, **attributes: str | None) -> list[Node]:
        """Every descendant with that tag and those attributes; None asks only that the attribute is there."""
        found: list[Node] = []
        for child in self.children:
            if isinstance(child, str):
                continue
            if (tag is None or child.tag == tag) and child.has(**attributes):
                found.append(child)
            found += child.all(tag, **attributes)
        return found

    def one(self, tag: str | None = None, **attributes: str | None) -> Node:
        found = self.all(tag, **attributes)
        assert found, f"no {tag} with {attributes}"
        return found[0]

    def has(self, **attributes: str | None) -> bool:
        named = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
        return all(
            name in self.attributes and (value is None or self.attributes[name] == value)
            for name, value in named.items()
        )


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("document", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Node(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        for depth in range(len(self.open) - 1, 0, -1):
            if self.open[depth].tag == tag:
                del self.open[depth:]
                return

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def read(content: bytes) -> Node:
    reader = Reader()
    reader.feed(content.decode())
    return reader.root
