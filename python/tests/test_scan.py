import ast
import inspect
import json
import multiprocessing
import os
import pathlib
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pyarrow
import pytest

import meshpeek


def table(scan):
    return pyarrow.table(scan)


def keys(rows):
    return sorted((row["path"], row["member"] or "") for row in rows)


def test_a_scan_is_a_stream_again_and_again(archives):
    scan = meshpeek.scan([archives], digests=True)
    first, second = table(scan), table(scan)
    assert first.schema.metadata[b"meshpeek.schema"] == b"2"
    assert meshpeek.SCHEMA == 2
    assert pyarrow.schema(scan) == first.schema
    assert keys(first.to_pylist()) == keys(second.to_pylist())
    by_key = lambda row: (row["path"], row["member"] or "")
    assert sorted(scan, key=by_key) == sorted(first.to_pylist(), key=by_key)
    assert first.num_rows > 100
    small = pyarrow.RecordBatchReader.from_stream(meshpeek.scan(archives, batch_rows=10))
    assert max(batch.num_rows for batch in small) == 10


def test_nothing_starts_before_the_first_batch(tmp_path, triangle):
    path = tmp_path / "later.b3d"
    scan = meshpeek.scan([path], errors="raise")
    reader = pyarrow.RecordBatchReader.from_stream(scan)
    rows = iter(scan)
    time.sleep(0.2)
    assert scan.progress.files == 0
    path.write_bytes(triangle.read_bytes())
    assert reader.read_all().num_rows == 1 and len(list(rows)) == 1
    assert scan.progress.files == 1 and scan.progress.bytes == path.stat().st_size and scan.progress.assets == 1


def test_tables_lead_to_each_other(archives):
    tables = {name: table(meshpeek.scan(archives, table=name)).to_pylist() for name in ("assets", "members", "parts", "arrays")}
    assets = {(row["path"], row["member"]) for row in tables["assets"]}
    assert {(row["path"], row["member"]) for row in tables["arrays"]} <= assets
    assert {(row["path"], row["member"]) for row in tables["parts"]} <= assets
    assert any(row["name"] == "note.txt" for row in tables["members"])
    row = next(row for row in tables["arrays"] if row["member"] == "inner.pbo!/triangle.b3d" and "0.pbo" in row["path"])
    with meshpeek.open(f"{row['path']}!/{row['member']}") as file:
        array = file[row["selector"]]
        assert (len(array), array.columns, array.offset) == (row["rows"], row["columns"], row["offset"])
    assert all(isinstance(json.loads(row["fields"]), dict) for row in tables["parts"])


def test_options_choose(archives):
    rows = list(meshpeek.scan(archives, formats=["b3d"], jobs=1))
    others = [row for row in rows if row["format"] != "b3d"]
    assert len(rows) > len(others)
    # An archive that could not all be read may hold assets of the formats.
    assert [pathlib.Path(row["path"]).name for row in others] == ["damaged.pbo"]
    assert others[0]["problems"]
    assert all(row["member"] is None for row in meshpeek.scan(archives, archives=False))
    assert list(meshpeek.scan([])) == []
    problems = lambda verify: sum(len(row["problems"]) for row in meshpeek.scan(archives.parent, verify=verify))
    assert problems(True) >= problems(False) > 0
    for wrong in ({"formats": ["x"]}, {"table": "x"}, {"errors": "x"}, {"units": "x"}, {"units": [{"unit": 1}]}):
        with pytest.raises((ValueError, TypeError)):
            meshpeek.scan([], **wrong)


def test_a_scan_counts_what_it_leaves_out(tmp_path, triangle):
    for name in ["a.b3d", ".b.b3d", ".c/d.b3d", "e/f.b3d"]:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(triangle.read_bytes())
    for options, hidden, deep in [({}, 2, 0), ({"hidden": True}, 0, 0), ({"folder_depth": 1}, 2, 1)]:
        scan = meshpeek.scan(tmp_path, **options)
        assert scan.progress.left_out == {"hidden_or_ignored": 0, "links": 0, "folders_too_deep": 0}
        list(scan)
        assert scan.progress.left_out == {"hidden_or_ignored": hidden, "links": 0, "folders_too_deep": deep}


@pytest.mark.skipif(os.name != "posix", reason="links take a privilege")
def test_a_scan_counts_links(tmp_path, triangle):
    (tmp_path / "a.b3d").write_bytes(triangle.read_bytes())
    (tmp_path / "link.b3d").symlink_to("a.b3d")
    for follow in [False, True]:
        scan = meshpeek.scan(tmp_path, follow=follow)
        assert (len(list(scan)), scan.progress.left_out["links"]) == ((2, 0) if follow else (1, 1))


def test_an_unreadable_path_does_not_vanish(archives, tmp_path):
    paths = [archives / "all.zip!" / "triangle.b3d", tmp_path / "none.b3d"]
    rows = list(meshpeek.scan(paths))
    lost = next(row for row in rows if row["path"].endswith("none.b3d"))
    assert len(rows) == 2 and lost["format"] is None and lost["bytes"] is None
    assert lost["problems"][0]["severity"] == "error" and "No such file" in lost["problems"][0]["message"]
    with pytest.raises(FileNotFoundError):
        list(meshpeek.scan(paths, errors="raise"))
    with pytest.raises(OSError):
        table(meshpeek.scan(paths, errors="raise"))
    assert len(list(meshpeek.scan(paths, errors="skip"))) == 1
    found = []
    with pytest.raises(FileNotFoundError):
        for row in meshpeek.scan(paths, table="arrays"):
            found.append(row)
    assert found


def test_stop_and_leaving_early_end_the_threads(archives):
    scan = meshpeek.scan([archives] * 50, batch_rows=1)
    rows = iter(scan)
    next(rows)
    scan.stop()
    assert len(list(rows)) < 50 * 100
    before = threads()
    for _ in range(20):
        next(iter(scan))
    deadline = time.monotonic() + 20
    while threads() > before + 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert threads() <= before + 2


def threads():
    status = pathlib.Path("/proc/self/status")
    if not status.exists():
        return threading.active_count()
    return int(next(line for line in status.read_text().splitlines() if line.startswith("Threads")).split()[1])


def test_other_threads_go_on_while_a_scan_runs(archives):
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    rows = table(meshpeek.scan([archives] * 10, digests=True, verify=True)).num_rows
    done.set()
    thread.join()
    assert rows > 1000 and counted[0] > 5


INTERRUPTED = """
import meshpeek, os, pathlib, pyarrow, signal, sys, threading, time
slow = sys.argv[3] == "slow"
scan = meshpeek.scan([sys.argv[1]] * 1_000_000, digests=slow, verify=slow, batch_rows=1_000_000_000 if slow else 1_000)
threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
started = time.monotonic()
try:
    if sys.argv[2] == "rows":
        list(scan)
    else:
        pyarrow.table(scan)
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - started < 20)
"""


@pytest.mark.parametrize("way", ["rows", "stream"])
@pytest.mark.parametrize("pace", ["slow", "fast"])
def test_ctrl_c_is_a_keyboard_interrupt(archives, way, pace):
    """Tests Ctrl-C both while Python waits for the scan, and while a batch is always ready."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, str(archives), way, pace], capture_output=True, text=True, timeout=120
    )
    assert "interrupted True" in done.stdout, (done.stdout, done.stderr)


def scan_unit(unit):
    return [(row["path"], row["member"]) for row in meshpeek.scan(units=unit, jobs=1)]


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_a_pool_does_the_units(archives, method):
    units = meshpeek.plan(archives, unit_bytes=20_000)
    assert len(units) > 4 and sum(len(unit) for unit in units) == len(units.pieces)
    with multiprocessing.get_context(method).Pool(2) as pool:
        rows = [row for rows in pool.map(scan_unit, units) for row in rows]
    whole = [(row["path"], row["member"]) for row in meshpeek.scan(archives)]
    key = lambda row: (row[0], row[1] or "")
    assert sorted(rows, key=key) == sorted(whole, key=key)


def test_units_in_any_wrapping_are_the_whole(archives):
    units = meshpeek.plan(str(archives), unit_bytes=50_000)
    whole = keys(meshpeek.scan(archives))
    assert keys(meshpeek.scan(units=units)) == whole
    assert keys(meshpeek.scan(units=units.pieces)) == whole
    assert keys(row for piece in units.pieces for row in meshpeek.scan(units=piece)) == whole
    for name in ("members", "parts", "arrays"):
        of_units = table(meshpeek.scan(units=units, table=name)).to_pylist()
        order = lambda row: json.dumps(row, default=str)
        assert sorted(of_units, key=order) == sorted(table(meshpeek.scan(archives, table=name)).to_pylist(), key=order)
    os.utime(archives / "loose.b3d", (1, 1))
    lost = [row for row in meshpeek.scan(units=units) if row["bytes"] is None]
    assert len(lost) == 1 and "changed since" in lost[0]["problems"][0]["message"]


def test_progress_drives_a_bar(archives):
    tqdm = pytest.importorskip("tqdm", reason="skipped: no tqdm")
    scan = meshpeek.scan(archives, batch_rows=16)
    files, size = scan.measure()
    assert files == len(list(archives.iterdir())) and size == sum(path.stat().st_size for path in archives.iterdir())
    with tqdm.tqdm(total=size, unit="B", disable=True) as bar, open(os.devnull, "w"):
        for _ in pyarrow.RecordBatchReader.from_stream(scan):
            bar.update(scan.progress.bytes - bar.n)
    assert scan.progress.bytes == size and scan.progress.files == files


def test_every_public_name_has_its_words():
    stub = (pathlib.Path(meshpeek.__file__).parent / "__init__.pyi").read_text()
    for name in meshpeek.__all__:
        thing = getattr(meshpeek, name)
        assert re.search(rf"\b{name}\b", stub), name
        assert isinstance(thing, int) or thing.__doc__, name
        if isinstance(thing, type):
            for word, member in vars(thing).items():
                if not word.startswith("_") and name not in ("Error", "Unsupported", "LimitError"):
                    assert member.__doc__, f"{name}.{word}"
                    assert f"def {word}(" in stub, f"{name}.{word}"


def test_the_stub_has_the_parameters_that_there_are():
    tree = ast.parse((pathlib.Path(meshpeek.__file__).parent / "__init__.pyi").read_text())
    for stub in tree.body:
        if isinstance(stub, ast.FunctionDef):
            rest = [stub.args.kwarg] if stub.args.kwarg else []
            names = [argument.arg for argument in [*stub.args.args, *stub.args.kwonlyargs, *rest]]
            assert names == list(inspect.signature(getattr(meshpeek, stub.name)).parameters), stub.name


def test_what_is_not_an_asset_is_a_row_without_a_format(tmp_path):
    (tmp_path / "script.p3d").write_text("hint 'hello';")
    (tmp_path / "pointer.rtm").write_text("version https://git-lfs.github.com/spec/v1\n")
    named = tmp_path / "notes.txt"
    named.write_text("")
    codes = {"script.p3d": "other.text", "pointer.rtm": "other.lfs", "notes.txt": "other.empty"}
    rows = {pathlib.Path(row["path"]).name: row for row in meshpeek.scan([tmp_path, named])}
    assert rows.keys() == codes.keys()
    for name, row in rows.items():
        [problem] = row["problems"]
        assert (row["format"], problem["severity"], problem["code"]) == (None, "warning", codes[name])
        with meshpeek.open(tmp_path / name) as file:
            record = file.record()
            assert (file.format, record["format"], record["problems"][0]["code"]) == (None, None, codes[name])
            with pytest.raises(meshpeek.Unsupported, match=name):
                file.arrays()
    units = meshpeek.plan([tmp_path, named])
    assert keys(meshpeek.scan(units=units)) == keys(rows.values())


def test_polars_unnests_each_column(archives):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(meshpeek.scan(archives, digests=True))
    for column, kind in frame.schema.items():
        if kind == polars.Struct:
            assert frame.unnest(column).height == frame.height
        elif kind == polars.List:
            frame.explode(column).drop_nulls(column).unnest(column)
    flat = frame.explode("refs").drop_nulls("refs").unnest("counts", "bounds", "refs", "blocks", "stored")
    assert flat.filter(polars.col("kind") == "texture").height > 0
