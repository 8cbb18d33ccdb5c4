"""Inspects 3D game assets without loading them.

    import meshpeek

    with meshpeek.open("mods.zip!/a.pbo!/tree.p3d") as file:
        positions = file["lods/0/positions"].numpy()

    table = pyarrow.table(meshpeek.scan(["addons"], digests=True))
"""

import json as _json
import os as _os
import re as _re
from collections.abc import Iterable as _Iterable

from . import _meshpeek, _remote
from ._meshpeek import (
    SCHEMA,
    TABLES,
    Array,
    Buffer,
    Error,
    File,
    Geometry,
    LimitError,
    Progress,
    RowIterator,
    Scan,
    Unsupported,
    Walk,
    __version__,
)

__all__ = [
    "SCHEMA",
    "TABLES",
    "Array",
    "Buffer",
    "Error",
    "File",
    "Geometry",
    "LimitError",
    "Progress",
    "RowIterator",
    "Scan",
    "Units",
    "Unsupported",
    "Walk",
    "address",
    "diff",
    "dupes",
    "from_buffer",
    "open",
    "plan",
    "refs",
    "scan",
    "verify",
    "walk",
]


class Units(tuple):
    """Units of work for `scan(units=...)`, on this machine or another. Each unit is a list of dicts, its pieces.

    A unit is plain data, which can be pickled or sent as JSON."""

    @property
    def pieces(self):
        """The pieces of all units in one list. Pieces of one unit have the same number `unit`."""
        return [piece for unit in self for piece in unit]

    def __repr__(self):
        return f"<meshpeek.Units: {len(self)} units of {len(self.pieces)} pieces>"


def open(path, *, access="auto", limits=None):
    """Opens a file, or a member of an archive by its address: `mods.zip!/a.pbo!/data\\tree.p3d`.

    `path` is a `str`, a path object or a row of a scan. It may also be a binary file object that can seek, or a URL such as
    "s3://bucket/mods.pbo!/tree.p3d", which needs fsspec. Of these, only the ranges that are needed are read; without seek,
    all. `bytes`, `bytearray` and `memoryview` are the content of a file. A dict of one name with such a content, or with a file
    object, gives it the name: `{"tree.p3d": data}`. `os.fsdecode` makes a path of bytes that are one.

    `access` is "auto" (large files are mapped, others read), "map" or "read". `limits` are those of `scan`."""
    if isinstance(path, dict) and "path" not in path:
        if len(path) != 1:
            raise ValueError("open() takes a dict of one name with its content, or a row of a scan")
        [(name, value)] = path.items()
        return _meshpeek.open_source((_path(name), _remote.content(value)), None, _limits(limits))
    if isinstance(path, dict):
        path = address(path)
    if _remote.is_source(path) or _remote.is_content(path):
        name, source, member = _remote.named(path)
        return _meshpeek.open_source((_path(name), source), member, _limits(limits))
    return _meshpeek.open(_path(path), access, _limits(limits))


def from_buffer(buffer, name="", *, limits=None):
    """Opens bytes as a file of this name. `bytes` are read in place. Other objects are copied, because they might change."""
    return _meshpeek.from_buffer(buffer, _path(name), _limits(limits))


def address(row):
    """The address of a row of a scan, for `open`. Finds the file even if its name is not UTF-8."""
    path, member = row["path"], row.get("member")
    if row.get("lossy") and not _os.path.lexists(path):
        byte = lambda found: bytes([int(found[1], 16)])
        path = _os.fsdecode(_re.sub(rb"\\x([89a-fA-F][0-9a-fA-F])", byte, _os.fsencode(path)))
    return path if member is None else f"{path}!/{member}"


def walk(
    paths=(),
    *,
    every=False,
    formats=None,
    globs=(),
    folder_depth=None,
    follow=False,
    hidden=False,
    ignored=False,
    archives=True,
    access="auto",
    limits=None,
    errors="raise",
):
    """Opens the assets in these paths one after another, and those inside archives, at any depth, in one pass. An
    archive comes before its members. A member that cannot be decoded has its `error`.

    With `every`, also gives what is not an asset. With `errors="skip"`, paths that cannot be read are left out. All
    other options are those of `scan`."""
    if errors not in ("raise", "skip"):
        raise ValueError('errors is "raise" or "skip"')
    options = _options(paths, formats=formats, globs=globs, folder_depth=folder_depth, follow=follow, hidden=hidden)
    options |= {"ignored": ignored, "archives": archives, "access": access, "limits": _limits(limits)}
    return _meshpeek.walk(options, options["sources"], every, errors == "skip")


def plan(
    paths,
    *,
    unit_bytes=256 << 20,
    by="time",
    globs=(),
    folder_depth=None,
    follow=False,
    hidden=False,
    ignored=False,
    archives=True,
    limits=None,
):
    """Divides a scan of these paths into units of about `unit_bytes` bytes. Reads only file sizes and the directories
    of archives. `scan` runs the units; give it the same options.

    `by` says how `scan` recognizes files that have changed since: "time" (by size and time) or, for copies that do not
    keep times, "size" alone or "digest", by SHA-256, which reads every file.

    The rows of all units together are those of the whole scan. Each unit has a separate budget, which limits the cost
    of hostile files."""
    options = _options(paths, globs=globs, folder_depth=folder_depth, follow=follow, hidden=hidden, ignored=ignored)
    if options["sources"]:
        raise ValueError("a plan takes paths only, not URLs, bytes or file objects")
    options |= {"archives": archives, "limits": _limits(limits)}
    units = {}
    for piece in _json.loads(_meshpeek.plan(options, unit_bytes, by)):
        units.setdefault(piece["unit"], []).append(piece)
    return Units(units.values())


def scan(
    paths=(),
    *,
    units=None,
    table="assets",
    depth="summary",
    digests=False,
    verify=False,
    formats=None,
    globs=(),
    folder_depth=None,
    follow=False,
    hidden=False,
    ignored=False,
    archives=True,
    since=None,
    jobs=None,
    access="auto",
    read_ahead=True,
    limits=None,
    errors="record",
    batch_rows=8192,
    progress=False,
):
    """Scans files, folders and archives, or the units of a plan. Returns one row for each item of the kind that `table`
    names, one of `TABLES`.

    - `paths`: a path or an iterable of them. A path may also be a URL of a file that fsspec opens, or a binary file object;
      and `paths` may be a dict of names with bytes or file objects. Folders of URLs are not listed. Of URLs and files that
      can seek, only the ranges that records need are read; tables other than "assets", "problems" and "files" read each
      file whole.
    - `depth`: "header" reads headers and tables alone, "summary" all that needs no decoding, "verify" everything.
      `verify=True` is short for the last.
    - `formats`: only assets of these formats, and archives that could not all be read, since they may hold such
      assets. `globs`: only paths that match one of these patterns, written as in .gitignore; with `!` in front, only
      those that do not.
    - `folder_depth`: the most levels of folders. `follow`: follow symbolic links. `hidden`, `ignored`: include hidden
      files, and those that .gitignore and similar files exclude. `archives=False`: do not look inside archives.
    - `since`: the whole result of an earlier scan of the assets with the same options, as an Arrow table or the path of
      a Parquet file. The rows of files that have not changed are taken from it. Or a folder of Parquet tables, as the
      program or `to_parquet` writes them; then for any table, if the folder has it and the assets.
    - `jobs`: files to read at once. `access`: "auto" (large files are mapped, others read), "map" or "read".
      `read_ahead=False`: do not read ahead in archives.
    - `limits`: a dict with a number for each limit to change: "depth", "decoded", "problems", "archive_depth",
      "archive_members", "work", "output", "references".
    - `errors` says what happens to a path that cannot be read. "record": it becomes a row without a format, with the
      error as its only problem. Tables other than "assets", "problems" and "files" have no such row, so the error is
      raised after the last row. "raise": the error is raised at once. "skip": the path is left out.
    - `batch_rows`: the most rows in a batch. `progress=True` draws a bar with tqdm."""
    options = _options(
        paths,
        digests=digests,
        depth="verify" if verify else depth,
        formats=formats,
        globs=globs,
        folder_depth=folder_depth,
        follow=follow,
        hidden=hidden,
        ignored=ignored,
        archives=archives,
        jobs=jobs,
        access=access,
        read_ahead=read_ahead,
        limits=_limits(limits),
        table=table,
        units=None if units is None else _json.dumps(_flat(units)),
        errors=errors,
        batch_rows=batch_rows,
        progress=progress,
    )
    if since is not None:
        is_folder = isinstance(since, str | bytes) or hasattr(since, "__fspath__")
        is_folder = is_folder and _os.path.isdir(_path(since))
        if table != "assets":
            if not is_folder:
                raise ValueError('since is for table="assets", or a folder of tables')
            options["known"] = _arrow(since, _meshpeek.scan(options | {"table": "assets"}))
        options["since"] = _arrow(since, _meshpeek.scan(options))
    return _meshpeek.scan(options)


def verify(paths=(), *, errors="record", **options):
    """The problems in these paths, a row for each. Decodes every block and checks every index. The options are those of
    `scan`."""
    return scan(paths, table="problems", verify=True, errors=errors, **options)


def refs(
    paths,
    *,
    missing=False,
    stale=False,
    assume=(),
    prefixes=None,
    textures=None,
    jobs=None,
    access="auto",
    limits=None,
    errors="raise",
    progress=False,
):
    """The references of all assets in these paths and what they mean, a row for each: with `state` and `target`.

    `missing`: only those whose file is missing. `stale`: only textures that a material names and that an ODOL model's
    copy of the material does not have. `assume`: names below these prefixes count as found. `prefixes`: folders and
    archives by their prefix, instead of that in their files. `textures`: a folder with images; a texture that is found
    nowhere else is the one with its name there. An asset that could not all be read has a row with the state "unread"
    and without a name."""
    if missing and stale:
        raise ValueError("missing and stale exclude each other")
    return _meshpeek.scan(
        _options(
            paths,
            question="refs",
            missing=missing,
            stale=stale,
            assume=_list(assume),
            prefixes=list((prefixes or {}).items()),
            textures=textures,
            jobs=jobs,
            access=access,
            limits=_limits(limits),
            errors=errors,
            progress=progress,
        )
    )


def dupes(paths, *, jobs=None, access="auto", limits=None, errors="raise", progress=False):
    """The assets in these paths that occur more than once, a row for each copy. Those of one `group` have the `same`
    bytes ("file") or content ("content"). Assets that could not all be read follow, "unread" and in no group: others may
    have the same content."""
    return _meshpeek.scan(
        _options(
            paths,
            question="dupes",
            jobs=jobs,
            access=access,
            limits=_limits(limits),
            errors=errors,
            progress=progress,
        )
    )


def diff(a, b, *, tolerance=0.0, access="auto", limits=None, errors="raise"):
    """The differences between two files, members, archives or folders, a row for each. Numbers with a fraction that
    differ by `tolerance` at most are equal."""
    sides = [_path(a), _path(b)]
    return _meshpeek.scan(
        _options(
            (),
            question="diff",
            sides=sides,
            tolerance=tolerance,
            access=access,
            limits=_limits(limits),
            errors=errors,
        )
    )


def _options(paths, **options):
    """All options of a verb. Those that are not given have their defaults."""
    paths, sources = _remote.split(paths)
    if sources and (options.get("units") is not None or options.get("question", "scan") != "scan"):
        raise ValueError("this takes paths only, not URLs, bytes or file objects")
    defaults = {
        "paths": [path if type(path) is str else _path(path) for path in paths],
        "sources": [(_path(name), source) for name, source in sources],
        "question": "scan",
        "table": "assets",
        "units": None,
        "digests": False,
        "depth": "summary",
        "formats": None,
        "globs": (),
        "folder_depth": None,
        "follow": False,
        "hidden": False,
        "ignored": False,
        "archives": True,
        "jobs": None,
        "access": "auto",
        "read_ahead": True,
        "limits": {},
        "assume": [],
        "prefixes": [],
        "textures": None,
        "missing": False,
        "stale": False,
        "sides": [],
        "tolerance": 0.0,
        "progress": False,
    }
    options = defaults | options
    options["formats"] = _list(options["formats"] or ())
    options["globs"] = _list(options["globs"])
    return options


def _list(texts):
    return [texts] if isinstance(texts, str) else list(texts)


def _path(path):
    """A path as text; `bytes` and names that are not UTF-8 as Python's own functions write them."""
    try:
        return _os.fsdecode(path)
    except TypeError:
        kind = type(path).__name__
        raise TypeError(f"a path is a str, bytes or a path object, not {kind}; from_buffer() opens bytes of a file") from None


_UNITS = {"k": 10, "m": 20, "g": 30}


def _limits(limits):
    """Limits as numbers. "64k", "512M" and "2G" are numbers of bytes."""

    def number(value):
        if not isinstance(value, str):
            return value
        shift = _UNITS.get(value[-1:].lower(), 0)
        return int(value[:-1] if shift else value) << shift

    return {name: number(value) for name, value in (limits or {}).items()}


def _arrow(since, scan):
    """An earlier result with exactly the columns of the scan."""
    if isinstance(since, str | bytes) or hasattr(since, "__fspath__"):
        from . import _dataset

        since = _dataset.read(_path(since), scan.table)
    try:
        import pyarrow
    except ImportError:
        return since
    try:
        return pyarrow.table(since).cast(pyarrow.schema(scan))
    except (ValueError, TypeError) as error:
        raise ValueError(f"since is not the result of an earlier scan: {error}") from None


_KEYS = ("unit", "path", "lossy", "first", "last", "bytes", "stamp", "named")


def _flat(units):
    """Returns all pieces in one list. Accepts a piece, a unit, several units, or rows of an engine such as Spark."""
    if hasattr(units, "asDict"):
        units = units.asDict()
    if isinstance(units, dict):
        return [{key: units[key] for key in _KEYS if units.get(key) is not None}]
    if isinstance(units, _Iterable) and not isinstance(units, str | bytes):
        return [piece for unit in units for piece in _flat(unit)]
    raise TypeError("units are what plan() gives, or some of it")
