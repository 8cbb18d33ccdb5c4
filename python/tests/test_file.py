import gc
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import textwrap
import threading
import zipfile
import zlib

import numpy
import pytest

import meshpeek


def address(array):
    return array.__array_interface__["data"][0]


def maps(path):
    """Returns the address ranges to which a file is mapped, according to the system."""
    lines = pathlib.Path("/proc/self/maps").read_text().splitlines()
    spans = [line.split()[0].split("-") for line in lines if line.endswith(f" {path}")]
    return [range(int(start, 16), int(end, 16)) for start, end in spans]


def test_arrays_lie_inside_the_map(large):
    if not os.path.exists("/proc/self/maps"):
        pytest.skip("skipped: no /proc")
    file = meshpeek.open(f"{large}!/triangle.b3d")
    assert file.mapped
    view = file["meshes/0/positions"].numpy()
    del file
    gc.collect()
    # Only the view keeps the map open.
    (mapped,) = maps(large)
    assert address(view) in mapped and address(view) + view.nbytes - 1 in mapped
    assert view.sum() == 4.5
    del view
    gc.collect()
    assert not maps(large)


def test_arrays_are_views_of_the_file(triangle):
    with meshpeek.open(triangle, access="map") as file:
        assert (file.format, file.version, file.mapped) == ("b3d", 1, True)
        whole = numpy.frombuffer(file.buffer, numpy.uint8)
        array = file["meshes/0/positions"]
        assert (len(array), array.columns, array.dtype, array.owned) == (3, ["x", "y", "z"], "<f4", False)
        view = array.numpy()
        assert view.shape == (3, 3) and view.dtype == numpy.float32
        assert address(view) == address(whole) + array.offset
        assert isinstance(view.base, meshpeek.Buffer)
        assert not view.flags.writeable
        with pytest.raises(ValueError):
            view[0, 0] = 1
        assert view.tolist() == [[0, 0.125, 0.25], [0.375, 0.5, 0.625], [0.75, 0.875, 1]]
        copied = array.numpy(copy=True)
        assert copied.flags.writeable and copied.flags.aligned and (copied == view).all()
        assert not numpy.shares_memory(copied, view)
        assert (numpy.asarray(array) == view).all()
        assert "meshes/0/positions" in file and "meshes/1/positions" not in file and "meshes//" not in file
        assert list(file) == list(file.arrays())
    with pytest.raises(ValueError, match="closed"):
        file.record()
    # Arrays and buffers taken before stay valid.
    del file, array, whole
    gc.collect()
    assert view.sum() == 4.5


def test_every_array_is_what_its_buffer_says(corpus):
    kinds = set()
    for path in sorted(corpus.rglob("*")):
        if not path.is_file() or path.suffix in (".md", ".ndjson", ".json", ".txt") or "hostile" in path.parts:
            continue
        with meshpeek.open(path) as file:
            if file.format is None:
                continue
            arrays = file.arrays()
            for selector, facts in arrays.items():
                array = file[selector]
                assert (len(array), array.columns, array.packing) == (facts["rows"], facts["columns"], facts["packing"])
                view = array.numpy()
                kinds.add((array.packing, array.owned))
                assert view.shape == array.shape
                assert array.aligned == (view.flags.aligned and view.dtype.names is None) or not len(array)
                direct = numpy.asarray(memoryview(array))
                assert direct.tobytes() == view.tobytes()
                assert memoryview(array).readonly
                if not array.owned:
                    start = address(numpy.frombuffer(file.buffer, numpy.uint8)) if len(file.buffer) else 0
                    assert not view.size or start <= address(view) < start + len(file.buffer)
    assert {("in place", False), ("strided", False), ("lzo", True), ("derived", True)} <= kinds, kinds


def test_archives_lead_to_members(archives):
    with meshpeek.open(archives / "all.zip") as file:
        members = file.members()
        assert [member["index"] for member in members] == list(range(len(members)))
        inner = file.member("inner.pbo")
        assert inner.format == "pbo" and inner.name.endswith("all.zip!/inner.pbo")
        deep = inner.member("triangle.b3d")
        assert len(deep["meshes/0/positions"]) == 3
        assert file.member(len(members) - 1).name == inner.name
        with pytest.raises(IndexError):
            file.member(len(members))
        with pytest.raises(FileNotFoundError, match="nearest"):
            file.member("triangl.b3d")
    by_address = meshpeek.open(f"{archives}/all.zip!/inner.pbo!/triangle.b3d")
    assert by_address.record()["member"] == "inner.pbo!/triangle.b3d"
    assert by_address.record() == deep.record()
    # Stored members of stored archives are views of the file.
    stored = meshpeek.open(f"{archives}/0.pbo!/inner.pbo!/triangle.b3d", access="map")
    assert stored.mapped and not stored["meshes/0/positions"].owned


def test_records_trees_and_problems(corpus, triangle):
    file = meshpeek.open(triangle)
    record = file.record(digests=True)
    assert record["counts"]["vertices"] == 3 and len(record["digests"]["positions"]) == 64
    info = file.info()
    assert info["detail"]["version"] == 1 and info["title"] == "Blitz3D scene"
    tree = file.tree()
    assert tree[0]["depth"] == 0 and {"kind", "name", "note", "offset", "bytes"} <= set(tree[0])
    assert file.verify() == []
    broken = meshpeek.open(corpus / "hostile" / "brush_out_of_range.b3d").verify()
    assert [(problem["severity"], problem["offset"]) for problem in broken] == [("error", 0x147)]
    assert file.unchanged() is True
    data = triangle.read_bytes()
    for buffer in (data, bytearray(data), memoryview(data), numpy.frombuffer(data, numpy.uint8)):
        again = meshpeek.from_buffer(buffer, "x.b3d")
        assert again["meshes/0/positions"].numpy().sum() == 4.5
        assert again.record()["counts"] == record["counts"]


def test_errors_are_exceptions(tmp_path, triangle):
    with pytest.raises(FileNotFoundError) as error:
        meshpeek.open(tmp_path / "none.b3d")
    assert error.value.filename == str(tmp_path / "none.b3d")
    with pytest.raises(IsADirectoryError):
        meshpeek.open(tmp_path)
    file = meshpeek.open(triangle)
    with pytest.raises(KeyError, match="did you mean meshes/0/positions"):
        file["meshes/0/position"]
    with pytest.raises(meshpeek.Error):
        file["meshes//x"]
    # Whether a cut file has an array is not known.
    cut = meshpeek.from_buffer(triangle.read_bytes()[:-4], "cut.b3d")
    with pytest.raises(meshpeek.Error, match="needs"):
        cut["meshes/0/triangles/0/indices"]
    with pytest.raises(meshpeek.Error, match="needs"):
        "meshes/0/triangles/0/indices" in cut
    assert "meshes/0/positions" in cut and "none" not in file
    assert issubclass(meshpeek.LimitError, meshpeek.Error) and issubclass(meshpeek.Error, ValueError)
    cut = tmp_path / "cut.b3d"
    cut.write_bytes(b"BB3D")
    with pytest.raises(meshpeek.Error) as error:
        meshpeek.open(cut).info()
    # The record has the same location.
    assert error.value.offset == meshpeek.open(cut).record()["problems"][0]["offset"] == 0
    text = tmp_path / "note.txt"
    text.write_text("hello")
    with pytest.raises(meshpeek.Unsupported):
        meshpeek.open(text).info()
    with pytest.raises(ValueError, match="access"):
        meshpeek.open(triangle, access="write")


def test_threads_share_a_file(large):
    file = meshpeek.open(f"{large}!/triangle.b3d")
    sums, errors = [], []

    def look():
        try:
            for _ in range(200):
                sums.append(float(file["meshes/0/positions"].numpy().sum()))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=look) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not errors and sums == [4.5] * 1600


SIZE = 50 << 30


def test_a_file_of_50_gb_takes_no_memory(tmp_path):
    path = tmp_path / "large.bin"
    with open(path, "wb") as file:
        file.truncate(SIZE)
    code = f"""
    import meshpeek, numpy, pathlib, re
    file = meshpeek.open({str(path)!r})
    view = numpy.frombuffer(file.buffer, numpy.uint8)
    assert file.mapped and view.nbytes == {SIZE} and view[-1] == 0 and view[{SIZE} // 2] == 0
    # Unlike `ru_maxrss`, this starts anew with the program.
    peak = re.search(r"VmHWM:\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())
    assert int(peak[1]) < 300_000
    """
    run(code)


def run(code, *arguments, status=0):
    """Runs code in a separate Python process."""
    done = subprocess.run(
        [sys.executable, *arguments, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done


CUT = """
import faulthandler
{before}
import meshpeek, os, numpy
{after}
file = meshpeek.open({path!r})
assert file.mapped
model = meshpeek.open({path!r} + "!/triangle.b3d")
view = numpy.frombuffer(file.buffer, numpy.uint8)
{late}
os.truncate({path!r}, 4096)
assert int(view[:4096].sum()) > 0
assert int(view[-100_000:].sum()) == 0
assert file.format == "pbo" and file.members() and file.record()
model.record(), model.verify(), model["meshes/0/positions"].numpy().sum()
assert not file.unchanged()
print("alive")
"""


@pytest.mark.parametrize(
    "moment", [{}, {"before": 1}, {"after": 1}, {"before": 1, "after": 1}, {"late": 1}, {"before": 1, "late": 1}]
)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="skipped: systems without SIGBUS refuse to cut mapped files")
def test_a_cut_file_never_ends_python(large, moment):
    words = {key: "faulthandler.enable()" if key in moment else "" for key in ("before", "after", "late")}
    assert "alive" in run(CUT.format(path=str(large), **words)).stdout
    # With faulthandler enabled from the start, as pytest does.
    os.truncate(large, 1 << 20)


def test_strided_rows_are_no_contiguous_buffer(corpus):
    pyarrow = pytest.importorskip("pyarrow")
    strided, contiguous = 0, 0
    for path in sorted(corpus.rglob("*.*")):
        try:
            file = meshpeek.open(path)
            selectors = list(file.arrays())
        except (meshpeek.Error, meshpeek.LimitError, meshpeek.Unsupported):
            continue
        for selector in selectors[:50]:
            try:
                array = file[selector]
            except (meshpeek.Error, meshpeek.LimitError, meshpeek.Unsupported, KeyError):
                continue
            view = array.numpy()
            if view.flags.c_contiguous or view.flags.f_contiguous:
                contiguous += 1
                assert bytes(pyarrow.py_buffer(array)) == view.tobytes("A")
            else:
                strided += 1
                with pytest.raises(BufferError):
                    pyarrow.py_buffer(array)
                assert memoryview(array).tobytes() == view.tobytes()
            assert numpy.asarray(array).tobytes() == view.tobytes()
    assert strided > 5 and contiguous > 5


def animation(count, name=b""):
    """Returns a BMTR animation with this many bones, all of this name."""
    return b"BMTR\3\0\0\0\1" + bytes(20) + struct.pack("<II", count, count) + (name + b"\0") * count + bytes(4)


@pytest.mark.parametrize("question", ["arrays", "tree", "info"])
def test_lists_of_many_parts_are_bounded(question):
    # Bones without names form one row of a tree, so `tree` needs names.
    name = b"a" if question == "tree" else b""
    few = meshpeek.from_buffer(animation(1000, name), "few.rtm")
    assert len(few.arrays()) >= 1000 and len(few.tree()) > 0 and few.info()["counts"]["bones"] == 1000
    many = meshpeek.from_buffer(animation(1_000_000, name), "many.rtm")
    with pytest.raises(meshpeek.LimitError):
        getattr(many, question)()


def test_a_member_is_had_by_its_place_in_a_long_list():
    entry = b"a\0" + bytes(20)
    few = meshpeek.from_buffer(b"\0sreV" + bytes(17) + entry * 5 + bytes(21), "few.pbo")
    assert len(few.members()) == 5 and few.member(4).name.endswith("!/a#4")
    with pytest.raises(IndexError):
        few.member(5)


def png():
    """A red pixel."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"\0\xff\0\0")) + chunk(b"IEND", b"")


def with_image(path, to):
    """A copy of a map whose embedded images are sound."""
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(to, "w") as new:
        for name in old.namelist():
            new.writestr(name, png() if name.endswith(".png") else old.read(name))
    return to


def test_a_binary_config_has_its_text(corpus):
    with meshpeek.open(corpus / "rap/material.rvmat") as file:
        text = file.config_text()
    assert text.startswith(b"ambient[] = {1.0, 0.5, 1, 1.0};\nspecularPower = 60;\n")
    assert b'\nclass Stage1 {\n\ttexture = "own\\data\\house_nohq.paa";\n' in text
    with meshpeek.open(corpus / "b3d/everything.b3d") as file, pytest.raises(meshpeek.Unsupported):
        file.config_text()
    with meshpeek.open(corpus / "rap/material.rvmat", limits={"decoded": 100}) as file, pytest.raises(meshpeek.LimitError):
        file.config_text()


def test_models_are_exported_with_their_images(corpus, tmp_path):
    names = ["lodka/several_models.lod", "mlod/everything.p3d", "rtm/plain.rtm"]
    bmx = with_image(corpus / "bmx/full.bmx", tmp_path / "full.bmx")
    b3d = tmp_path / "everything.b3d"
    b3d.write_bytes((corpus / "b3d/everything.b3d").read_bytes())
    with meshpeek.open(b3d) as file:
        textures = [reference["name"] for reference in file.record()["references"]]
        # Black is transparent in the other one, so its pixels are needed, which only the program decodes.
        images = {name: png() for name in textures if name.endswith("bark.bmp")}
        bare, glb = file.export(), file.export(images=images)
        assert b"\x89PNG" not in bare and glb.count(b"IDAT") >= 1
        assert file.export("png").startswith(b"\x89PNG") and file.export("ply").startswith(b"ply")
        with pytest.raises(meshpeek.Unsupported):
            file.export("fbx")
    assert meshpeek.open(bmx).export().count(b"IDAT") == 1
    program = os.environ.get("MESHPEEK") or shutil.which("meshpeek")
    if not program:
        pytest.skip("skipped: no program meshpeek; MESHPEEK says where it is")
    for name in images:
        (tmp_path / name.replace("\\", "/").split("/")[-1]).write_bytes(png())
    for path in [*(corpus / name for name in names), bmx, b3d]:
        out = tmp_path / "out.glb"
        subprocess.run([program, "export", "-q", path, "-o", out], check=True)
        ours = meshpeek.open(path).export(images=images if path == b3d else None)
        assert ours == out.read_bytes(), path
