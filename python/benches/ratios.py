"""Compares the cost of tables with that of lines: the CPU time, user and system, of a scan to Parquet and of a scan in
Python, each divided by that of the program's scan to NDJSON.

    MESHPEEK=target/release/meshpeek venv/bin/python python/benches/ratios.py [--rounds N] PATH...

All run in turn, each in a separate process. The time that Python takes to start and import is subtracted, and printed
separately. The ratio compares the fastest rounds; the largest ratio of any one round is printed next to it. Memory is
the maximum of all rounds.
"""

import argparse
import os
import shutil
import sys
import tempfile

PYTHON = """
import sys, meshpeek
from pyarrow import RecordBatchReader
sum(batch.num_rows for batch in RecordBatchReader.from_stream(meshpeek.scan(sys.argv[1:])))
"""
NOTHING = "import meshpeek; from pyarrow import RecordBatchReader"


def cost(*command):
    """Runs a command. Returns its CPU time in seconds and its peak memory in MB."""
    pid = os.posix_spawnp(
        command[0],
        command,
        os.environ,
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
    )
    _, status, usage = os.wait4(pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: status {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("paths", nargs="+")
    arguments = arguments.parse_args()
    program = os.environ.get("MESHPEEK") or shutil.which("meshpeek") or "target/release/meshpeek"
    with tempfile.TemporaryDirectory() as folder:
        scan = lambda name: [program, "scan", "-q", "-o", os.path.join(folder, name), *arguments.paths]
        ways = {
            "NDJSON": scan("out.ndjson"),
            "Parquet": scan("out.parquet"),
            "Python": [sys.executable, "-c", PYTHON, *arguments.paths],
            "Python's start": [sys.executable, "-c", NOTHING],
        }
        rounds = [{way: cost(*command) for way, command in ways.items()} for _ in range(arguments.rounds + 1)][1:]
    start = min(round["Python's start"][0] for round in rounds)
    for round in rounds:
        round["Python"] = (round["Python"][0] - start, round["Python"][1])
    for way in ways:
        seconds = [round[way][0] for round in rounds]
        ratios = [round[way][0] / round["NDJSON"][0] for round in rounds]
        memory = max(round[way][1] for round in rounds)
        ratio = min(seconds) / min(round["NDJSON"][0] for round in rounds)
        print(f"{way:<14} {min(seconds):7.2f} s  ratio {ratio:5.2f}, at worst {max(ratios):5.2f}  {memory:7.1f} MB")


if __name__ == "__main__":
    main()
