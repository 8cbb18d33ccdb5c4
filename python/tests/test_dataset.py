"""Tables in folders, written and continued by the package and by the program; plans for copies."""

import csv
import datetime
import io
import json
import os
import pathlib
import shutil
import subprocess

import pyarrow.dataset
import pyarrow.parquet
import pytest

import meshpeek
from test_verbs import program

key = lambda row: json.dumps(row, default=str, sort_keys=True)


def written(folder, table="assets"):
    files = sorted(path for path in pathlib.Path(folder).rglob("*.parquet") if path.name.startswith(table))
    rows = [row for file in files for row in pyarrow.parquet.ParquetFile(file).read().to_pylist()]
    return [str(path.relative_to(folder)) for path in files], sorted(rows, key=key)


def test_tables_are_divided_and_continued(archives, tmp_path):
    index = f"{tmp_path}/index/"
    rows = lambda **options: sorted(meshpeek.scan(archives, **options), key=key)
    [path] = meshpeek.scan(archives).to_parquet(index)
    assert path == f"{index}assets.parquet" and written(index) == (["assets.parquet"], rows())
    meshpeek.scan(archives).to_parquet(index, partition="format")
    files, found = written(index)
    assert found == rows() and len(files) == len({row["format"] for row in found}) > 3
    assert all(file.startswith("assets/format=") for file in files)
    hive = pyarrow.dataset.dataset(f"{index}assets", partitioning="hive").to_table(columns=["path", "format"])
    assert hive.num_rows == len(found)
    # Only what is new is read.
    (archives / "new.b3d").write_bytes((archives / "loose.b3d").read_bytes())
    scan = meshpeek.scan(archives, since=index)
    scan.to_parquet(index, partition=5_000)
    files, found = written(index)
    assert found == rows() and len(files) >= 1 and files[0] == "assets-0000.parquet"
    assert scan.progress.assets < len(found) / 2
    many = meshpeek.scan(archives, batch_rows=10)
    assert len(many.to_parquet(index, partition=5_000)) > 2 and written(index)[1] == found
    # Other tables continue by the stamps of the assets.
    meshpeek.scan(archives, table="arrays").to_parquet(index)
    scan = meshpeek.scan(archives, table="arrays", since=index)
    assert sorted(scan, key=key) == rows(table="arrays") and scan.progress.assets < len(found) / 2
    with pytest.raises(ValueError, match="no whole table parts"):
        meshpeek.scan(archives, table="parts", since=index)
    os.remove(f"{index}assets-0001.parquet")
    with pytest.raises(ValueError, match="no whole table"):
        meshpeek.scan(archives, since=index)
    with pytest.raises(ValueError, match="needs a folder"):
        meshpeek.scan(archives).to_parquet(tmp_path / "one.parquet", partition="format")
    with pytest.raises(ValueError, match='no column "format"'):
        meshpeek.scan(archives, table="arrays").to_parquet(index, partition="format")
    with pytest.raises(OSError, match="No such file"):
        meshpeek.scan(archives / "none", errors="raise").to_parquet(f"{tmp_path}/none/")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("how", ["format", "5k"])
def test_the_program_and_the_package_continue_each_other(archives, tmp_path, how):
    index = f"{tmp_path}/index/"
    run = lambda *words: subprocess.run([program(), *map(str, words)], check=True, capture_output=True, text=True).stderr
    expected = sorted(meshpeek.scan(archives), key=key)
    run("scan", archives, "--tables", "assets", "--partition", how, "-o", index)
    scan = meshpeek.scan(archives, since=index)
    assert sorted(scan, key=key) == expected and scan.progress.assets < len(expected) / 2
    meshpeek.scan(archives).to_parquet(index, partition=how if how == "format" else 5_000)
    said = run("scan", archives, "--tables", "assets", "--partition", how, "-o", index, "--since", index)
    assert written(index)[1] == expected and "not a whole table" not in said, said


def test_a_plan_without_times_fits_a_copy(archives):
    plans = {by: meshpeek.plan(archives, unit_bytes=100_000, by=by) for by in ("time", "size", "digest")}
    for path in archives.iterdir():
        os.utime(path, (1, 1))
    whole = sorted(((row["path"], row["member"]) for row in meshpeek.scan(archives) if row["format"]), key=str)
    for by, units in plans.items():
        rows = [row for row in meshpeek.scan(units=units) if row["format"]]
        found = sorted(((row["path"], row["member"]) for row in rows), key=str)
        assert found == ([] if by == "time" else whole), by
    with pytest.raises(ValueError, match="by is"):
        meshpeek.plan(archives, by="name")


def test_csv_has_times(archives):
    shutil.copy2(archives / "loose.b3d", archives / "old.b3d")
    os.utime(archives / "old.b3d", (1_000_000_000, 1_000_000_000.25))
    out = subprocess.run([program(), "scan", "-q", archives, "--format", "csv"], capture_output=True, text=True, check=True)
    times = {(row["path"], row["member"]): row["mtime"] for row in csv.DictReader(io.StringIO(out.stdout))}
    for row in meshpeek.scan(archives):
        text = times[row["path"], row["member"] or ""]
        assert (datetime.datetime.fromisoformat(text) if text else None) == row["mtime"]
    assert times[str(archives / "old.b3d"), ""] == "2001-09-09T01:46:40.250000Z"
