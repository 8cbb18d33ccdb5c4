"""Tables of the formats: their fields and problems."""

import json
import re

# What a field means is next to its name.
ORDER = ["field", "meaning", "type", "bytes", "where", "document"]


def fields(text, words):
    """The records of a section of FORMATS.md: a heading for each, a table without empty columns, and links."""
    records = re.findall(r"^`(\w+)`, (\d+) (bytes?(?: or more)?)\. (.*)\n\n((?:\|.*\n)+)", text + "\n", re.M)
    names = re.compile(r"\b(%s)\b" % "|".join(record[0] for record in records))
    out = []
    for record, size, unit, description, table in records:
        rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in table.splitlines()]
        rows = [[cell.strip() for cell in row] for row in rows if not row[0].strip().startswith("---")]
        columns = sorted((column for column in zip(*rows) if any(column[1:])), key=lambda column: ORDER.index(column[0]))
        for index, (title, *cells) in enumerate(columns):
            if title == "type":
                cells = [names.sub(lambda found: f"[{found[1]}](#{found[1].lower()})", cell) for cell in cells]
            if title == "meaning":
                cells = [words.sentence(cell) for cell in cells]
            columns[index] = [words(title), *cells]
        lines = ["| " + " | ".join(row) + " |" for row in zip(*columns)]
        lines.insert(1, "| --- " * len(columns) + "|")
        out.append(f"### {record}\n\n{words(f'%s {unit}.') % size} {words.sentence(description)}\n\n" + "\n".join(lines) + "\n")
    return "\n".join(out)


def codes(name, records, words):
    """The problems that the project's test files of a format have: each code, with one message."""
    found = {}
    for record in map(json.loads, records.read_text().splitlines()):
        for problem in record.get("verify") or [] if record["format"] == name else []:
            found.setdefault((problem["severity"], problem["code"]), problem["message"])
    titles = " | ".join(map(words, ("code", "severity", "example")))
    rows = [f"| `{code}` | {words(severity)} | {escaped(text)} |" for (severity, code), text in sorted(found.items())]
    return "\n".join([f"| {titles} |", "| --- | --- | --- |", *rows, ""])


def escaped(text):
    return re.sub(r"([\\`*_\[\]<>|#])", r"\\\1", text)


class Translation:
    """The translation of tables, by their English text; without a file, the text stays."""

    def __init__(self, path):
        self.path, self.used, self.missing = path, set(), {}
        self.texts = dict(line.split("\t") for line in path.read_text().splitlines()) if path.is_file() else None

    def __call__(self, text):
        self.used.add(text)
        if self.texts is None or not text:
            return text
        if text not in self.texts:
            self.missing[text] = True
        return self.texts.get(text, text)

    def sentence(self, text):
        """A meaning, of which the names of values stay."""
        meaning, mark, values = text.partition("Values: ")
        if mark and re.match(r"-?\d", values):
            return " ".join(filter(None, [self(meaning.strip()), self("Values:"), values]))
        return " ".join(filter(None, [self(meaning.strip()), self(mark + values)]))

    def stale(self):
        """What is missing, and what nothing says any more."""
        old = self.texts.keys() - self.used if self.texts is not None else []
        return [f"{self.path}: missing: {text}" for text in self.missing] + [f"{self.path}: unused: {text}" for text in old]
