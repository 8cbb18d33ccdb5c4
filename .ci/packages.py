"""Compares the files of a release with the places where cargo binstall and cargo deb look for them: packages.py FOLDER"""

import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

folder = Path(sys.argv[1])
package = tomllib.loads(Path("cli/Cargo.toml").read_text())["package"]
general = package["metadata"]["binstall"]
# The endings that cargo binstall tries for each kind of archive.
endings = {"tgz": [".tgz", ".tar.gz"], "zip": [".zip"]}
start = f"meshpeek-{package['version']}-"
archives = {path.name.removeprefix(start).removesuffix(".tar.gz").removesuffix(".zip"): path
            for path in folder.iterdir() if path.name.startswith(start) and path.name.endswith((".tar.gz", ".zip"))}
assert archives, "no archives"
targets = set(archives) | set(general["overrides"])
found = {}
for target in sorted(targets):
    if "windows" in target and not any("windows" in name for name in archives):
        print(f"skipped: no archive for {target}")
        continue
    rules = general | general["overrides"].get(target, {})
    words = {"repo": package["repository"], "version": package["version"], "target": target, "bin": "meshpeek",
             "binary-ext": ".exe" if "windows" in target else ""}

    def fill(text: str, **more: str) -> str:
        for word, value in (words | more).items():
            text = text.replace("{ " + word + " }", value)
        assert "{" not in text, f"{target}: {text}"
        return text

    urls = [fill(rules["pkg-url"], **{"archive-suffix": ending}) for ending in endings[rules["pkg-fmt"]]]
    names = [url.rsplit("/", 1)[1] for url in urls]
    path = next((folder / name for name in names if (folder / name).exists()), None)
    assert path, f"{target}: none of {names} in {folder}"
    if path.suffix == ".zip":
        members = zipfile.ZipFile(path).namelist()
    else:
        members = tarfile.open(path).getnames()
    program = fill(rules["bin-dir"])
    assert program in members, f"{target}: no {program} in {path.name}"
    found[target] = path
unused = set(archives.values()) - set(found.values())
assert not unused, f"nobody looks for {unused}"
print(f"cargo binstall finds an archive for {', '.join(found)}")

missing = [source for source, _, _ in package["metadata"]["deb"]["assets"] if not (Path("cli") / source).is_file()]
assert not missing, f"cargo deb does not find {missing}"
