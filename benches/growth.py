"""Measures how the time and memory of each verb grow with the number of members of an archive.

    MESHPEEK=target/release/meshpeek python3 benches/growth.py [VERB...]

Writes a PBO of 10,000, 100,000 and 1,000,000 scenes of about 70 bytes, of which each content occurs many times. Runs
each verb on each of them with one job, three times in turn, and prints the medians of the CPU time and of the peak of
memory that is not mapped from files. The exponent between two sizes is 1 if the time grows as the archive does. The
time of an archive without members is deducted.

The four tables need a program with the feature `parquet`.
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
VERBS = {
    "scan": ["scan"],
    "scan --digests": ["scan", "--digests"],
    "scan --format csv": ["scan", "--format", "csv"],
    "scan --format table": ["scan", "--format", "table"],
    "refs": ["refs"],
    "dupes": ["dupes"],
    "verify": ["verify"],
    "info": ["info"],
    "info --json": ["info", "--json"],
    "tree --fields": ["tree", "--fields", "--format", "ndjson"],
    "tables": ["scan", "-o"],
}


def chunk(tag, body):
    return tag + struct.pack("<I", len(body)) + body


def scene(number):
    name = b"n%d\0" % (number % CONTENTS)
    node = chunk(b"NODE", name + struct.pack("<10f", 0, 0, 0, 1, 1, 1, 1, 0, 0, 0))
    return chunk(b"BB3D", struct.pack("<I", 1) + node)


def write_archive(path, count):
    """A PBO of this many stored members in folders of a thousand."""
    with open(path, "wb") as out:
        for number in range(count):
            out.write(b"data\\%d\\%d.b3d\0" % (number // 1000, number))
            out.write(struct.pack("<5I", 0, 0, 0, 0, len(scene(number))))
        out.write(bytes(21))
        for number in range(count):
            out.write(scene(number))


def run(arguments):
    """CPU seconds and the peak of anonymous memory in bytes."""
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
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
        time.sleep(0.002)
    if process.returncode not in (0, 1):
        raise SystemExit(f"{arguments}: status {process.returncode}")
    return usage.ru_utime + usage.ru_stime, peak


def main():
    program = os.environ.get("MESHPEEK", "target/release/meshpeek")
    asked = sys.argv[1:]
    verbs = {name: words for name, words in VERBS.items() if not asked or name in asked}
    folder = tempfile.mkdtemp()
    try:
        paths = []
        for size in [0, *SIZES]:
            paths.append(os.path.join(folder, f"{size}.pbo"))
            write_archive(paths[-1], size)
        tables = os.path.join(folder, "tables")

        def measured(words, path):
            if words[-1] == "-o":
                shutil.rmtree(tables, ignore_errors=True)
                os.mkdir(tables)
                words = [*words, tables + os.sep]
            jobs = ["--jobs", "1"] if words[0] in ("scan", "refs", "dupes", "verify") else []
            return run([program, *words, "--quiet", *jobs, path])

        scans = None
        print(f"{'verb':20} {'seconds':>24} {'exponents':>12} {'bytes/member':>13} {'of a scan':>10}")
        for name, words in verbs.items():
            try:
                rounds = [[measured(words, path) for path in paths] for _ in range(RUNS)]
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
