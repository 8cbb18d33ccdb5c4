"""Checks the links of built pages, without a network."""

import html.parser
import urllib.parse


class Links(html.parser.HTMLParser):
    """The links and anchors of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        of = dict(attributes)
        self.links |= {of[key] for key in ("href", "src") if of.get(key)}
        self.anchors += [of[key] for key in ("id",) if of.get(key)]


def broken_links(root):
    """What is wrong with the links of all pages, which are read without a network."""
    pages = {path: Links(path.read_text()) for path in root.rglob("*.html") if not path.is_relative_to(root / "look")}
    broken = []
    for page, found in pages.items():
        twice = {anchor for anchor in found.anchors if found.anchors.count(anchor) > 1}
        broken += [f"{page}: two parts have the name #{anchor}" for anchor in twice]
        for link in found.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (page.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else page
            target = target / "index.html" if target.is_dir() else target
            anchor = urllib.parse.unquote(parts.fragment)
            if not target.is_file():
                broken.append(f"{page}: no file for {link}")
            elif anchor and target in pages and anchor not in pages[target].anchors:
                broken.append(f"{page}: no part for {link}")
    return broken
