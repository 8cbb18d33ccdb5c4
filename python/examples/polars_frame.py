"""A scan as a Polars frame: counts by format, and all errors.

    python python/examples/polars_frame.py FOLDER

Polars runs on one machine. If the scan needs several machines, each one scans some units and writes a file:

    meshpeek plan FOLDER --unit 256M > units.ndjson
    split -n l/8 units.ndjson part.
    meshpeek scan --units-from part.aa -o part.aa.parquet

Then `polars.read_parquet("part.*.parquet")` replaces the scan here. The folder must be on shared storage, with the same
path on every machine. Lines with the same number are one unit, but may be scanned separately. A member is never
divided, so one giant model is one line. Make more parts than machines, so that it does not delay the rest.
"""

import sys

import polars

import meshpeek


def by_format(folder):
    """Returns the number of assets, bytes and vertices of each format."""
    frame = polars.DataFrame(meshpeek.scan(folder))
    return (
        frame.group_by("format")
        .agg(
            polars.len().alias("assets"),
            polars.col("bytes").sum(),
            polars.col("counts").struct.field("vertices").sum(),
        )
        .sort("format")
    )


def damaged(folder):
    """Returns a row for each error, with its location."""
    frame = polars.DataFrame(meshpeek.scan(folder, verify=True))
    problems = frame.select("path", "member", "problems").explode("problems").drop_nulls("problems").unnest("problems")
    return problems.filter(polars.col("severity") == "error").sort("path", "member", "offset")


def main(folder):
    print(by_format(folder))
    print(damaged(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
