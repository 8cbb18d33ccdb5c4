"""Three questions about a mod, answered by DuckDB.

    python python/examples/duckdb_queries.py FOLDER [TEXTURE] [TRIANGLES]

DuckDB pulls the scan as an Arrow stream: nothing is written, nothing is held but a batch. For folders that do not change,
write them once and query the files:

    meshpeek scan FOLDER --digests -o index/
    duckdb -c "select format, count(*) from 'index/assets.parquet' group by 1"

On several machines, with the folder under the same path on shared storage, give each some units of `meshpeek plan FOLDER
--unit 256M`, have it write a file (`meshpeek scan --units-from part.ndjson --digests -o part.parquet`), and query
`*.parquet`. A member is never cut: more parts than machines keep one giant model from holding up the rest.
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

# The mod is the folder that a file lies in; the LOD, the first two steps of a selector.
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
    """Models of so many triangles that use a texture."""
    assets = meshpeek.scan(folder)
    return duckdb.execute(HEAVY, {"texture": texture, "triangles": triangles}).fetchall()


def twice(folder):
    """What is there more than once, byte for byte, across archives."""
    assets = meshpeek.scan(folder, digests=True)
    return duckdb.execute(TWICE).fetchall()


def bytes_of_lods(folder):
    """How many stored bytes the arrays of each LOD take, by mod."""
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
