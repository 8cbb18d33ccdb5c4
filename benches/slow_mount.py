"""Compares a scan with `cat` on a slow FUSE mount: 5 ms of latency for each request, and 100 MB/s.

    MESHPEEK=target/release/meshpeek python3 benches/slow_mount.py ARCHIVE [ARGUMENTS OF scan]

Needs permission to mount, but no library: it uses /dev/fuse directly. Nothing is cached when a file is opened. Runs all
commands in turn, for three rounds, and prints the wall-clock time and the bytes read of each.
"""

import ctypes
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time

LATENCY = 0.005
BYTES_A_SECOND = 100e6
LOOKUP, FORGET, GETATTR, OPEN, READ, STATFS, INIT, INTERRUPT, FORGETS = 1, 2, 3, 14, 15, 17, 26, 36, 42
FLUSH, OPEN_FOLDER, CLOSED = 25, 27, (18, 29)
NOT_KNOWN, NOT_THERE = 38, 2


class Mount:
    """A mounted folder with one file, which is slow to read."""

    def __init__(self, folder, path):
        self.device = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={self.device},rootmode=40000,user_id=0,group_id=0,allow_other".encode()
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.mount(b"slow", folder.encode(), b"fuse.slow", 1 | 2 | 4, options) != 0:
            raise SystemExit(f"no FUSE here: {os.strerror(ctypes.get_errno())}")
        self.unmount = lambda: libc.umount2(folder.encode(), 2)
        self.file, self.name = os.open(path, os.O_RDONLY), os.path.basename(path).encode()
        self.size, self.read, self.free = os.fstat(self.file).st_size, 0, 0.0
        self.lock = threading.Lock()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                request = os.read(self.device, 1 << 18)
            except OSError:
                return
            length, code, unique, node = struct.unpack_from("<IIQQ", request)
            body = request[40:length]
            if code == READ:
                threading.Thread(target=self.slowly, args=(unique, body), daemon=True).start()
            elif code not in (FORGET, INTERRUPT, FORGETS):
                self.reply(unique, self.answer(code, node, body))

    def slowly(self, unique, body):
        offset, size = struct.unpack_from("<QI", body, 8)
        content = os.pread(self.file, size, offset)
        with self.lock:
            self.read += len(content)
            self.free = max(self.free, time.monotonic()) + len(content) / BYTES_A_SECOND
            until = self.free + LATENCY
        time.sleep(max(0, until - time.monotonic()))
        self.reply(unique, content)

    def attributes(self, node):
        mode, size = (0o40755, 0) if node == 1 else (0o100644, self.size)
        return struct.pack("<6Q3I7I", node, size, 0, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)

    def answer(self, code, node, body):
        if code == INIT:
            return struct.pack("<IIIIHHIIHHI7I", 7, 31, 1 << 17, 1, 128, 96, 1 << 17, 1, 0, 0, 0, *[0] * 7)
        if code == LOOKUP:
            there = body.rstrip(b"\0") == self.name
            return struct.pack("<4Q2I", 2, 0, 60, 60, 0, 0) + self.attributes(2) if there else NOT_THERE
        if code == GETATTR:
            return struct.pack("<QII", 60, 0, 0) + self.attributes(node)
        if code in (OPEN, OPEN_FOLDER):
            return struct.pack("<QII", 1, 0, 0)
        if code == STATFS:
            return struct.pack("<5Q10I", 0, 0, 0, 0, 0, 4096, 255, 4096, *[0] * 7)
        return b"" if code in (FLUSH, *CLOSED) else NOT_KNOWN

    def reply(self, unique, answer):
        body, error = (b"", -answer) if isinstance(answer, int) else (answer, 0)
        try:
            os.write(self.device, struct.pack("<IiQ", 16 + len(body), error, unique) + body)
        except OSError:
            pass


def main():
    path, *arguments = sys.argv[1:]
    program = os.environ.get("MESHPEEK") or shutil.which("meshpeek") or "target/release/meshpeek"
    with tempfile.TemporaryDirectory() as folder:
        mount = Mount(folder, os.path.abspath(path))
        slow = os.path.join(folder, os.path.basename(path))
        ways = {"cat": ["cat", slow]}
        for jobs in ("1", "2", "8"):
            ways[f"scan -j{jobs}"] = [program, "scan", "-q", "--format", "ndjson", f"-j{jobs}", *arguments, slow]
        try:
            for _ in range(3):
                for way, command in ways.items():
                    before, start = mount.read, time.monotonic()
                    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
                    seconds, read = time.monotonic() - start, mount.read - before
                    print(f"{way:<10} {seconds:7.2f} s  {read / 1e6:8.1f} MB read", flush=True)
        finally:
            mount.unmount()


if __name__ == "__main__":
    main()
