"""Tables as Parquet files, in the layouts that the program writes."""

import contextlib
import glob
import os
import re
import secrets

NO_FORMAT = "__HIVE_DEFAULT_PARTITION__"
# Rows are compressed once they take this many bytes.
GROUP_BYTES = 64 << 20
WHOLE, RUN = b"meshpeek.whole", b"meshpeek.run"


def find(folder, table):
    """The files of a table in a folder, however it is divided."""
    inside = glob.escape(folder)
    paths = glob.glob(f"{inside}/{table}.parquet") + glob.glob(f"{inside}/{table}-*.parquet")
    paths += glob.glob(f"{inside}/{table}/format=*/{table}-*.parquet")
    numbered = re.compile(rf"{re.escape(table)}(-\d{{4,}})?\.parquet")
    return sorted(path for path in paths if numbered.fullmatch(os.path.basename(path)))


def read(path, table):
    """The rows of a table: of a file, or of all files of a folder, which must be whole."""
    import pyarrow
    from pyarrow import parquet

    if not os.path.isdir(path):
        return parquet.ParquetFile(path).read()
    paths = find(path, table)
    marks = [parquet.read_metadata(path).metadata or {} for path in paths]
    whole = [mark[WHOLE] for mark in marks if WHOLE in mark]
    expected = [b"true"] if len(paths) == 1 else [str(len(paths)).encode()]
    if whole != expected or len({mark.get(RUN) for mark in marks}) > 1:
        raise ValueError(f"{path}: no whole table {table}")
    return pyarrow.concat_tables(parquet.ParquetFile(path).read() for path in paths)


def write(scan, path, partition):
    """Writes the rows of a scan. All files replace those of earlier runs at the end."""
    import pyarrow
    from pyarrow import compute, parquet

    schema = pyarrow.schema(scan)
    is_folder = path.endswith(("/", os.sep)) or os.path.isdir(path)
    if partition is not None and not is_folder:
        raise ValueError("partition needs a folder")
    if partition == "format" and "format" not in schema.names:
        raise ValueError(f'the table {scan.table} has no column "format"; `meshpeek scan --partition format` divides it')
    old = find(path, scan.table) if is_folder else [path]
    run, files, open_files = secrets.token_hex(12), [], {}

    def name(part):
        if not is_folder:
            return path
        if partition is None:
            return os.path.join(path, f"{scan.table}.parquet")
        name = f"{scan.table}-{len(files):04}.parquet"
        if partition != "format":
            return os.path.join(path, name)
        return os.path.join(path, scan.table, f"format={part or NO_FORMAT}", name)

    def opened(part):
        if part not in open_files:
            target = name(part)
            folder, base = os.path.split(target)
            os.makedirs(folder or ".", exist_ok=True)
            files.append((os.path.join(folder, f".{base}.{run}"), target))
            about = dict(schema.metadata) | ({} if partition is None else {RUN: run.encode()})
            open_files[part] = parquet.ParquetWriter(files[-1][0], schema.with_metadata(about), compression="zstd")
        return open_files[part]

    def add(part, batch):
        batches = waiting.setdefault(part, [])
        batches.append(batch)
        size = sum(batch.nbytes for batch in batches)
        if size >= GROUP_BYTES or (isinstance(partition, int) and size >= partition):
            flush(part)

    def flush(part):
        """Writes what is waiting as a group of rows."""
        opened(part).write_table(pyarrow.Table.from_batches(waiting.pop(part)))
        if isinstance(partition, int) and os.path.getsize(files[-1][0]) >= partition:
            full.append(open_files.pop(part))

    full, waiting = [], {}
    try:
        for batch in pyarrow.RecordBatchReader.from_stream(scan):
            # A full file stays open until there are more rows, because the last one says that all are whole.
            while full:
                full.pop().close()
            if partition == "format":
                for part in batch["format"].unique().to_pylist():
                    wanted = batch["format"].is_null() if part is None else compute.equal(batch["format"], part)
                    add(part, batch.filter(wanted))
            else:
                add(None, batch)
        for part in list(waiting):
            while full:
                full.pop().close()
            flush(part)
        left = full + list(open_files.values()) or [opened(None)]
        if not scan.progress.stopped:
            count = b"true" if len(files) == 1 else str(len(files)).encode()
            left[-1].add_key_value_metadata({WHOLE: count})
        for writer in left:
            writer.close()
        for stale in set(old) - {target for _, target in files}:
            if (parquet.read_metadata(stale).metadata or {}).get(b"meshpeek.table") == scan.table.encode():
                os.remove(stale)
        for temporary, target in files:
            os.replace(temporary, target)
    finally:
        for writer in [*full, *open_files.values()]:
            with contextlib.suppress(Exception):
                writer.close()
        for temporary, _ in files:
            with contextlib.suppress(OSError):
                os.remove(temporary)
    return [target for _, target in files]
