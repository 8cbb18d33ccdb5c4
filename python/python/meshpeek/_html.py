"""What notebooks show."""

import base64
import html
import itertools

ROWS = 20
PIXELS = 256


def _cell(value):
    if isinstance(value, dict):
        value = ", ".join(f"{name} {cell}" for name, cell in value.items() if cell is not None)
    elif isinstance(value, list):
        value = f"{len(value)} items" if len(value) > 3 else ", ".join(map(_cell, value))
    text = "" if value is None else str(value)
    return html.escape(text if len(text) <= 200 else text[:200] + "...")


def _table(header, rows):
    line = lambda tag, cells: "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>"
    head = line("th", map(html.escape, header)) if header else ""
    return "<table>" + head + "".join(line("td", map(_cell, row)) for row in rows) + "</table>"


def scan(scan):
    """The first rows of a scan."""
    rows = iter(scan)
    first = list(itertools.islice(rows, ROWS + 1))
    if not first:
        return f"<p>{html.escape(repr(scan))}: no rows</p>"
    more = "<p>and more</p>" if len(first) > ROWS else ""
    return _table(list(first[0]), [row.values() for row in first[:ROWS]]) + more


def file(file):
    """The facts of a file, and a picture if it is a model."""
    from . import Error

    record = file.record()
    facts = [("name", file.name), ("format", file.format), ("version", file.version), ("bytes", record["bytes"])]
    facts += record["counts"].items()
    facts += [(problem["severity"], problem["message"]) for problem in record["problems"][:ROWS]]
    try:
        picture = base64.b64encode(file.export("png", size=PIXELS)).decode()
    except (Error, OSError):
        image = ""
    else:
        image = f'<img src="data:image/png;base64,{picture}" width="{PIXELS}" height="{PIXELS}">'
    return image + _table(None, facts)
