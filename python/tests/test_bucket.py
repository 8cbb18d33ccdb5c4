"""A bucket on a local S3 server: the recipe of the README."""

import zipfile

import pytest

import meshpeek
from conftest import pbo
from test_remote import comparable

server = pytest.importorskip("moto.server", reason="skipped: no moto[server]")
s3fs = pytest.importorskip("s3fs", reason="skipped: no s3fs")


@pytest.fixture
def bucket(monkeypatch):
    thread = server.ThreadedMotoServer(port=0)
    thread.start()
    host, port = thread.get_host_and_port()
    for name, value in {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
    }.items():
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()
    files = s3fs.S3FileSystem()
    files.mkdir("mods")
    yield files
    s3fs.S3FileSystem.clear_instance_cache()
    thread.stop()


def test_a_bucket_is_scanned_by_ranges(bucket, corpus, tmp_path, monkeypatch):
    model = (corpus / "b3d" / "triangle.b3d").read_bytes()
    archives = tmp_path / "mods"
    archives.mkdir()
    (archives / "loose.b3d").write_bytes(model)
    with zipfile.ZipFile(archives / "all.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.b3d", model)
        archive.writestr("inner.pbo", pbo([("deep.b3d", model), ("note.txt", b"hello")]))
    (archives / "sounds.pbo").write_bytes(pbo([("a.ogg", bytes(3_000_000)), ("tree.b3d", model), ("b.ogg", bytes(3_000_000))]))
    for path in archives.iterdir():
        bucket.put_file(str(path), f"mods/addons/{path.name}")
    urls = [bucket.unstrip_protocol(path) for path in bucket.find("mods")]
    read = []
    ranged = s3fs.S3FileSystem.cat_file

    def cat_file(self, path, start=None, end=None, **options):
        read.append(end - start)
        return ranged(self, path, start=start, end=end, **options)

    monkeypatch.setattr(s3fs.S3FileSystem, "cat_file", cat_file)
    assert comparable(meshpeek.scan(urls)) == comparable(meshpeek.scan(sorted(archives.iterdir())))
    assert sum(read) < sum(path.stat().st_size for path in archives.iterdir()) / 2
    read.clear()
    with meshpeek.open("s3://mods/addons/sounds.pbo!/tree.b3d") as file:
        assert file["meshes/0/positions"].numpy().sum() == 4.5
    assert sum(read) < 20_000
    assert sorted(file.format or "" for file in meshpeek.walk(urls)).count("zip") == 1
    # A dataset in Parquet, from the bucket.
    meshpeek.scan(urls, depth="header").to_parquet(f"{tmp_path}/index/", partition="format")
    assert (tmp_path / "index" / "assets" / "format=b3d").is_dir()
