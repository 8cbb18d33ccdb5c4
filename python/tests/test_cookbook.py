"""Runs every recipe of COOKBOOK.md with both engines and compares the rows with those that are right."""

import ast
import pathlib
import re
import shutil
import zipfile

import pytest

from conftest import pbo

duckdb = pytest.importorskip("duckdb", reason="skipped: no DuckDB")
polars = pytest.importorskip("polars", reason="skipped: no Polars")

TEXT = (pathlib.Path(__file__).parents[1] / "COOKBOOK.md").read_text()
PREPARE, *RECIPES = TEXT.split("\n## ")


def blocks(text, language):
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def value(code, names):
    """Runs statements, and returns the value of the last one, an expression."""
    *statements, last = ast.parse(code).body
    exec(compile(ast.Module(statements, []), "COOKBOOK.md", "exec"), names)
    return eval(compile(ast.Expression(last.value), "COOKBOOK.md", "eval"), names)


# Few files, so that every answer can be written down.
FILES = [
    "b3d/everything.b3d",
    "b3d/triangle.b3d",
    "mlod/everything.p3d",
    "odol/edge_of_packing.p3d",
    "odol/purposes.p3d",
    "odol/v50_lzo.p3d",
    "paa/dxt1.paa",
    "paa/dxt5_lzo.paa",
]

TREES = [("mods/models.pbo", "tree.p3d"), ("mods/odol-v50_lzo.p3d", None)]
SCENES = [("mods/b3d-everything.b3d", None), ("mods/packed.zip", "everything.b3d")]
OF_TREES = ["stage0_11.paa", "stage0_9.paa", "stage1_11.paa", "stage1_9.paa", "wall_co.paa"]

# The rows of each recipe.
EXPECTED = {
    1: [("b3d", 3, 2934), ("mlod", 1, 790), ("odol", 5, 161770), ("paa", 2, 2208), ("pbo", 1, 71347), ("zip", 1, 695)],
    2: [
        *[(*tree, 1647) for tree in TREES],
        ("mods/odol-edge_of_packing.p3d", None, 83),
        ("mods/mlod-everything.p3d", None, 4),
        *[(*scene, 3) for scene in SCENES],
        ("mods/b3d-triangle.b3d", None, 1),
    ],
    3: [
        *[(*tree, f"data\\{name}") for tree in TREES for name in OF_TREES],
        *[(*scene, name) for scene in SCENES for name in ("C:\\art work\\bark.bmp", "leaf.png")],
        ("mods/mlod-everything.p3d", None, "own\\data\\a_co.paa"),
        ("mods/mlod-everything.p3d", None, "own\\data\\b_co.paa"),
        ("mods/odol-edge_of_packing.p3d", None, "data\\wall_co.paa"),
    ],
    4: [("mods/paa-dxt1.paa", 273), ("mods/paa-dxt5_lzo.paa", 1935)],
    5: [
        ("5ce2c36ba34ea458872bdf58ca55092a4ce326c19406d6c7e6c235da78f06f96", 2, 71275),
        ("763f6e7ae365c1c6ef44f35db49b3244cd3da78d0b590eed59916ba811f42f15", 2, 1386),
    ],
    6: [("damaged.truncated", "error", 1, 1)],
    # Not `purposes.p3d`, which has every kind of LOD, and not the trees.
    7: [("mods/mlod-everything.p3d", None, 2), ("mods/odol-edge_of_packing.p3d", None, 4)],
    8: [("mods/odol-edge_of_packing.p3d", None, 83, 254), ("mods/odol-purposes.p3d", None, 0, 0)],
    10: [("mods/packed.zip", 1, 0.411)],
    11: SCENES,
    12: [
        *[(*tree, 8.0) for tree in TREES],
        *[(*scene, 10.5) for scene in SCENES],
        ("mods/odol-edge_of_packing.p3d", None, 8.0),
        ("mods/odol-purposes.p3d", None, 8.0),
    ],
}

# Some of the rows, and the number of all.
PARTS = {9: (60, [("positions", "lzo", 11279, 5), ("positions", "in place", 53916, 45), ("content", "in place", 71275, 1)])}


@pytest.fixture(scope="module")
def names(tmp_path_factory, corpus):
    """The tables of a folder in which every recipe finds something, and 2, 4, 7, 8 and 12 leave something out."""
    root = tmp_path_factory.mktemp("cookbook")
    mods = root / "mods"
    mods.mkdir()
    for name in FILES:
        shutil.copy(corpus / name, mods / name.replace("/", "-"))
    tree = (corpus / "odol" / "v50_lzo.p3d").read_bytes()
    (mods / "models.pbo").write_bytes(pbo([("tree.p3d", tree)]))
    with zipfile.ZipFile(mods / "packed.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(corpus / "b3d" / "everything.b3d", "everything.b3d")
    (mods / "cut.p3d").write_bytes(tree[:40])
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        found = {}
        for code in blocks(PREPARE, "python"):
            exec(code, found)
        yield found


@pytest.mark.parametrize("recipe", RECIPES, ids=[recipe.split("\n")[0] for recipe in RECIPES])
def test_both_engines_answer(recipe, names):
    (sql,), (code,) = blocks(recipe, "sql"), blocks(recipe, "python")
    ours = value(code, names)
    theirs = duckdb.sql(sql)
    assert ours.columns == theirs.columns
    plain = lambda row: tuple(float(f"{cell:.4g}") if isinstance(cell, float) else cell for cell in row)
    first, second = (sorted(map(plain, rows), key=str) for rows in (ours.rows(), theirs.fetchall()))
    assert first == second
    number = int(recipe.split(".")[0])
    if number in PARTS:
        count, some = PARTS[number]
        assert len(first) == count and set(some) <= set(first)
    else:
        assert first == sorted(EXPECTED[number], key=str)


def test_there_are_twelve():
    assert [recipe.split(".")[0] for recipe in RECIPES] == [str(number) for number in range(1, 13)]
