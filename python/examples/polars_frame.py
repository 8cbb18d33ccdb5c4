"""A scan as a Polars frame: vertices by format, and what is damaged.

    python python/examples/polars_frame.py FOLDER

Polars is a program of one machine. Where the scan takes several, each does some units and writes a file:

    meshpeek plan FOLDER --unit 256M > units.ndjson
    split -n l/8 units.ndjson part.
    meshpeek scan --units-from part.aa -o part.aa.parquet

and `polars.read_parquet("part.*.parquet")` takes the place of the scan here. The folder must have the same path everywhere,
on shared storage. Lines that share a number are one unit and may be done apart; a member is never cut, so that one giant
model is one line, and more parts than machines keep it from holding up the rest.
"""

import sys

import polars

import meshpeek


def by_format(folder):
    """How many assets, bytes and vertices there are of each format."""
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
    """A row for each error, with its place."""
    frame = polars.DataFrame(meshpeek.scan(folder, verify=True))
    problems = frame.select("path", "member", "problems").explode("problems").drop_nulls("problems").unnest("problems")
    return problems.filter(polars.col("severity") == "error").sort("path", "member", "offset")


def main(folder):
    print(by_format(folder))
    print(damaged(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
