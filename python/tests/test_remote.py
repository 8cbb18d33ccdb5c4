"""Bytes, file objects and URLs: only what is needed is read."""

import io
import json
import pickle

import pyarrow
import pytest

import meshpeek
from conftest import pbo

fsspec = pytest.importorskip("fsspec")


class Counted(fsspec.AbstractFileSystem):
    """Files of this machine. Counts what is read."""

    protocol = "counted"
    cachable = False
    read = 0
    requests = 0

    def info(self, path, **options):
        import os

        path = self._strip_protocol(path)
        return {"name": path, "size": os.stat(path).st_size, "type": "file"}

    def cat_file(self, path, start=None, end=None, **options):
        with open(self._strip_protocol(path), "rb") as file:
            file.seek(start)
            data = file.read(end - start)
        Counted.read += len(data)
        Counted.requests += 1
        return data


fsspec.register_implementation("counted", Counted, clobber=True)


@pytest.fixture
def counted():
    Counted.read = Counted.requests = 0
    return Counted


def url(path):
    return f"counted://{path}"


def comparable(rows):
    """Rows without what differs by the way to the file."""
    rows = [{**row, "stamp": None, "address": None, "path": row["path"].rpartition("/")[2]} for row in rows]
    for row in rows:
        if row["member"] is None:
            row["mtime"] = None
    return sorted(rows, key=lambda row: json.dumps(row, default=str, sort_keys=True))


@pytest.fixture
def padded(tmp_path, corpus):
    """An archive of models between sounds that take nearly all of its bytes."""
    path = tmp_path / "padded.pbo"
    models = sorted((corpus / "odol").glob("*.p3d"))[:8] + sorted((corpus / "b3d").glob("*.b3d"))
    members = []
    for number, model in enumerate(models):
        members += [(f"{number}.ogg", b"OggS" + bytes(400_000)), (f"data\\{model.name}", model.read_bytes())]
    inner = pbo([("deep.b3d", (corpus / "b3d" / "triangle.b3d").read_bytes()), ("pad.ogg", bytes(300_000))])
    path.write_bytes(pbo([*members, ("inner.pbo", inner)]))
    return path, models


def test_an_archive_is_read_by_ranges(padded, counted):
    path, models = padded
    size = path.stat().st_size
    file, local = meshpeek.open(url(path)), meshpeek.open(path)
    assert (file.format, len(file), file.keys()) == ("pbo", len(local), local.keys())
    assert file.members() == local.members()
    assert counted.read < 16_384 < size / 100
    model = next(model for model in models if model.suffix == ".p3d")
    for key in (f"data/{model.name}", file.keys().index(f"data\\{model.name}")):
        member = file[key]
        record, expected = member.record(), local[key].record()
        assert record["member"] == expected["member"] and record["counts"] == expected["counts"]
    assert counted.read < 16_384 + 4 * model.stat().st_size < size / 10
    before = counted.read
    deep = meshpeek.open(f"{url(path)}!/inner.pbo!/deep.b3d")
    assert deep["meshes/0/positions"].numpy().sum() == 4.5
    assert deep.name == f"{url(path)}!/inner.pbo!/deep.b3d"
    assert counted.read - before < 32_768
    with pytest.raises(FileNotFoundError, match="nearest"):
        file.member("data/nothing.p3d")
    with pytest.raises(KeyError):
        file["none"]


def test_a_scan_reads_what_records_need(padded, counted):
    path, models = padded
    size, needed = path.stat().st_size, sum(model.stat().st_size for model in models)
    rows = list(meshpeek.scan(url(path)))
    assert comparable(rows) == comparable(meshpeek.scan(path)) and len(rows) == len(models) + 3
    assert rows[0]["path"] == url(path) and counted.read < needed + 300_000 < size / 2
    counted.read = 0
    header = list(meshpeek.scan(url(path), depth="header"))
    assert comparable(header) == comparable(meshpeek.scan(path, depth="header"))
    assert counted.read < size / 20
    for options in ({"digests": True}, {"verify": True}):
        assert comparable(meshpeek.scan(url(path), **options)) == comparable(meshpeek.scan(path, **options))
    for table in ("arrays", "members", "geometry"):
        assert len(list(meshpeek.scan(url(path), table=table))) == len(list(meshpeek.scan(path, table=table))) > 0
    problems = [row["code"] for row in meshpeek.verify(url(path))]
    assert problems == [row["code"] for row in meshpeek.verify(path)]


def test_a_walk_reads_what_it_gives(padded, counted):
    path, models = padded
    local = {file.name.rpartition("!/")[2]: file.record() for file in meshpeek.walk(path)}
    walked = {}
    for file in meshpeek.walk(url(path)):
        walked[file.name.rpartition("!/")[2]] = file.record()
        file.close()
    assert list(walked)[1:] == list(local)[1:] and len(walked) == len(models) + 3
    for (_, ours), (_, theirs) in zip(walked.items(), local.items(), strict=True):
        assert [ours[key] for key in ("member", "counts", "stored")] == [theirs[key] for key in ("member", "counts", "stored")]
    assert counted.read < path.stat().st_size / 2
    assert [file.format for file in meshpeek.walk(url(path), formats=["pbo"])] == ["pbo", "pbo"]
    assert len(list(meshpeek.walk(url(path), every=True))) > 2 * len(models)


def test_every_file_of_the_corpus_is_the_same_by_ranges(corpus, archives, counted):
    paths = [path for path in sorted(corpus.rglob("*")) if path.is_file() and path.suffix not in (".md", ".ndjson")]
    count = 0
    for path in [*paths, *sorted(archives.iterdir())]:
        remote, local = meshpeek.open(url(path)), meshpeek.open(path)
        assert (remote.format, remote.version) == (local.format, local.version), path
        assert type(remote.error) is type(local.error), path
        if local.error is None and "hostile" not in path.parts:
            ours, theirs = remote.record(), local.record()
            apart = {"path": None, "address": None}
            assert ours | apart == theirs | apart, path
            assert remote.arrays() == local.arrays() and remote.tree() == local.tree(), path
            assert remote.verify() == local.verify() and bytes(remote.buffer) == path.read_bytes(), path
            for selector in local.arrays():
                assert bytes(memoryview(remote[selector].numpy(copy=True))) == bytes(
                    memoryview(local[selector].numpy(copy=True))
                ), (path, selector)
            assert len(remote.geometry()) == len(local.geometry())
            count += 1
    assert count > 60
    rows = comparable(meshpeek.scan([url(path) for path in archives.iterdir()]))
    assert rows == comparable(meshpeek.scan(sorted(archives.iterdir()))) != []


def test_bytes_and_file_objects_have_the_names_that_they_are_given(padded, archives):
    path, _ = padded
    data = path.read_bytes()
    expected = comparable(meshpeek.scan(path))

    class Seen(io.BytesIO):
        count = 0

        def read(self, size=-1):
            part = super().read(size)
            Seen.count += len(part)
            return part

    for content in (data, bytearray(data), io.BytesIO(data), Seen(data)):
        rows = list(meshpeek.scan({"padded.pbo": content}))
        assert {row["path"] for row in rows} == {"padded.pbo"} and comparable(rows) == expected
    assert 0 < Seen.count < len(data) / 2
    with (archives / "all.zip").open("rb") as file:
        assert comparable(meshpeek.scan(file)) == comparable(meshpeek.scan(archives / "all.zip"))
        assert meshpeek.open(file).keys() == meshpeek.open(archives / "all.zip").keys()
        assert [one.name for one in meshpeek.walk([file, path])][0] == str(path)
    mixed = meshpeek.scan([path, io.BytesIO(b"BB3D\x04\0\0\0\x01\0\0\0")])
    assert len(list(mixed)) == len(expected) + 1 and mixed.measure() == (2, len(data) + 12)
    # A named thing that is no asset has a row, too.
    [row] = meshpeek.scan({"note.b3d": b"hello"})
    assert row["path"] == "note.b3d" and row["problems"]
    [row] = meshpeek.scan({"note.txt": b"hello"})
    assert (row["path"], row["format"]) == ("note.txt", None)
    assert comparable(pickle.loads(pickle.dumps(meshpeek.scan({"padded.pbo": data})))) == expected
    assert comparable(pickle.loads(pickle.dumps(meshpeek.scan(url(path))))) == expected


def test_errors_of_a_source_are_its_own(padded, tmp_path):
    path, _ = padded

    class Broken(io.BytesIO):
        def read(self, size=-1):
            raise PermissionError("not today")

    with pytest.raises(PermissionError, match="not today"):
        meshpeek.open(Broken(path.read_bytes()))
    with pytest.raises(FileNotFoundError):
        meshpeek.open(url(tmp_path / "none.pbo"))
    [row] = meshpeek.scan({"a.pbo": Broken(path.read_bytes())})
    assert row["format"] is None and "not today" in row["problems"][0]["message"]
    with pytest.raises(PermissionError):
        list(meshpeek.scan({"a.pbo": Broken(path.read_bytes())}, errors="raise"))
    for wrong in (lambda: meshpeek.plan(url(path)), lambda: meshpeek.refs(url(path)), lambda: meshpeek.dupes({"a": b""})):
        with pytest.raises(ValueError, match="paths only"):
            wrong()

    class Short(io.BytesIO):
        def read(self, size=-1):
            return super().read(min(size, 100)) if self.tell() < 200 else b""

    with pytest.raises(EOFError):
        meshpeek.open(Short(path.read_bytes()))
    with pytest.raises(TypeError, match="binary"):
        meshpeek.open(io.StringIO("text"))


class Stopping(io.BytesIO):
    """Raises in this read, counted from 0."""

    def __init__(self, data, raised, number):
        super().__init__(data)
        self.raised, self.left = raised, number

    def read(self, size=-1):
        self.left -= 1
        if self.left < 0:
            raise self.raised
        return super().read(size)


WAYS = {
    "open": lambda file: meshpeek.open(file).record(),
    "rows": lambda file: list(meshpeek.scan({"a.pbo": file})),
    "rows, raise": lambda file: list(meshpeek.scan({"a.pbo": file}, errors="raise")),
    "rows, skip": lambda file: list(meshpeek.scan({"a.pbo": file}, errors="skip")),
    "arrays": lambda file: list(meshpeek.scan({"a.pbo": file}, table="arrays")),
    "verify": lambda file: list(meshpeek.verify({"a.pbo": file})),
    "walk": lambda file: [inside.record() for inside in meshpeek.walk({"a.pbo": file})],
    "walk, skip": lambda file: [inside.record() for inside in meshpeek.walk({"a.pbo": file}, errors="skip")],
    "to_arrow": lambda file: meshpeek.scan({"a.pbo": file}).to_arrow(),
    "stream": lambda file: pyarrow.table(meshpeek.scan({"a.pbo": file})),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("raised", [KeyboardInterrupt("boo"), SystemExit(3), GeneratorExit()], ids=repr)
def test_what_ends_a_program_is_no_error_of_a_file(padded, way, raised):
    path, _ = padded
    # An engine that is called directly knows no other class than its own, but an interrupt reaches Python.
    expected = OSError if way == "stream" and not isinstance(raised, KeyboardInterrupt) else type(raised)
    number = 0
    while True:
        file = Stopping(path.read_bytes(), raised, number)
        try:
            WAYS[way](file)
        except expected:
            number += 1
            continue
        # It raised nothing because there was no such read.
        assert file.left >= 0
        break
    assert number >= (2 if way in ("rows", "walk") else 1)


def test_an_engine_raises_the_error_of_a_source(padded):
    path, _ = padded
    for number in (0, 1):

        def scan():
            file = Stopping(path.read_bytes(), PermissionError("not today"), number)
            return meshpeek.scan({"a.pbo": file}, errors="raise")

        with pytest.raises(PermissionError, match="not today"):
            scan().to_arrow()
        with pytest.raises(OSError, match="not today"):
            pyarrow.table(scan())


def test_a_missing_url_is_a_row(padded, tmp_path, archives):
    path, _ = padded
    urls = [url(path), url(tmp_path / "none.pbo"), url(archives / "loose.b3d")]
    rows = list(meshpeek.scan(urls))
    [missing] = [row for row in rows if row["path"] == urls[1]]
    [problem] = missing["problems"]
    assert (missing["format"], problem["severity"]) == (None, "error") and "none.pbo" in problem["message"]
    found = comparable(meshpeek.scan([path, archives / "loose.b3d"]))
    assert comparable(row for row in rows if row is not missing) == found
    assert comparable(meshpeek.scan(urls, errors="skip")) == found
    assert comparable(pickle.loads(pickle.dumps(meshpeek.scan(urls, errors="skip")))) == found
    with pytest.raises(FileNotFoundError):
        list(meshpeek.scan(urls, errors="raise"))
    assert [file.format for file in meshpeek.walk(urls, errors="skip", formats=["b3d"])] != []
    with pytest.raises(FileNotFoundError):
        list(meshpeek.walk(urls))


def test_a_folder_of_urls_says_that_it_is_not_listed(archives):
    class Listed(Counted):
        protocol = "listed"

        def info(self, path, **options):
            return {"name": path, "size": 0, "type": "directory"}

    fsspec.register_implementation("listed", Listed, clobber=True)
    [row] = meshpeek.scan("listed:///mods/")
    assert "folders of URLs are not listed" in row["problems"][0]["message"]
    with pytest.raises(IsADirectoryError, match="not listed") as raised:
        meshpeek.open("listed:///mods/")
    assert raised.value.errno == 21


def test_bytes_are_opened_as_content(triangle):
    data = triangle.read_bytes()
    expected = meshpeek.open(triangle)["meshes/0/positions"].numpy()
    for content in (data, bytearray(data), memoryview(data), io.BytesIO(data)):
        for file in (meshpeek.open(content), meshpeek.open({"x.b3d": content})):
            assert file.format == "b3d" and (file["meshes/0/positions"].numpy() == expected).all()
        assert meshpeek.open({"x.b3d": content}).name == "x.b3d"
    # Not a path, however long.
    assert meshpeek.open(b"a/b.p3d").format is None
    for wrong in ({}, {"a": data, "b": data}):
        with pytest.raises(ValueError, match="one name"):
            meshpeek.open(wrong)
    with pytest.raises(TypeError):
        meshpeek.open({"a": 5})
