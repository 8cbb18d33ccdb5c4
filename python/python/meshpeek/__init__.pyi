from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from types import TracebackType
from typing import Any, BinaryIO, Literal, NotRequired, Protocol, TypeAlias, TypedDict, final, overload

import numpy
from numpy.typing import NDArray

SCHEMA: int
__version__: str

TABLES: tuple[str, ...]

_Path: TypeAlias = str | bytes | PathLike[str] | PathLike[bytes]
_Source: TypeAlias = bytes | bytearray | memoryview | BinaryIO
_Paths: TypeAlias = _Path | BinaryIO | Iterable[_Path | BinaryIO] | Mapping[str, _Source]
_Access: TypeAlias = Literal["auto", "map", "read"]
_Errors: TypeAlias = Literal["record", "raise", "skip"]
_Limits: TypeAlias = Mapping[str, int | str] | None
_Table: TypeAlias = Literal["assets", "members", "parts", "arrays", "lods", "problems", "files", "geometry"]

class _Stream(Protocol):
    """A table of Arrow, of any library."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> object: ...

class Piece(TypedDict):
    unit: int
    path: str
    first: int | None
    last: int | None
    bytes: int
    stamp: str | None

class Member(TypedDict):
    index: int
    name: str
    method: str
    stored_bytes: int
    bytes: int
    offset: int | None
    crc32: int | None
    time: str | None

class ArrayFacts(TypedDict):
    rows: int
    columns: list[str]
    offset: int
    bytes: int
    packing: str

class Region(TypedDict):
    depth: int
    kind: Literal["part", "array", "gap", "problem"]
    name: str
    note: str
    offset: int | None
    bytes: int | None

class Problem(TypedDict):
    severity: Literal["error", "warning"]
    code: str
    offset: int | None
    message: str

class Reference(TypedDict):
    kind: str
    name: str
    lossy: NotRequired[Literal[True]]

class Bounds(TypedDict):
    min: list[float]
    max: list[float]

class Blocks(TypedDict):
    stored: int
    packed: int
    packed_bytes: int
    unpacked_bytes: int

class Stored(TypedDict):
    offset: int | None
    bytes: int
    method: str
    time: str | None

class Texture(TypedDict):
    kind: str
    width: int
    height: int

class Record(TypedDict):
    path: str
    member: str | None
    address: str
    format: str | None
    version: int | None
    bytes: int
    counts: dict[str, int | None]
    bounds: Bounds | None
    references: list[Reference]
    blocks: Blocks
    problems: list[Problem]
    digests: NotRequired[dict[str, str | None]]
    stored: Stored | None
    prefix: str | None
    texture: Texture | None
    stamp: NotRequired[str | None]
    unchecked: NotRequired[dict[str, int]]
    lossy: NotRequired[Literal[True]]

class Triangles(TypedDict):
    path: str
    member: str | None
    primitive: int
    name: str | None
    lod: int | None
    resolution: float | None
    lod_name: str | None
    visual: bool | None
    model: int | None
    node: int | None
    mesh: int | None
    visible: bool | None
    material: str | None
    texture: str | None
    alpha: Literal["opaque", "mask", "blend", "add", "multiply", "image"] | None
    alpha_cutoff: float | None
    positions: NDArray[numpy.float32]
    normals: NDArray[numpy.float32]
    uvs: NDArray[numpy.float32]
    triangles: NDArray[numpy.int32]
    left_out: int
    problem: str | None

class Bone(TypedDict):
    name: str
    parent: int | None

class Clip(TypedDict):
    name: str
    seconds: float | None
    rate: float | None

class Rig(TypedDict):
    model: int
    bones: list[Bone]
    clips: list[Clip]

class Error(ValueError):
    path: str | None
    offset: int | None
    code: str
    limit: int | None
    option: str | None
    errno: None

class Unsupported(Error): ...
class LimitError(Error): ...

def open(
    path: str | PathLike[str] | PathLike[bytes] | _Source | Mapping[str, _Source] | Mapping[str, object],
    *,
    access: _Access = "auto",
    limits: _Limits = None,
) -> File: ...
def from_buffer(buffer: bytes | bytearray | memoryview | NDArray[Any] | Buffer | Array, name: _Path = "", *, limits: _Limits = None) -> File: ...
def address(row: Mapping[str, object]) -> str: ...
def walk(
    paths: _Paths = (),
    *,
    every: bool = False,
    formats: Iterable[str] | None = None,
    globs: str | Iterable[str] = (),
    folder_depth: int | None = None,
    follow: bool = False,
    hidden: bool = False,
    ignored: bool = False,
    archives: bool = True,
    access: _Access = "auto",
    limits: _Limits = None,
    errors: Literal["raise", "skip"] = "raise",
) -> Walk: ...
def plan(
    paths: _Path | Iterable[_Path],
    *,
    unit_bytes: int = ...,
    by: Literal["time", "size", "digest"] = "time",
    globs: str | Iterable[str] = (),
    folder_depth: int | None = None,
    follow: bool = False,
    hidden: bool = False,
    ignored: bool = False,
    archives: bool = True,
    limits: _Limits = None,
) -> Units: ...
def scan(
    paths: _Paths = (),
    *,
    units: Any = None,
    table: _Table = "assets",
    depth: Literal["header", "summary", "verify"] = "summary",
    digests: bool = False,
    verify: bool = False,
    formats: Iterable[str] | None = None,
    globs: str | Iterable[str] = (),
    folder_depth: int | None = None,
    follow: bool = False,
    hidden: bool = False,
    ignored: bool = False,
    archives: bool = True,
    since: _Stream | _Path | None = None,
    jobs: int | None = None,
    access: _Access = "auto",
    read_ahead: bool = True,
    limits: _Limits = None,
    errors: _Errors = "record",
    batch_rows: int = 8192,
    progress: bool = False,
) -> Scan: ...
def verify(paths: _Paths = (), *, errors: _Errors = "record", **options: Any) -> Scan: ...
def refs(
    paths: _Path | Iterable[_Path],
    *,
    missing: bool = False,
    stale: bool = False,
    assume: str | Iterable[str] = (),
    prefixes: Mapping[str, _Path] | None = None,
    textures: _Path | None = None,
    jobs: int | None = None,
    access: _Access = "auto",
    limits: _Limits = None,
    errors: Literal["raise", "skip", "record"] = "raise",
    progress: bool = False,
) -> Scan: ...
def dupes(
    paths: _Path | Iterable[_Path],
    *,
    jobs: int | None = None,
    access: _Access = "auto",
    limits: _Limits = None,
    errors: _Errors = "raise",
    progress: bool = False,
) -> Scan: ...
def diff(
    a: _Path,
    b: _Path,
    *,
    tolerance: float = 0.0,
    access: _Access = "auto",
    limits: _Limits = None,
    errors: _Errors = "raise",
) -> Scan: ...

class Units(tuple[list[Piece], ...]):
    @property
    def pieces(self) -> list[Piece]: ...

@final
class Scan:
    @property
    def table(self) -> str: ...
    def to_polars(self) -> Any: ...
    def to_arrow(self) -> Any: ...
    def to_pandas(self) -> Any: ...
    def to_parquet(self, path: _Path, *, partition: int | Literal["format"] | None = None) -> list[str]: ...
    def _repr_html_(self) -> str: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...
    def __iter__(self) -> RowIterator: ...
    @property
    def progress(self) -> Progress: ...
    def measure(self) -> tuple[int, int]: ...
    def stop(self) -> None: ...

@final
class RowIterator(Iterator[dict[str, Any]]):
    def __iter__(self) -> RowIterator: ...
    def __next__(self) -> dict[str, Any]: ...

@final
class Walk(Iterator[File]):
    def __iter__(self) -> Walk: ...
    def __next__(self) -> File: ...

@final
class Geometry(Sequence[Triangles]):
    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> Triangles: ...  # type: ignore[override]
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

@final
class Progress:
    @property
    def done(self) -> bool: ...
    @property
    def files(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def assets(self) -> int: ...
    @property
    def left_out(self) -> dict[str, int]: ...
    @property
    def stopped(self) -> bool: ...

@final
class File:
    @property
    def name(self) -> str: ...
    @property
    def format(self) -> str | None: ...
    @property
    def version(self) -> int | None: ...
    @property
    def mapped(self) -> bool: ...
    @property
    def buffer(self) -> Buffer: ...
    def record(self, *, digests: bool = False) -> Record: ...
    @property
    def error(self) -> Exception | None: ...
    def config_text(self) -> bytes: ...
    def export(
        self,
        form: Literal["glb", "obj", "ply", "png"] = "glb",
        *,
        images: Mapping[str, bytes] | None = None,
        texture: str | None = None,
        clip: str | None = None,
        fps: float | None = None,
        lod: int | Literal["all"] | None = None,
        mirror: Literal["x", "z"] | None = None,
        up: Literal["y", "z"] = "y",
        scale: float = 1.0,
        size: int = 512,
        eye: tuple[float, float, float] | None = None,
        time: float | None = None,
        transparent: bool = False,
        wireframe: bool = False,
    ) -> bytes: ...
    def geometry(self) -> Geometry: ...
    def rigs(self) -> list[Rig]: ...
    def pose(
        self,
        seconds: float | None = None,
        *,
        clip: str | None = None,
        rig: int = 0,
        space: Literal["local", "world", "skin"] = "world",
    ) -> NDArray[numpy.float32]: ...
    def walk(self, *, every: bool = False) -> Walk: ...
    def _repr_html_(self) -> str: ...
    def info(self) -> dict[str, Any]: ...
    def tree(self) -> list[Region]: ...
    def verify(self) -> list[Problem]: ...
    def arrays(self) -> Mapping[str, ArrayFacts]: ...
    @overload
    def __getitem__(self, key: int) -> File: ...
    @overload
    def __getitem__(self, key: str) -> Any: ...
    def keys(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def members(self) -> list[Member]: ...
    def member(self, member: int | str) -> File: ...
    def unchanged(self) -> bool: ...
    def close(self) -> None: ...
    def __contains__(self, key: object) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __enter__(self) -> File: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...

@final
class Array:
    @property
    def columns(self) -> list[str]: ...
    @property
    def dtype(self) -> str | list[tuple[str, str]]: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def packing(self) -> str: ...
    @property
    def offset(self) -> int: ...
    @property
    def owned(self) -> bool: ...
    @property
    def aligned(self) -> bool: ...
    def numpy(self, copy: bool = False) -> NDArray[Any]: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]: ...
    def __getitem__(self, index: Any) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __len__(self) -> int: ...

@final
class Buffer:
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __len__(self) -> int: ...
