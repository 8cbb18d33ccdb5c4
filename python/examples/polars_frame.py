"""A scan as a Polars frame: vertices by format, and what is damaged.

    python python/examples/polars_frame.py FOLDER
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
