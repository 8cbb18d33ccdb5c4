"""Runs the examples. If an engine is not installed, its test is skipped with a message."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import meshpeek
from conftest import pbo

EXAMPLES = pathlib.Path(__file__).resolve().parents[1] / "examples"
sys.path.insert(0, str(EXAMPLES))


def run(name, *arguments):
    done = subprocess.run(
        [sys.executable, EXAMPLES / name, *map(str, arguments)], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, (done.stdout, done.stderr)
    return done.stdout


def test_duckdb_answers_three_questions(archives):
    pytest.importorskip("duckdb", reason="skipped: no DuckDB")
    import duckdb_queries

    rows = list(meshpeek.scan(archives, digests=True))
    wanted = [
        (row["path"], row["member"], row["counts"]["triangles"])
        for row in rows
        if (row["counts"]["triangles"] or 0) >= 1
        and any(ref["kind"] == "texture" and "a" in ref["name"].lower() for ref in row["refs"])
    ]
    assert sorted(duckdb_queries.heavy(archives, "A", 1), key=str) == sorted(wanted, key=str) != []
    copies = {}
    for row in rows:
        if row["format"] not in ("pbo", "zip") and row["digests"]["file"]:
            copies.setdefault(row["digests"]["file"], []).append(row["path"])
    found = duckdb_queries.twice(archives)
    assert {row[0]: row[1:3] for row in found} == {
        digest: (len(paths), len(set(paths))) for digest, paths in copies.items() if len(paths) > 1
    }
    lods = duckdb_queries.bytes_of_lods(archives)
    arrays = [row for row in meshpeek.scan(archives, table="arrays") if row["selector"].startswith("lods/")]
    assert sum(row[2] for row in lods) == sum(row["bytes"] for row in arrays) > 0
    assert {row[0] for row in lods} == {"mods"}
    assert "bytes by mod and LOD" in run("duckdb_queries.py", archives)


def test_duckdb_reads_what_the_program_writes(archives, tmp_path, corpus):
    # Includes other people's files if they are available.
    shared = pathlib.Path(os.environ.get("MESHPEEK_CORPUS") or corpus.parent / "../shared/corpus")
    inputs = [archives, corpus, *filter(pathlib.Path.is_dir, [shared])]
    duckdb = pytest.importorskip("duckdb", reason="skipped: no DuckDB")
    program = os.environ.get("MESHPEEK") or shutil.which("meshpeek")
    if not program:
        pytest.skip("skipped: no program meshpeek; MESHPEEK says where it is")
    out = tmp_path / "out.parquet"
    done = subprocess.run([program, "scan", "-q", "--digests", *inputs, "-o", out], check=False)
    assert done.returncode in (0, 1)
    found = duckdb.sql(f"select * from '{out}'").to_arrow_table().to_pylist()
    expected = list(meshpeek.scan(inputs, digests=True, errors="skip"))
    by_key = lambda row: (row["path"], row["member"] or "")
    assert sorted(found, key=by_key) == sorted(expected, key=by_key) != []
    import json

    lines = subprocess.run([program, "scan", "-q", "--digests", *inputs], capture_output=True, check=False)
    records = {(record["path"], record["member"] or ""): record for record in map(json.loads, lines.stdout.splitlines())}
    assert len(records) == len(found)
    for row in found:
        record = records[by_key(row)]
        known = lambda counts: {name: count for name, count in counts.items() if count is not None}
        assert known(row["counts"]) == known(record["counts"])
        assert known(row["digests"]) == known(record["digests"])
        assert row["problems"] == record["problems"]
        assert [(ref["kind"], ref["name"]) for ref in row["refs"]] == [
            (ref["kind"], ref["name"]) for ref in record["references"]
        ]


@pytest.mark.skipif(os.name == "nt", reason="the made-up Python is a shell script")
def test_spark_names_a_python_without_the_package(archives, tmp_path, monkeypatch):
    import spark_units

    spark_units.check_here(sys.executable)
    bare, none = tmp_path / "python", tmp_path / "none"
    bare.write_text(f"#!/bin/sh\nexec {sys.executable} -I -S \"$@\"\n")
    bare.chmod(0o755)
    wanted = "set PYSPARK_PYTHON to a Python that has meshpeek " + meshpeek.__version__
    with pytest.raises(RuntimeError, match=f"{bare} cannot import meshpeek: {wanted}"):
        spark_units.check_here(str(bare))
    with pytest.raises(RuntimeError, match=f"PYSPARK_PYTHON is {none}, which does not start"):
        spark_units.check_here(str(none))
    with pytest.raises(RuntimeError, match=f"has meshpeek 0.0, not .*: {wanted}"):
        spark_units.agree(str(bare), "0.0")
    # The example looks before it starts Spark, or even imports it.
    monkeypatch.setenv("PYSPARK_PYTHON", str(bare))
    arguments = [sys.executable, EXAMPLES / "spark_units.py", archives]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1 and wanted in done.stderr.splitlines()[-1], done.stderr


def noted(folder):
    """Returns work for Spark that notes each try of each task, and whose second task fails once."""

    def work(batches):
        import pyspark
        import spark_units

        task = pyspark.TaskContext.get()
        number, attempt = task.partitionId(), task.attemptNumber()
        open(f"{folder}/{number}.{attempt}", "x").close()
        if (number, attempt) == (1, 0):
            raise OSError("this worker goes away")
        yield from spark_units.records(batches)

    return work


@pytest.fixture
def spark(monkeypatch):
    """Starts Spark with a Python for its workers."""
    pytest.importorskip("pyspark", reason="skipped: no PySpark")
    if not shutil.which("java"):
        pytest.skip("skipped: no Java")
    from pyspark.sql import SparkSession

    sessions = []

    def start(python=sys.executable):
        monkeypatch.setenv("PYSPARK_PYTHON", python)
        folders = [str(EXAMPLES), str(EXAMPLES.parent / "tests"), *filter(None, [os.environ.get("PYTHONPATH")])]
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join(folders))
        builder = SparkSession.builder.master("local[2, 4]").config("spark.ui.enabled", "false")
        sessions.append(builder.config("spark.sql.shuffle.partitions", "4").getOrCreate())
        return sessions[-1]

    yield start
    for session in sessions:
        session.stop()


def test_spark_does_the_units_of_a_plan(archives, triangle, tmp_path, spark):
    import spark_units

    # 5,000 small files, and an archive that is larger than a unit.
    data, small, notes = triangle.read_bytes(), archives / "small", tmp_path / "notes"
    small.mkdir()
    notes.mkdir()
    for number in range(5_000):
        (small / f"{number}.b3d").write_bytes(data)
    (archives / "large.pbo").write_bytes(pbo([(f"{number}.b3d", data + bytes(600)) for number in range(5_000)]))
    units = meshpeek.plan(archives, unit_bytes=2 << 20)
    large = [piece for piece in units.pieces if piece["path"].endswith("large.pbo")]
    assert 5 < len(units) < 50 and len(large) > 1
    session = spark()
    spark_units.check(session)
    frame = spark_units.scan(session, str(archives), unit_bytes=2 << 20, work=noted(str(notes)))
    rows = [row.asDict(recursive=True) for row in frame.collect()]
    # A task for each unit. One of them failed and was run again.
    assert sorted(path.name for path in notes.iterdir()) == sorted(
        ["1.1", *(f"{number}.0" for number in range(len(units)))]
    )
    key = lambda row: (row["path"], row["member"] or "")
    whole = list(meshpeek.scan(archives))
    # Spark's times have no time zone.
    for row in [*rows, *whole]:
        row["mtime"] = None
    assert any(row["path"].endswith("damaged.pbo") and row["problems"] for row in whole)
    assert sorted(rows, key=key) == sorted(whole, key=key) and len(rows) > 10_000


def test_polars_and_pandas_take_a_scan(archives):
    pytest.importorskip("polars", reason="skipped: no Polars")
    import polars_frame

    rows = list(meshpeek.scan(archives))
    frame = polars_frame.by_format(str(archives))
    assert frame["assets"].sum() == len(rows)
    assert frame["vertices"].sum() == sum(row["counts"]["vertices"] or 0 for row in rows)
    damaged = polars_frame.damaged(str(archives))
    assert "damaged.pbo" in damaged["path"].str.extract("([^/]*)$").to_list()
    assert "format" in run("polars_frame.py", archives)
    pandas = pytest.importorskip("pandas", reason="skipped: no pandas")
    frame = pandas.DataFrame.from_arrow(meshpeek.scan(archives))
    assert len(frame) == len(rows)
