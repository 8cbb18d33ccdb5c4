"""Looks into 3D game assets without loading them.

    import meshpeek

    with meshpeek.open("mods.zip!/a.pbo!/tree.p3d") as file:
        positions = file["lods/0/positions"].numpy()

    table = pyarrow.table(meshpeek.scan(["addons"], digests=True))
"""

import json as _json
from collections.abc import Iterable as _Iterable
from os import fspath as _fspath

from . import _meshpeek
from ._meshpeek import (
    SCHEMA,
    Array,
    Buffer,
    Error,
    File,
    LimitError,
    Progress,
    RowIterator,
    Scan,
    Unsupported,
    __version__,
    from_buffer,
    open,
)

__all__ = [
    "SCHEMA",
    "Array",
    "Buffer",
    "Error",
    "File",
    "LimitError",
    "Progress",
    "RowIterator",
    "Scan",
    "Units",
    "Unsupported",
    "from_buffer",
    "open",
    "plan",
    "scan",
]


class Units(tuple):
    """Units of work: each is a list of dicts, the pieces of it, for `scan(units=...)` here or on another machine.

    A unit is plain data, to be pickled or sent as JSON."""

    @property
    def pieces(self):
        """All pieces in one list; those of one unit share the number `unit`."""
        return [piece for unit in self for piece in unit]

    def __repr__(self):
        return f"<meshpeek.Units: {len(self)} units of {len(self.pieces)} pieces>"


def plan(paths, *, unit_bytes=256 << 20):
    """Cuts a scan of these paths into units of about so many bytes, from sizes and the directories of archives alone.

    The rows of all units are those of the whole scan. Each unit has a budget of its own for hostile files."""
    units = {}
    for piece in _json.loads(_meshpeek.plan(_paths(paths), unit_bytes)):
        units.setdefault(piece["unit"], []).append(piece)
    return Units(units.values())


def scan(
    paths=(),
    *,
    units=None,
    digests=False,
    verify=False,
    formats=None,
    archives=True,
    jobs=None,
    batch_rows=8192,
    table="assets",
    errors="record",
):
    """Scans files, folders and archives, or the units of a plan; one row for each asset, or for what `table` says: "assets",
    "members", "parts" or "arrays".

    A path that cannot be read is a row without a format whose one problem is the error ("record"; in other tables than
    the assets it is raised after the last row), is raised at once ("raise"), or left out ("skip")."""
    units = None if units is None else _json.dumps(_flat(units))
    return _meshpeek.scan(
        _paths(paths), units, digests, verify, formats, archives, jobs, batch_rows, table, errors
    )


def _paths(paths):
    return [_fspath(paths)] if isinstance(paths, str) or hasattr(paths, "__fspath__") else list(paths)


_KEYS = ("unit", "path", "lossy", "first", "last", "bytes", "stamp", "named")


def _flat(units):
    """The pieces in whatever they were put in: one, a unit, several, or rows of an engine."""
    if hasattr(units, "asDict"):
        units = units.asDict()
    if isinstance(units, dict):
        return [{key: units[key] for key in _KEYS if units.get(key) is not None}]
    if isinstance(units, _Iterable) and not isinstance(units, str | bytes):
        return [piece for unit in units for piece in _flat(unit)]
    raise TypeError("units are what plan() gives, or some of it")
