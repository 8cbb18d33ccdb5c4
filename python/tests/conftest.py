"""Files for the tests: the project's corpus, and archives made of it."""

import os
import pathlib
import signal
import struct
import zipfile

import pytest

# Tests of a wheel are copied elsewhere.
ROOT = pathlib.Path(os.environ.get("MESHPEEK_ROOT") or pathlib.Path(__file__).resolve().parents[2])


@pytest.fixture(scope="session", autouse=True)
def default_interrupt():
    """Undoes that a shell ignores SIGINT in the background and under nohup. Child processes inherit it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def corpus():
    return ROOT / "corpus"


@pytest.fixture(scope="session")
def triangle(corpus):
    return corpus / "b3d" / "triangle.b3d"


def pbo(members):
    """Returns a PBO archive of uncompressed members."""
    entry = lambda name, size: name.encode() + b"\0" + struct.pack("<5I", 0, 0, 0, 0, size)
    head = b"\0" + struct.pack("<5I", 0x56657273, 0, 0, 0, 0) + b"\0"
    head += b"".join(entry(name, len(data)) for name, data in members) + entry("", 0)
    return head + b"".join(data for _, data in members)


@pytest.fixture
def archives(tmp_path, corpus):
    """A folder with nested archives, a damaged archive and loose files."""
    folder = tmp_path / "mods"
    folder.mkdir()
    models = sorted((corpus / "b3d").glob("*.b3d")) + sorted((corpus / "odol").glob("*.p3d"))
    members = [(path.name, path.read_bytes()) for path in models]
    inner = pbo(members)
    for number in range(4):
        (folder / f"{number}.pbo").write_bytes(pbo([("inner.pbo", inner), ("note.txt", b"hello"), *members]))
    with zipfile.ZipFile(folder / "all.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
        archive.writestr("inner.pbo", inner)
    (folder / "damaged.pbo").write_bytes(inner[: len(inner) // 2])
    (folder / "loose.b3d").write_bytes(members[0][1])
    return folder


@pytest.fixture
def large(tmp_path, triangle):
    """A PBO that is large enough to be mapped: a model, then zeros."""
    path = tmp_path / "large.pbo"
    path.write_bytes(pbo([("triangle.b3d", triangle.read_bytes()), ("zeros.bin", bytes(1 << 20))]))
    return path
