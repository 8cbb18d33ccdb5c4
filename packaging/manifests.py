"""Writes what winget and Homebrew ask for, from the archives of a release and cli/Cargo.toml: manifests.py FOLDER

FOLDER/winget has the three files of a pull request to microsoft/winget-pkgs, FOLDER/meshpeek.rb is a formula for a tap."""

import hashlib
import shutil
import sys
import tomllib
from pathlib import Path

folder = Path(sys.argv[1])
package = tomllib.loads((Path(__file__).parent.parent / "cli/Cargo.toml").read_text())["package"]
version = package["version"]
address = package["repository"]
about = package["description"]
licence = package["license"]


class Archive:
    def __init__(self, target: str, ending: str):
        self.name = f"meshpeek-{version}-{target}"
        self.path = folder / (self.name + ending)
        self.url = f"{address}/releases/download/v{version}/{self.path.name}"

    def is_there(self) -> bool:
        return self.path.is_file()

    def sum(self) -> str:
        return hashlib.sha256(self.path.read_bytes()).hexdigest()


def winget(archive: Archive) -> None:
    name = "meshpeek.meshpeek"
    start = f"PackageIdentifier: {name}\nPackageVersion: {version}\n"
    place = folder / "winget"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()

    def write(kind: str, ending: str, text: str) -> None:
        schema = f"# yaml-language-server: $schema=https://aka.ms/winget-manifest.{kind}.1.6.0.schema.json\n"
        end = f"ManifestType: {kind}\nManifestVersion: 1.6.0\n"
        (place / f"{name}{ending}.yaml").write_text(schema + start + text + end)

    write("version", "", "DefaultLocale: en-US\n")
    write("installer", ".installer", f"""\
InstallerType: zip
NestedInstallerType: portable
NestedInstallerFiles:
  - RelativeFilePath: {archive.name}\\meshpeek.exe
    PortableCommandAlias: meshpeek
Commands:
  - meshpeek
Installers:
  - Architecture: x64
    InstallerUrl: {archive.url}
    InstallerSha256: {archive.sum().upper()}
""")
    write("defaultLocale", ".locale.en-US", f"""\
PackageLocale: en-US
Publisher: meshpeek
PackageName: meshpeek
PackageUrl: {address}
License: {licence}
LicenseUrl: {address}/blob/v{version}/LICENSE-MIT
ShortDescription: "{about}"
ReleaseNotesUrl: {address}/releases/tag/v{version}
""")


def homebrew() -> bool:
    systems = {
        "macos": {"arm": "aarch64-apple-darwin", "intel": "x86_64-apple-darwin"},
        "linux": {"arm": "aarch64-unknown-linux-musl", "intel": "x86_64-unknown-linux-musl"},
    }
    blocks = ""
    for system, machines in systems.items():
        inner = ""
        for machine, target in machines.items():
            archive = Archive(target, ".tar.gz")
            if archive.is_there():
                inner += f'    on_{machine} do\n      url "{archive.url}"\n      sha256 "{archive.sum()}"\n    end\n'
        if inner:
            blocks += f"  on_{system} do\n{inner}  end\n"
    if not blocks:
        return False
    licences = ", ".join(f'"{name}"' for name in licence.split(" OR "))
    # Formulas leave out a full stop and the name, and are short.
    (folder / "meshpeek.rb").write_text(f"""\
class Meshpeek < Formula
  desc "{about.split(' and the archives')[0].split(':')[0]}"
  homepage "{address}"
  version "{version}"
  license any_of: [{licences}]

{blocks}
  def install
    bin.install "meshpeek"
    man1.install "meshpeek.1"
    bash_completion.install "completions/meshpeek.bash" => "meshpeek"
    fish_completion.install "completions/meshpeek.fish"
    zsh_completion.install "completions/meshpeek.zsh" => "_meshpeek"
    doc.install "README.md", "GUIDE.md", "CHANGELOG.md", "SECURITY.md", "DEPENDENCIES.txt"
  end

  test do
    assert_match version.to_s, shell_output("#{{bin}}/meshpeek --version")
  end
end
""")
    return True


windows = Archive("x86_64-pc-windows-gnu", ".zip")
if windows.is_there():
    winget(windows)
else:
    print("skipped: no archive for winget")
if not homebrew():
    print("skipped: no archive for Homebrew")
