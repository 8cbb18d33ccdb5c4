"""Measures how the time and memory of each verb grow with the number of members of an archive.

    MESHPEEK=target/release/meshpeek python3 benches/growth.py [VERB...]

Writes a PBO of 10,000, 100,000 and 1,000,000 scenes of about 120 bytes. Each content occurs many times, and each scene
names a texture that is not there. Runs each verb on each of them with one job, three times in turn, and prints the
medians of the CPU time and of the peak of memory that is not mapped from files. The exponent between two sizes is 1 if
the time grows as the archive does. The time of an archive with one member is deducted.

`extract` writes a million files, so it runs only if it is named. The tables need a program with the feature `parquet`.
"""

import math
import os
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

SIZES = [10_000, 100_000, 1_000_000]
RUNS = 3
CONTENTS = 1000
# A verb that takes longer is ended, because its time grows faster than the archive.
LONGEST = 300.0
# {} is the archive, {other} one that differs in its last byte, {folder} an empty folder.
VERBS = {
    "scan": ["scan", "--jobs", "1", "{}"],
    "scan --digests": ["scan", "--jobs", "1", "--digests", "{}"],
    "scan --depth header": ["scan", "--jobs", "1", "--depth", "header", "{}"],
    "scan --format csv": ["scan", "--jobs", "1", "--format", "csv", "{}"],
    "scan --format table": ["scan", "--jobs", "1", "--format", "table", "{}"],
    "refs": ["refs", "--jobs", "1", "{}"],
    "dupes": ["dupes", "--jobs", "1", "{}"],
    "verify": ["verify", "--jobs", "1", "{}"],
    "verify --lint": ["verify", "--jobs", "1", "--lint", "{}"],
    "ls": ["ls", "{}"],
    "plan": ["plan", "{}"],
    "info": ["info", "{}"],
    "info --json": ["info", "--json", "{}"],
    "tree": ["tree", "{}"],
    "tree --fields": ["tree", "--fields", "--format", "ndjson", "{}"],
    "hex": ["hex", "{}"],
    "dump": ["dump", "{}"],
    "diff": ["diff", "{}", "{other}"],
    "cat": ["cat", "{}!/**"],
    "tables": ["scan", "--jobs", "1", "{}", "-o", "{folder}/"],
    "extract": ["extract", "{}", "-o", "{folder}/"],
}
SLOW = ["extract"]


def chunk(tag, body):
    return tag + struct.pack("<I", len(body)) + body


def scene(number):
    name = b"n%d\0" % (number % CONTENTS)
    texture = chunk(b"TEXS", name[:-1] + b".png\0" + struct.pack("<2i5f", 1, 2, 0, 0, 1, 1, 0))
    node = chunk(b"NODE", name + struct.pack("<10f", 0, 0, 0, 1, 1, 1, 1, 0, 0, 0))
    return chunk(b"BB3D", struct.pack("<I", 1) + texture + node)


def write_archive(path, count):
    """A PBO of this many stored members in folders of a thousand."""
    with open(path, "wb") as out:
        for number in range(count):
            out.write(b"data\\%d\\%d.b3d\0" % (number // 1000, number))
            out.write(struct.pack("<5I", 0, 0, 0, 0, len(scene(number))))
        out.write(bytes(21))
        for number in range(count):
            out.write(scene(number))


def write_other(path, original):
    """The same archive with another last byte."""
    shutil.copyfile(original, path)
    with open(path, "r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"\1")


def run(arguments):
    """CPU seconds and the peak of anonymous memory in bytes."""
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    start = time.monotonic()
    peak = 0
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            break
        try:
            with open(f"/proc/{process.pid}/status") as lines:
                known = dict(line.split(":", 1) for line in lines)
            peak = max(peak, int(known.get("RssAnon", "0 kB").split()[0]) * 1024)
        except (OSError, ValueError):
            pass
        if time.monotonic() - start > LONGEST:
            process.kill()
            process.wait()
            raise SystemExit(f"{arguments}: more than {LONGEST:.0f} s")
        time.sleep(0.002)
    if process.returncode not in (0, 1):
        raise SystemExit(f"{arguments}: status {process.returncode}")
    return usage.ru_utime + usage.ru_stime, peak


def main():
    program = os.environ.get("MESHPEEK", "target/release/meshpeek")
    asked = sys.argv[1:] or [name for name in VERBS if name not in SLOW]
    if unknown := [name for name in asked if name not in VERBS]:
        raise SystemExit(f"no such verb: {unknown}; there are {list(VERBS)}")
    folder = tempfile.mkdtemp()
    try:
        paths = []
        for size in [1, *SIZES]:
            paths.append(os.path.join(folder, f"{size}.pbo"))
            write_archive(paths[-1], size)
            write_other(paths[-1] + ".other.pbo", paths[-1])
        out = os.path.join(folder, "out")

        def measured(words, path):
            shutil.rmtree(out, ignore_errors=True)
            os.mkdir(out)
            words = [word.format(path, other=path + ".other.pbo", folder=out) for word in words]
            return run([program, *words, "--quiet"])

        scans = None
        print(f"{'verb':20} {'seconds':>24} {'exponents':>12} {'bytes/member':>13} {'of a scan':>10}")
        for name in asked:
            try:
                rounds = [[measured(VERBS[name], path) for path in paths] for _ in range(RUNS)]
            except SystemExit as error:
                print(f"{name:20} not measured: {error}")
                continue
            seconds = [statistics.median(run[place][0] for run in rounds) for place in range(len(paths))]
            peaks = [statistics.median(run[place][1] for run in rounds) for place in range(len(paths))]
            net = [max(time - seconds[0], 0.001) for time in seconds[1:]]
            steps = zip(zip(net, net[1:]), zip(SIZES, SIZES[1:]))
            exponents = [math.log(b / a) / math.log(more / few) for (a, b), (few, more) in steps]
            scans = net[-1] if name == "scan" else scans
            times = " ".join(f"{time:7.3f}" for time in net)
            grown = " ".join(f"{exponent:5.2f}" for exponent in exponents)
            memory = (peaks[-1] - peaks[0]) / SIZES[-1]
            ratio = f"{net[-1] / scans:10.2f}" if scans else ""
            print(f"{name:20} {times:>24} {grown:>12} {memory:13.1f} {ratio}", flush=True)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
