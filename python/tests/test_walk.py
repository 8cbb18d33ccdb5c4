"""Walks through files and archives, and archives as sequences."""

import struct
import time

import numpy
import pytest

import meshpeek
from conftest import pbo


def test_a_walk_opens_what_a_scan_finds(archives, corpus):
    for paths in ([archives], [corpus]):
        walked = {}
        for file in meshpeek.walk(paths, errors="skip"):
            record = file.record()
            walked[record["path"], record["member"]] = record["format"], record["bytes"]
            # Releases the bytes before the next one.
            file.close()
        scanned = {
            (row["path"], row["member"]): (row["format"], row["bytes"]) for row in meshpeek.scan(paths) if row["format"]
        }
        assert {key: facts for key, facts in walked.items() if facts[0]} == scanned != {}


def test_a_walk_chooses(archives):
    formats = [file.format for file in meshpeek.walk(archives, formats=["b3d"], errors="skip")]
    assert set(formats) == {"b3d"}
    assert all("!/" not in file.name for file in meshpeek.walk(archives, archives=False, errors="skip"))
    every = [file.name for file in meshpeek.walk(archives / "0.pbo", every=True)]
    assert any(name.endswith("note.txt") for name in every)
    assert all(not file.name.endswith("note.txt") for file in meshpeek.walk(archives / "0.pbo"))
    chosen = [file.name for file in meshpeek.walk(archives / "0.pbo", globs="triangle.*")]
    assert [name for name in chosen if "!/" in name] == [name for name in chosen if name.endswith("triangle.b3d")]
    with pytest.raises(FileNotFoundError):
        list(meshpeek.walk(archives / "none"))
    assert list(meshpeek.walk(archives / "none", errors="skip")) == []


def test_a_file_walks_itself(archives):
    with meshpeek.open(archives / "all.zip") as file:
        inside = list(file.walk())
        assert [one.name for one in inside] == [
            one.name for one in meshpeek.walk(archives / "all.zip") if one.name != file.name
        ]
        deep = next(one for one in inside if one.name.endswith("inner.pbo!/triangle.b3d"))
    assert deep["meshes/0/positions"].numpy().sum() == 4.5
    assert deep.record()["member"] == "inner.pbo!/triangle.b3d"
    assert list(meshpeek.open(archives / "loose.b3d").walk()) == []


def test_a_member_that_does_not_decode_says_why(tmp_path):
    entry = lambda name, method, size, packed: name + b"\0" + struct.pack("<5I", method, size, 0, 0, packed)
    head = entry(b"a.b3d", 0x43707273, 100, 4) + entry(b"", 0, 0, 0)
    path = tmp_path / "bad.pbo"
    path.write_bytes(head + b"\xff\xff\xff\xff")
    archive, bad = meshpeek.walk(path)
    assert archive.error is None and isinstance(bad.error, meshpeek.Error)
    [_, row] = sorted(meshpeek.scan(path), key=lambda row: row["member"] or "")
    assert bad.record()["problems"] == row["problems"] != []
    with pytest.raises(meshpeek.Error):
        bad.arrays()


def test_archives_are_sequences(archives):
    with meshpeek.open(archives / "all.zip") as file:
        names = [member["name"] for member in file.members()]
        assert len(file) == len(names) and file.keys() == list(file) == names
        assert file[0].name == file[names[0]].name == file.member(0).name
        assert file[-1].name == file.member(len(file) - 1).name
        assert names[0] in file and "none" not in file and 0 not in file
        with pytest.raises(IndexError):
            file[len(file)]
        with pytest.raises(KeyError):
            file["none"]
    with meshpeek.open(archives / "all.zip!/triangle.b3d") as file:
        assert len(file) == len(file.keys()) == len(file.arrays())
        array = file["meshes/0/positions"]
        assert numpy.array_equal(array[0], array.numpy()[0]) and array[1:3].shape == (len(array[1:3]), 3)
        assert [list(row) for row in array] == array.numpy().tolist()


def test_repeated_names_are_distinguished(tmp_path, triangle):
    path = tmp_path / "twice.pbo"
    path.write_bytes(pbo([("a.b3d", triangle.read_bytes()), ("b.txt", b""), ("a.b3d", triangle.read_bytes())]))
    file = meshpeek.open(path)
    assert len({file[index].name for index in range(3)}) == 3
    assert file[2].name == file[file.keys()[2]].name


def test_members_by_number_cost_the_same_wherever_they_are(tmp_path):
    count = 100_000
    file = meshpeek.from_buffer(pbo([(f"{number:06}.txt", b"x") for number in range(count)]), "many.pbo")
    assert len(file) == count
    # A list for each of these would take hours.
    for number in range(0, count, 5):
        assert file.member(number).name.endswith(f"{number:06}.txt")
