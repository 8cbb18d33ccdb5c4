"""The verbs of the program besides scan, and the options of a scan."""

import json
import math
import multiprocessing
import os
import pathlib
import pickle
import re
import shutil
import subprocess
import threading
import time

import numpy
import pyarrow
import pyarrow.parquet
import pytest

import meshpeek
from conftest import pbo


def program():
    """Returns the program, or skips the test."""
    found = os.environ.get("MESHPEEK") or shutil.which("meshpeek")
    if not found:
        pytest.skip("skipped: no program meshpeek; MESHPEEK says where it is")
    return found


def lines(*arguments):
    done = subprocess.run([program(), *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def folder(tmp_path, triangle):
    """Folders with hidden, ignored and linked files."""
    top = tmp_path / "top"
    (top / "one" / "two").mkdir(parents=True)
    for path in ("a.b3d", ".hidden.b3d", "ignored.b3d", "one/b.b3d", "one/two/c.b3d"):
        (top / path).write_bytes(triangle.read_bytes())
    (top / ".ignore").write_text("ignored.b3d\n")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "far.b3d").write_bytes(triangle.read_bytes())
    (top / "link").symlink_to(tmp_path / "elsewhere")
    return top


def names(rows):
    return sorted(pathlib.Path(row["path"]).name for row in rows)


def test_a_scan_chooses_files_like_the_program(folder):
    plain = ["a.b3d", "b.b3d", "c.b3d"]
    assert names(meshpeek.scan(folder)) == plain
    assert names(meshpeek.scan(folder, hidden=True)) == sorted([".hidden.b3d", *plain])
    assert names(meshpeek.scan(folder, ignored=True)) == sorted([*plain, "ignored.b3d"])
    assert names(meshpeek.scan(folder, follow=True)) == sorted([*plain, "far.b3d"])
    assert names(meshpeek.scan(folder, folder_depth=1)) == ["a.b3d"]
    assert names(meshpeek.scan(folder, globs="B.*")) == ["b.b3d"]
    assert names(meshpeek.scan(folder, globs=["!c.b3d"])) == ["a.b3d", "b.b3d"]
    assert names(row for row in meshpeek.scan(units=meshpeek.plan(folder, hidden=True))) == sorted([".hidden.b3d", *plain])


def test_depth_access_and_limits(corpus, tmp_path):
    model = corpus / "odol" / "v73_all.p3d"
    model = model if model.exists() else sorted((corpus / "odol").glob("*.p3d"))[0]
    [header] = meshpeek.scan(model, depth="header")
    [summary] = meshpeek.scan(model, depth="summary", access="read", read_ahead=False)
    assert header["counts"]["lods"] == summary["counts"]["lods"] and header["counts"]["vertices"] is None
    assert summary["counts"]["vertices"] is not None
    nested = tmp_path / "outer.pbo"
    nested.write_bytes(pbo([("inner.pbo", pbo([("a.b3d", (corpus / "b3d" / "triangle.b3d").read_bytes())]))]))
    assert len(list(meshpeek.scan(nested))) == 3
    rows = list(meshpeek.scan(nested, limits={"archive_depth": 1}))
    assert len(rows) == 2 and any(problem["code"] == "limit.archive_depth" for row in rows for problem in row["problems"])
    for wrong in ({"limits": {"depth_": 1}}, {"depth": "deep"}, {"access": "x"}, {"limits": {"depth": 1 << 40}}):
        with pytest.raises(ValueError):
            meshpeek.scan(model, **wrong)
    assert len(list(meshpeek.scan(nested, limits={"decoded": "1G"}))) == 3


def test_every_limit_of_the_program_is_an_option():
    done = subprocess.run([program(), "help", "limits"], capture_output=True, text=True, check=True)
    flags = set(re.findall(r"^ +(--max-[a-z-]+)", done.stdout, re.MULTILINE))
    # Only the program has temporary files and listings of servers.
    flags -= {"--max-temporary", "--max-listed"}
    assert len(flags) == 8
    for flag in flags:
        meshpeek.scan([], limits={flag.removeprefix("--max-").replace("-", "_"): 7})


def test_since_takes_rows_of_files_that_have_not_changed(archives, tmp_path):
    old = pyarrow.table(meshpeek.scan(archives, digests=True))
    (archives / "new.b3d").write_bytes((archives / "loose.b3d").read_bytes())
    os.utime(archives / "0.pbo", (1, 1))
    scan = meshpeek.scan(archives, digests=True, since=old)
    key = lambda row: (row["path"], row["member"] or "")
    fresh = sorted(meshpeek.scan(archives, digests=True), key=key)
    assert sorted(scan, key=key) == fresh
    # Only two files were opened.
    assert scan.progress.assets < len(fresh) / 2

    pyarrow.parquet.write_table(old, tmp_path / "old.parquet")
    assert sorted(meshpeek.scan(archives, digests=True, since=tmp_path / "old.parquet"), key=key) == fresh
    # Other options give other records.
    assert all(row["digests"] is None for row in meshpeek.scan(archives, since=old))
    for wrong in ({"table": "arrays", "since": old}, {"since": old.drop_columns("stamp")}):
        with pytest.raises(ValueError):
            meshpeek.scan(archives, **wrong)


def test_verify_gives_problems_as_a_table(corpus, tmp_path):
    rows = list(meshpeek.verify([corpus / "hostile" / "brush_out_of_range.b3d", tmp_path / "none"]))
    assert {(row["severity"], row["offset"]) for row in rows} == {("error", 0x147), ("error", None)}
    assert meshpeek.verify([]).table == "problems"


def test_prefixes_of_refs_are_those_that_are_passed(tmp_path):
    mod = tmp_path / "source"
    (mod / "data").mkdir(parents=True)
    (mod / "data" / "a_co.paa").write_bytes(b"")
    (mod / "a.rvmat").write_text('texture = "my\\mod\\data\\a_co.paa";')
    states = lambda **options: [row["state"] for row in meshpeek.refs(mod, **options)]
    assert states() == ["missing"]
    assert states(prefixes={"my\\mod": mod}) == ["found"]


def test_refs_have_state_and_target(corpus, tmp_path):
    scene = tmp_path / "scene"
    shutil.copytree(corpus / "b3d", scene)
    rows = meshpeek.refs(scene).to_arrow().to_pylist()
    assert rows and {row["state"] for row in rows} <= {"found", "missing", "procedural", "ambiguous", "unresolved"}
    missing = next(row for row in rows if row["state"] == "missing")
    (scene / pathlib.PureWindowsPath(missing["name"]).name).write_bytes(b"")
    again = {(row["path"], row["name"]): row for row in meshpeek.refs(scene)}
    found = again[missing["path"], missing["name"]]
    assert found["state"] == "found" and pathlib.Path(found["target"]).exists()
    assert all(row["state"] == "missing" for row in meshpeek.refs(scene, missing=True))
    folder = tmp_path / "elsewhere" / "deep"
    folder.mkdir(parents=True)
    other = next(row for row in meshpeek.refs(scene) if row["state"] == "missing" and row["kind"] == "texture")
    image = folder / pathlib.PureWindowsPath(other["name"]).name
    image.write_bytes(b"")
    by_name = {(row["path"], row["name"]): row for row in meshpeek.refs(scene, textures=tmp_path / "elsewhere")}
    assert by_name[other["path"], other["name"]]["target"] == str(image)
    with pytest.raises(ValueError, match="none does not exist"):
        meshpeek.refs(scene, prefixes={"a": tmp_path / "none"})
    both = lambda row: (row["path"], row["member"], row["kind"], row["name"], row["state"], row["target"])
    assert [both(row) for row in lines("refs", "-q", "--format", "ndjson", scene)] == [both(row) for row in meshpeek.refs(scene)]


def test_dupes_and_differences(archives, corpus, tmp_path):
    rows = list(meshpeek.dupes(archives))
    groups = {}
    for row in rows:
        groups.setdefault(row["group"], []).append(row)
    assert groups and all(len(group) > 1 for group in groups.values())
    assert any(row["path"].endswith("loose.b3d") for row in rows)
    cut = tmp_path / "cut.b3d"
    cut.write_bytes((corpus / "b3d" / "triangle.b3d").read_bytes()[:40])
    [row] = meshpeek.dupes(cut)
    assert (row["same"], row["group"], row["digest"], row["bytes"]) == ("unread", None, None, 40)
    a, b = corpus / "b3d" / "triangle.b3d", tmp_path / "b.b3d"
    data = bytearray(a.read_bytes())
    data[data.index(b"VRTS") + 20] ^= 1
    b.write_bytes(data)
    [row] = meshpeek.diff(a, b)
    assert row["change"] == "changed" and json.loads(row["rows"])["differing"] == 1
    assert list(meshpeek.diff(a, a)) == [] == list(meshpeek.diff(a, b, tolerance=1.0))
    other = tmp_path / "other"
    shutil.copytree(archives, other)
    (other / "loose.b3d").unlink()
    assert [row["change"] for row in meshpeek.diff(archives, other)] == ["removed"]
    with pytest.raises(meshpeek.Unsupported):
        list(meshpeek.diff(archives, a))
    with pytest.raises(FileNotFoundError):
        list(meshpeek.diff(a, tmp_path / "none"))
    ours = [row | {key: row[key] and json.loads(row[key]) for key in ("a", "b", "rows")} for row in meshpeek.diff(a, b)]
    assert ours == lines("diff", "-q", "--format", "ndjson", a, b)


def test_flat_tables(archives, corpus, tmp_path):
    (archives / "readme.txt").write_text("hello")
    rows = {table: list(meshpeek.scan(archives, table=table)) for table in meshpeek.TABLES}
    files = {pathlib.Path(row["path"]).name: row for row in rows["files"]}
    assert files.keys() == {path.name for path in archives.iterdir()}
    assert files["readme.txt"]["state"] == "other" and files["readme.txt"]["bytes"] == 5
    assert files["loose.b3d"]["state"] == "asset"
    for name, row in files.items():
        assert abs(row["mtime"].timestamp() - (archives / name).stat().st_mtime) < 1e-3
    outer = [row for row in rows["assets"] if row["member"] is None and row["stamp"]]
    assert outer and all(row["mtime"] is not None for row in outer)
    problems = [(row["path"], row["member"] or "", problem["message"]) for row in rows["assets"] for problem in row["problems"]]
    assert sorted(problems) == sorted((row["path"], row["member"] or "", row["message"]) for row in rows["problems"])
    sums = {}
    for row in rows["lods"]:
        total = sums.setdefault((row["path"], row["member"]), [0, 0, 0])
        for place, number in enumerate((1, row["vertices"], row["faces"])):
            total[place] += number
    models = [row for row in rows["assets"] if row["format"] in ("odol", "mlod") and not row["problems"]]
    assert len(models) > 10
    for row in models:
        counts = row["counts"]
        assert sums.get((row["path"], row["member"]), [0, 0, 0]) == [counts["lods"], counts["vertices"], counts["faces"]]
    polars = pytest.importorskip("polars")
    for table in meshpeek.TABLES:
        assert meshpeek.scan(archives, table=table).to_polars().height == len(rows[table])
    assert len(meshpeek.scan(archives).to_pandas()) == len(rows["assets"])


def test_geometry_is_that_of_export(corpus):
    formats, seen = set(), set()
    for path in sorted(corpus.rglob("*")):
        if path.suffix not in (".b3d", ".bmx", ".lod", ".p3d") or "hostile" in path.parts:
            continue
        with meshpeek.open(path) as file:
            if file.error is not None:
                continue
            geometry = file.geometry()
            parts = list(geometry)
            if not parts:
                continue
            formats.add(file.format)
            for part in parts:
                positions, triangles = part["positions"], part["triangles"]
                assert positions.dtype == numpy.float32 and positions.shape[1:] == (3,) and triangles.shape[1:] == (3,)
                assert not len(triangles) or 0 <= triangles.min() <= triangles.max() < len(positions)
                assert len(part["normals"]) in (0, len(positions)) and len(part["uvs"]) in (0, len(positions))
            if file.format in ("mlod", "odol"):
                lods = {row["lod"]: row for row in meshpeek.scan(path, table="lods")}
                for part in (part for part in parts if part["lod"] is not None):
                    lod = lods[part["lod"]]
                    assert (part["visual"], part["lod_name"]) == (lod["visual"], lod["lod_name"])
                    seen.add(part["visual"])
            else:
                assert all(part["visual"] and part["lod_name"] is None for part in parts if part["problem"] is None)
            damaged = [part for part in parts if part["problem"] is not None]
            assert all(part["visual"] is None and len(part["positions"]) == 0 for part in damaged)
            # A model of which nothing is left has a row that says so.
            assert bool(damaged) == (path.name == "cut.b3d"), path
            table = pyarrow.table(geometry)
            assert table.num_rows == len(geometry) == len(parts)
            scanned = pyarrow.table(meshpeek.scan(path, table="geometry")).drop_columns(["path", "member"])
            assert scanned == table.drop_columns(["path", "member"])
            if file.format == "b3d" and not damaged:
                obj = file.export("obj").decode().splitlines()
                corners = [tuple(map(float, line.split()[1:4])) for line in obj if line.startswith("v ")]
                ours = {tuple(round(float(axis), 4) for axis in point) for part in parts if part["visible"] for point in part["positions"]}
                assert ours <= {tuple(round(axis, 4) for axis in corner) for corner in corners}
    assert {"b3d", "bmx", "lodka", "mlod", "odol"} <= formats, formats
    assert seen == {True, False}


def test_poses(corpus):
    with meshpeek.open(corpus / "b3d" / "everything.b3d") as file:
        [rig] = file.rigs()
        rest = file.pose()
        assert rest.shape == (len(rig["bones"]), 4, 4) and rest.dtype == numpy.float32
        assert numpy.allclose(file.pose(space="skin"), numpy.eye(4), atol=1e-5)
        local = file.pose(space="local")
        for index, bone in enumerate(rig["bones"]):
            parent = bone["parent"]
            whole = local[index] if parent is None else rest[parent] @ local[index]
            assert numpy.allclose(whole, rest[index], atol=1e-4)
        assert rig["clips"] and file.pose(0.1).shape == rest.shape
        with pytest.raises(ValueError):
            file.pose(0.0, clip="no such animation")
    with pytest.raises(ValueError):
        meshpeek.open(corpus / "mlod" / "everything.p3d").pose()


def test_errors_say_what_and_where(tmp_path, corpus):
    with pytest.raises(FileNotFoundError) as raised:
        meshpeek.open(tmp_path / "none")
    assert (raised.value.path, raised.value.errno, raised.value.limit) == (str(tmp_path / "none"), 2, None)
    # The library finds this one itself.
    with pytest.raises(IsADirectoryError) as raised:
        meshpeek.open(tmp_path)
    assert (raised.value.path, raised.value.errno, raised.value.filename) == (str(tmp_path), 21, str(tmp_path))
    cut = tmp_path / "cut.b3d"
    cut.write_bytes(b"BB3D")
    with pytest.raises(meshpeek.Error) as raised:
        meshpeek.open(cut).info()
    assert raised.value.path == str(cut) and raised.value.code.startswith("damaged") and raised.value.errno is None
    nested = tmp_path / "outer.pbo"
    nested.write_bytes(pbo([("inner.pbo", pbo([("a.b3d", b"")]))]))
    with pytest.raises(meshpeek.LimitError) as raised:
        meshpeek.open(f"{nested}!/inner.pbo!/a.b3d", limits={"archive_depth": 1})
    error = raised.value
    assert (error.code, error.limit, error.option) == ("limit.archive_depth", 1, "archive_depth")
    assert "limits={" in str(error) and "--max" not in str(error)


def test_a_scan_can_be_pickled(archives):
    scan = meshpeek.scan(archives, digests=True, globs="*.b3d", limits={"work": 300})
    key = lambda row: (row["path"], row["member"] or "")
    again = pickle.loads(pickle.dumps(scan))
    assert sorted(again, key=key) == sorted(scan, key=key) != []
    assert again.table == "assets"


@pytest.mark.skipif(os.name != "posix", reason="names are bytes on POSIX systems only")
def test_paths_open_again(tmp_path, triangle):
    folder = os.fsencode(tmp_path / "odd")
    os.mkdir(folder)
    odd = folder + b"/\xff\xe9 name.b3d"
    pathlib.Path(os.fsdecode(odd)).write_bytes(triangle.read_bytes())
    with open(os.fsdecode(folder + b"/\xfe.pbo"), "wb") as out:
        out.write(pbo([("in.b3d", triangle.read_bytes())]))
    assert len(meshpeek.open(os.fsdecode(odd))["meshes/0/positions"]) == 3
    rows = list(meshpeek.scan(folder))
    assert len(rows) == 3 and all(row["lossy"] for row in rows)
    for row in rows:
        record = meshpeek.open(row).record()
        assert (record["path"], record["member"], record["format"]) == (row["path"], row["member"], row["format"])
    assert sorted(file.format for file in meshpeek.walk([folder])) == ["b3d", "b3d", "pbo"]
    with pytest.raises(TypeError, match="from_buffer"):
        meshpeek.open(3.5)
    with open(triangle, "rb") as file:
        assert meshpeek.open(file).record()["path"] == str(triangle)


def continue_in_child(rows, queue):
    try:
        next(rows)
        queue.put("a row")
    except Exception as error:
        queue.put(type(error).__name__)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
def test_a_forked_process_gets_an_error_and_no_hang(archives):
    context = multiprocessing.get_context("fork")
    walk = meshpeek.walk([archives])
    rows, shapes = (iter(meshpeek.scan([archives] * 50, batch_rows=1, table=table)) for table in ("assets", "geometry"))
    iterators = (rows, shapes, walk)
    for iterator in iterators:
        next(iterator)
    for iterator in iterators:
        queue = context.SimpleQueue()
        child = context.Process(target=continue_in_child, args=(iterator, queue))
        child.start()
        child.join(60)
        assert not child.is_alive() and queue.get() in ("OSError", "RuntimeError")
    assert all(next(iterator) for iterator in iterators)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_the_triangles_of_a_file_outlive_a_fork(triangle):
    parts = iter(meshpeek.open(triangle).geometry())
    child = os.fork()
    if child == 0:
        # Not an iterator of a scan: all parts are in memory.
        os._exit(0 if next(parts)["triangles"].shape == (1, 3) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_the_progress_of_dupes_ends_at_the_total(archives):
    scan = meshpeek.dupes(archives)
    assert list(scan)
    assert (scan.progress.files, scan.progress.bytes) == scan.measure()


def test_a_bar_shows_progress(archives, capfd):
    pytest.importorskip("tqdm")
    rows = list(meshpeek.scan(archives, progress=True, digests=True))
    deadline = time.monotonic() + 60
    while any(thread.name == "meshpeek progress" for thread in threading.enumerate()) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert rows and "100%" in capfd.readouterr().err


def test_notebooks_show_tables_and_pictures(archives, corpus):
    text = meshpeek.scan(archives)._repr_html_()
    assert text.startswith("<table>") and text.count("<tr>") == 21 and "more" in text
    assert "no rows" in meshpeek.scan([])._repr_html_()
    model = meshpeek.open(corpus / "b3d" / "everything.b3d")._repr_html_()
    assert "data:image/png;base64," in model and "<td>b3d</td>" in model
    assert "<img" not in meshpeek.open(archives / "all.zip")._repr_html_()
    assert "error" in meshpeek.open(archives / "damaged.pbo")._repr_html_()
    assert math.isfinite(len(text))


def test_the_readme_lists_every_verb_and_option_of_the_program():
    text = (pathlib.Path(__file__).parents[1] / "README.md").read_text()
    cells = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    documented = {word for cell in cells for word in re.findall(r"`([^`]+)`", cell)}
    run = lambda *arguments: subprocess.run([program(), *arguments], capture_output=True, text=True, check=True).stdout
    verbs = re.findall(r"^  ([a-z]+)  +[A-Z]", run("--help").split("\nOptions:")[0], re.MULTILINE)
    assert len(verbs) > 15 and set(verbs) <= documented, set(verbs) - documented
    # Those of scan stand for the same ones of other verbs.
    documented |= {name.split()[1] for name in documented if name.startswith("scan --")}
    # Those of limits have a test of their own.
    for verb in set(verbs) - {"limits"}:
        flags = set(re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", run(verb, "--help"), re.MULTILINE)) - {"--help"}
        missing = {flag for flag in flags if f"{verb} {flag}" not in documented and flag not in documented}
        assert not missing, (verb, missing)
        assert flags or verb not in ("scan", "plan", "verify", "refs", "diff", "dupes", "export")


def test_the_program_takes_rows_from_older_tables(archives, tmp_path):
    run = lambda *arguments: subprocess.run([program(), *map(str, arguments)], check=True, capture_output=True, text=True)
    old, fresh = f"{tmp_path}/old/", f"{tmp_path}/fresh/"
    run("scan", "--digests", archives, "-o", old)
    (archives / "new.b3d").write_bytes((archives / "loose.b3d").read_bytes())
    os.utime(archives / "0.pbo", (1, 1))
    done = run("scan", "--digests", archives, "--since", old, "-o", old)
    run("scan", "--digests", archives, "-o", fresh)
    for table in pathlib.Path(fresh).iterdir():
        rows = [pyarrow.parquet.read_table(folder / table.name).to_pylist() for folder in (pathlib.Path(old), table.parent)]
        first, second = (sorted(json.dumps(row, default=str, sort_keys=True) for row in some) for some in rows)
        assert first == second, table
    # Two files were read.
    assert int(re.search(r"(\d+) assets? in", done.stderr)[1]) < len(list(meshpeek.scan(archives))) / 2
    for verb, name in (("verify", "problems"), ("refs", "refs"), ("dupes", "dupes")):
        out = tmp_path / f"{verb}.parquet"
        subprocess.run([program(), verb, "-q", archives, "-o", out], check=False)
        assert pyarrow.parquet.read_schema(out).metadata[b"meshpeek.table"] == name.encode()
    geometry = tmp_path / "geometry.parquet"
    run("scan", "--tables", "geometry", archives, "-o", geometry)
    key = lambda row: (row["path"], row["member"] or "", row["primitive"])
    ours = sorted(meshpeek.scan(archives, table="geometry"), key=key)
    assert sorted(pyarrow.parquet.read_table(geometry).to_pylist(), key=key) == ours != []
    mapped = tmp_path / "geometry.arrow"
    run("scan", "--tables", "geometry", archives, "-o", mapped)
    with pyarrow.memory_map(str(mapped)) as file:
        assert sorted(pyarrow.ipc.open_file(file).read_all().to_pylist(), key=key) == ours
