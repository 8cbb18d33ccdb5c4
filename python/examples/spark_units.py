"""One scan as many Spark tasks: one task for each unit of a plan, which `mapInArrow` turns into its records.

    python python/examples/spark_units.py FOLDER

This runs on one machine, with two threads. On a cluster:

- Put the files where every worker sees them under the same path: NFS, CephFS, Lustre, a mounted bucket. A unit says
  which members of which file to scan; it does not contain their bytes.
- In a bucket, without a mount: make a unit of some URLs, and let `records` call `meshpeek.scan(urls)`, which reads the
  ranges that it needs. See "Buckets" in the README.
- Install the wheel on the workers, in the image or with `--archives venv.tar.gz` (venv-pack). Spark starts the Python
  that the variable PYSPARK_PYTHON names, else the first `python3` on the path. Both the driver and the workers need the
  same version. `check` finds out; `check_here` does so before Spark starts.
- `meshpeek.plan` runs in the driver, and reads only directories. A task takes about a tenth of a second to start, so
  make units of at least 256 MB, and at least three units for each core, so that a slow unit does not delay the rest.
- Skew: a member is never divided, so one giant model is one unit. `spark.speculation` starts slow tasks again, and
  `spark.task.maxFailures` limits how often a failed task is tried again. If a file changed after the plan was made, its
  units are reported as an unreadable path; with `errors="raise"` the task fails.
- Each unit has a separate budget for hostile files, so that a zip bomb affects only its unit.
"""

import json
import os
import subprocess
import sys

import pyarrow

import meshpeek


def records(batches, **options):
    """Scans rows of units. `mapInArrow` calls this in a worker."""
    for batch in batches:
        for row in batch.to_pylist():
            unit = json.loads(row["unit"])
            yield from pyarrow.RecordBatchReader.from_stream(meshpeek.scan(units=unit, jobs=1, **options))


def agree(python, version):
    """Raises an error if a worker's Python has not this version of the package. `None` is none."""
    ours = meshpeek.__version__
    if version != ours:
        found = f"has meshpeek {version}, not {ours}" if version else "cannot import meshpeek"
        raise RuntimeError(f"{python} {found}: set PYSPARK_PYTHON to a Python that has meshpeek {ours}")


def check_here(python):
    """Checks a Python of this machine, without Spark."""
    try:
        command = [python, "-c", "import meshpeek; print(meshpeek.__version__)"]
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        raise RuntimeError(f"PYSPARK_PYTHON is {python}, which does not start: {error.strerror}") from error
    agree(python, done.stdout.strip() if done.returncode == 0 else None)


def check(spark):
    """Checks the Python that Spark starts on a worker."""

    def look(_):
        import sys

        try:
            import meshpeek as theirs
        except ImportError:
            return [(sys.executable, None)]
        return [(sys.executable, theirs.__version__)]

    [(python, version)] = spark.sparkContext.parallelize([0], 1).mapPartitions(look).collect()
    agree(python, version)


def schema(spark):
    """Returns the columns of the records as a Spark schema."""
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(pyarrow.schema(meshpeek.scan([])))


def scan(spark, folder, unit_bytes=256 << 20, work=records):
    """Returns the records of a folder as a frame, with one partition for each unit."""
    units = meshpeek.plan(folder, unit_bytes=unit_bytes)
    rows = [(json.dumps(unit),) for unit in units]
    # A partition for each row: `repartition` would put several into one, and none into another.
    frame = spark.createDataFrame(spark.sparkContext.parallelize(rows, max(1, len(rows))), "unit string")
    return frame.mapInArrow(work, schema(spark))


def main(folder):
    # Otherwise Spark starts the first python3 on the path, which may lack this package. Its own errors are long.
    check_here(os.environ.setdefault("PYSPARK_PYTHON", sys.executable))
    from pyspark.sql import SparkSession

    # A task may fail three times, for example if its worker is lost.
    spark = SparkSession.builder.master("local[2, 4]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        check(spark)
        frame = scan(spark, folder)
        frame.groupBy("format").agg({"bytes": "sum", "path": "count"}).orderBy("format").show()
    finally:
        spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
