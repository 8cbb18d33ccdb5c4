"""Runs every recipe of COOKBOOK.md with both engines and compares the rows."""

import ast
import pathlib
import re
import shutil

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


@pytest.fixture(scope="module")
def names(tmp_path_factory, corpus):
    """The tables of a folder in which every recipe finds something."""
    root = tmp_path_factory.mktemp("cookbook")
    mods = root / "mods"
    for name in ("b3d", "odol", "mlod", "paa", "rap"):
        shutil.copytree(corpus / name, mods / name)
    models = sorted((corpus / "odol").glob("*.p3d"))
    (mods / "models.pbo").write_bytes(pbo([(model.name, model.read_bytes()) for model in models]))
    shutil.make_archive(str(mods / "packed"), "zip", corpus / "b3d")
    (mods / "cut.p3d").write_bytes(models[0].read_bytes()[:40])
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
    assert first == second != []


def test_there_are_twelve():
    assert [recipe.split(".")[0] for recipe in RECIPES] == [str(number) for number in range(1, 13)]
