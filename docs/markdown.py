"""What the generated pages are written with: tables, and texts of the code as Markdown."""

import inspect
import re
from collections.abc import Iterable


def made_from(source: str) -> str:
    """The comment that keeps people from editing a page."""
    return f"<!-- Made by `make docs` from {source}: change that, not this page. -->\n"


def paragraphs(text: str) -> list[str]:
    """Click's help as Markdown: what it leaves unwrapped is a block of its own."""
    lines: list[str] = []
    for part in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        first, *rest = part.splitlines()
        if first.strip(" ") == "\b":
            lines += ["```text", *rest, "```", ""]
        else:
            lines += [plain(" ".join(part.split())), ""]
    return lines[:-1]


def plain(text: str) -> str:
    """Text that Markdown shows as it is: what stands in quotes becomes code."""
    text = re.sub(r"(?<!\w)'([^']+)'", r"`\1`", text)
    return re.sub(r"(?<!`)(\$[A-Z_]+|~/[\w./]+)", r"`\1`", text)


def prose(text: str) -> str:
    """A docstring as a line."""
    return " ".join(text.replace("``", "`").split())


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    """A table of Markdown. A bar in a cell would end it."""
    cells = [[cell.replace("|", r"\|") for cell in row] for row in rows]
    lines = [head, ("---",) * len(head), *cells]
    return [f"| {' | '.join(line)} |" for line in lines]


def as_keys(shown: str) -> str:
    """Keys as help shows them, each as code."""
    return " ".join(f"`{one.strip()}`" for one in shown.split("  "))
