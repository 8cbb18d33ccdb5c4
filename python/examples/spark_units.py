"""One scan by many Spark tasks: the units of a plan are the rows of a frame, and `mapInArrow` turns each into its records.

    python python/examples/spark_units.py FOLDER

That runs on this machine, with two threads. On a cluster:

- Put the files where every worker sees them under the same path: NFS, CephFS, Lustre, a mounted bucket. A unit says which
  members of which file, its bytes do not travel.
- Install the wheel on the workers, in the image or with `--archives venv.tar.gz` (venv-pack).
- `meshpeek.plan` reads directories alone and runs in the driver. A task takes about a tenth of a second to start, so
  256 MB a unit or more; and at least three units to a core, so that a slow one does not hold up the rest.
- Skew: a member is never cut, so one giant model is one unit; `spark.speculation` starts slow tasks once more, and
  `spark.task.maxFailures` says how often one that failed is tried again. A unit whose file changed since the plan is told as an
  unreadable path; with `errors="raise"` its task fails.
- Each unit has a budget of its own for hostile files: one bomb costs its unit, no more.
"""

import sys

import pyarrow

import meshpeek

UNIT = "unit long, path string, lossy boolean, first long, last long, bytes long, stamp string, named boolean"
KEYS = [field.split()[0] for field in UNIT.split(", ")]


def records(batches, **options):
    """What `mapInArrow` calls in a worker, with rows of units."""
    for batch in batches:
        for unit in batch.to_pylist():
            yield from pyarrow.RecordBatchReader.from_stream(meshpeek.scan(units=unit, jobs=1, **options))


def schema(spark):
    """The columns of the records, in Spark's words."""
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(pyarrow.schema(meshpeek.scan([])))


def scan(spark, folder, unit_bytes=256 << 20, work=records):
    """The records of a folder as a frame, a partition to each piece of a unit."""
    pieces = meshpeek.plan(folder, unit_bytes=unit_bytes).pieces
    rows = [tuple(piece.get(key) for key in KEYS) for piece in pieces]
    units = spark.createDataFrame(rows, UNIT).repartition(max(1, len(rows)))
    return units.mapInArrow(work, schema(spark))


def main(folder):
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        frame = scan(spark, folder)
        frame.groupBy("format").agg({"bytes": "sum", "path": "count"}).orderBy("format").show()
    finally:
        spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
