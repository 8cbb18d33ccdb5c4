"""Three questions about a mod, answered by DuckDB.

    python python/examples/duckdb_queries.py FOLDER [TEXTURE] [TRIANGLES]

DuckDB pulls the scan as an Arrow stream: nothing is written, and only a batch at a time is in memory. For folders that
do not change, write the tables once and query the files:

    meshpeek scan FOLDER --digests -o index/
    duckdb -c "select format, count(*) from 'index/assets.parquet' group by 1"

On several machines, put the folder on shared storage under the same path. Give each machine some units of
`meshpeek plan FOLDER --unit 256M`, let it write a file (`meshpeek scan --units-from part.ndjson --digests -o
part.parquet`), and query `*.parquet`. A member is never divided. Make more parts than machines, so that one
giant model does not delay the rest.
"""

import sys

import duckdb

import meshpeek

HEAVY = """
select path, member, counts.triangles as triangles
from assets
where counts.triangles >= $triangles
  and len(list_filter(refs, lambda ref: ref.kind = 'texture' and contains(lower(ref.name), lower($texture)))) > 0
order by triangles desc, path, member
"""

TWICE = """
select digests.file as digest, count(*) as copies, count(distinct path) as archives, any_value(bytes) as size
from assets
where digests.file is not null and format not in ('pbo', 'zip')
group by 1 having copies > 1
order by size * (copies - 1) desc, digest
"""

# The mod is the folder that contains the file. The LOD is the first two steps of a selector.
BYTES = """
select regexp_extract(path, '([^/]*)/[^/]*$', 1) as mod,
       regexp_extract(selector, '^lods/[0-9]+') as lod,
       sum(bytes)::bigint as stored, count(*) as arrays
from arrays
where selector like 'lods/%'
group by all
order by stored desc, mod, lod
"""


def heavy(folder, texture, triangles):
    """Returns the models with at least this many triangles that use the texture."""
    assets = meshpeek.scan(folder)
    return duckdb.execute(HEAVY, {"texture": texture, "triangles": triangles}).fetchall()


def twice(folder):
    """Returns the assets that occur more than once with the same bytes, across all archives."""
    assets = meshpeek.scan(folder, digests=True)
    return duckdb.execute(TWICE).fetchall()


def bytes_of_lods(folder):
    """Returns the stored size of the arrays of each LOD in bytes, by mod."""
    arrays = meshpeek.scan(folder, table="arrays")
    return duckdb.execute(BYTES).fetchall()


def main(folder, texture="", triangles=1):
    for title, rows in [
        (f"models of {triangles} triangles and more that use *{texture}*", heavy(folder, texture, int(triangles))),
        ("assets that are there more than once", twice(folder)),
        ("bytes by mod and LOD", bytes_of_lods(folder)),
    ]:
        print(f"{title}: {len(rows)}")
        for row in rows[:10]:
            print("  ", *row)


if __name__ == "__main__":
    main(*sys.argv[1:])
