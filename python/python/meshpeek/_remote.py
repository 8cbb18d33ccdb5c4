"""Sources that are not paths: bytes, file objects, and URLs of fsspec."""

import errno
import threading


class FileReader:
    """Ranges of a binary file object. One thread reads at a time."""

    def __init__(self, file):
        self.file = file
        self.lock = threading.Lock()
        self.size = file.seek(0, 2)

    def read(self, start, end):
        with self.lock:
            self.file.seek(start)
            parts = []
            while start < end:
                part = self.file.read(end - start)
                if not isinstance(part, bytes | bytearray | memoryview):
                    raise TypeError("a file object must be open in binary mode")
                if not part:
                    raise EOFError(f"the file ends at {start}, not at {end}")
                parts.append(part)
                start += len(part)
        return parts[0] if len(parts) == 1 and type(parts[0]) is bytes else b"".join(parts)


class UrlReader:
    """Ranges of a file of fsspec. It can be pickled."""

    def __init__(self, url):
        self.url = url
        self._connect()
        info = self.files.info(self.path)
        if info.get("type") == "directory":
            raise IsADirectoryError(errno.EISDIR, "folders of URLs are not listed: name the files", url)
        self.size = info.get("size")
        if self.size is None:
            raise OSError(f"{url}: its size is unknown")

    def _connect(self):
        try:
            import fsspec
        except ImportError:
            raise ImportError("URLs need fsspec: pip install 'meshpeek[remote]'") from None
        self.files, self.path = fsspec.core.url_to_fs(self.url)

    def read(self, start, end):
        return self.files.cat_file(self.path, start=start, end=end)

    def __getstate__(self):
        return {"url": self.url, "size": self.size}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._connect()


class FailedReader:
    """A file that cannot be opened. Reading it raises the error, so that it is the scan that reports it."""

    # A scan reads nothing of an empty file.
    size = 1

    def __init__(self, error):
        self.error = error

    def read(self, start, end):
        raise self.error


def is_url(path):
    return isinstance(path, str) and "://" in path.split("!/")[0]


def is_source(path):
    """True for a URL or a file object. Paths are none, nor are bytes, which are paths in a list of them."""
    return is_url(path) or (callable(getattr(path, "read", None)) and not hasattr(path, "__fspath__"))


def content(value):
    """Bytes, or a reader of ranges."""
    if isinstance(value, bytes):
        return value
    if not callable(getattr(value, "read", None)):
        return bytes(memoryview(value))
    seekable = getattr(value, "seekable", None)
    if callable(seekable) and seekable():
        return FileReader(value)
    data = value.read()
    if not isinstance(data, bytes):
        raise TypeError("a file object must be open in binary mode")
    return data


def is_content(value):
    """True for bytes in memory."""
    return isinstance(value, bytes | bytearray | memoryview)


def named(path):
    """The name of the file, its source, and the member after it."""
    if is_url(path):
        url, _, member = path.partition("!/")
        return url, UrlReader(url), member or None
    if is_content(path):
        return "", content(path), None
    name = getattr(path, "name", "")
    return name if isinstance(name, str | bytes) else "", content(path), None


def split(paths):
    """The paths, and the names and sources among them."""
    if isinstance(paths, dict):
        return [], [(name, content(value)) for name, value in paths.items()]
    if isinstance(paths, str | bytes) or hasattr(paths, "__fspath__") or is_source(paths):
        paths = [paths]
    paths = list(paths)
    # Lists may be long, and nearly all are of plain paths.
    if all(type(path) is str and "://" not in path for path in paths):
        return paths, []
    files, sources = [], []
    for path in paths:
        if not is_source(path):
            files.append(path)
            continue
        if is_url(path) and "!/" in path:
            raise ValueError(f"{path}: only open() takes a member of a URL")
        try:
            name, source, _ = named(path)
        except (ImportError, ValueError):
            raise
        except Exception as error:
            if not is_url(path):
                raise
            # Libraries of stores have errors of their own.
            if not isinstance(error, OSError):
                error = OSError(str(error))
            name, source = path, FailedReader(error)
        sources.append((name, source))
    return files, sources
