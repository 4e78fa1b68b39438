"""Small tables as Apache Parquet files, with NumPy alone: numbers, texts, and lists of them, plain and without compression.

What it writes, any reader of Parquet reads. It reads back what it has written, not every file of others: those want pyarrow.
"""

import json
import pathlib
import struct
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from .errors import FloeError
from .picture import write_whole

#: A column: numbers (rows,), a matrix (rows, n) as lists of n, texts, or lists of texts.
Column = Union[np.ndarray, Sequence[Any]]

_MAGIC = b"PAR1"
_TYPES = {"bool": 0, "int32": 1, "int64": 2, "float32": 4, "float64": 5}
_TEXT = 6
_LARGEST = 1 << 30  # bytes of a file that is read


# Thrift's compact protocol, as far as Parquet's footer needs it.

def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _thrift(value: Any) -> Tuple[int, bytes]:
    """Type and bytes: int as i64, bytes, a list, or a struct {field: value}; (int,) is an i32."""
    if isinstance(value, tuple):
        return 5, _varint((value[0] << 1) ^ (value[0] >> 31))
    if isinstance(value, int):
        return 6, _varint((value << 1) ^ (value >> 63))
    if isinstance(value, bytes):
        return 8, _varint(len(value)) + value
    if isinstance(value, list):
        parts = [_thrift(entry) for entry in value]
        kind = parts[0][0] if parts else 12
        head = bytes([len(parts) << 4 | kind]) if len(parts) < 15 else bytes([0xF0 | kind]) + _varint(len(parts))
        return 9, head + b"".join(part for _, part in parts)
    out, before = b"", 0
    for field in sorted(value):
        kind, data = _thrift(value[field])
        out += bytes([(field - before) << 4 | kind]) + data
        before = field
    return 12, out + b"\0"


class _Thrift:
    """Reads the same back; a struct becomes {field: value}."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def _byte(self) -> int:
        if self.at >= len(self.data):
            raise ValueError("it ends too early")
        self.at += 1
        return self.data[self.at - 1]

    def _number(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value
            if shift > 63:
                raise ValueError("a number is too long")

    def value(self, kind: int, depth: int = 0) -> Any:
        if depth > 16:
            raise ValueError("it is nested too deeply")
        if kind in (1, 2):
            return kind == 1
        if kind in (4, 5, 6):
            number = self._number()
            return (number >> 1) ^ -(number & 1)
        if kind == 8:
            size = self._number()
            if size > len(self.data) - self.at:
                raise ValueError("it ends too early")
            self.at += size
            return self.data[self.at - size:self.at]
        if kind == 9:
            head = self._byte()
            count = head >> 4 if head >> 4 != 15 else self._number()
            if count > len(self.data) - self.at:
                raise ValueError("it ends too early")
            return [self.value(head & 15, depth + 1) for _ in range(count)]
        if kind == 12:
            fields: Dict[int, Any] = {}
            field = 0
            while True:
                head = self._byte()
                if head == 0:
                    return fields
                if head >> 4 == 0:
                    raise ValueError("it has long field numbers")
                field += head >> 4
                fields[field] = self.value(head & 15, depth + 1)
        raise ValueError(f"it has a value of type {kind}")


class _Prepared:
    """A column as Parquet stores it."""

    def __init__(self, name: str, column: Column) -> None:
        self.name = name
        self.lists = False
        self.lengths: List[int] = []
        values: List[Any]
        if isinstance(column, np.ndarray) and column.dtype.kind in "bif":
            if column.dtype.name not in _TYPES or column.ndim > 2 or (column.ndim == 2 and column.shape[1] == 0):
                raise FloeError(f"column '{name}' has {column.dtype.name} of {column.shape}",
                                cure=f"give {', '.join(_TYPES)}, one number or one list a row")
            self.rows = len(column)
            self.type, self.lists = _TYPES[column.dtype.name], column.ndim == 2
            self.lengths = [column.shape[1]] * self.rows if self.lists else []
            flat = column.reshape(-1)
            self.count = flat.size
            self.data = np.packbits(flat, bitorder="little").tobytes() if self.type == 0 else \
                np.ascontiguousarray(flat, flat.dtype.newbyteorder("<")).tobytes()
            return
        rows = list(column)
        self.rows, self.type = len(rows), _TEXT
        if rows and not isinstance(rows[0], str):
            self.lists = True
            if not all(isinstance(row, (list, tuple)) for row in rows):
                raise FloeError(f"column '{name}' is neither numbers nor texts")
            self.lengths = [len(row) for row in rows]
            if 0 in self.lengths:
                raise FloeError(f"column '{name}' has an empty list")
            values = [text for row in rows for text in row]
        else:
            values = rows
        if not all(isinstance(value, str) for value in values):
            raise FloeError(f"column '{name}' is neither numbers nor texts")
        self.count = len(values)
        encoded = [value.encode() for value in values]
        self.data = b"".join(struct.pack("<I", len(value)) + value for value in encoded)

    def schema(self) -> List[Dict[int, Any]]:
        name = self.name.encode()
        leaf: Dict[int, Any] = {1: (self.type,), 3: (0,), 4: b"element" if self.lists else name}
        if self.type == _TEXT:
            leaf[6] = (0,)  # UTF8
        if not self.lists:
            return [leaf]
        return [{3: (0,), 4: name, 5: (1,), 6: (3,)}, {3: (2,), 4: b"list", 5: (1,)}, leaf]

    def path(self) -> List[bytes]:
        return [self.name.encode()] + ([b"list", b"element"] if self.lists else [])

    def page(self) -> bytes:
        levels = b""
        if self.lists and self.count:
            repeated = np.ones(self.count, bool)  # 0 where a row begins
            repeated[np.cumsum([0, *self.lengths[:-1]])] = False
            groups = -(-self.count // 8)
            bits = np.packbits(repeated, bitorder="little").tobytes()
            runs = _varint(groups << 1 | 1) + bits.ljust(groups, b"\0")
            levels = struct.pack("<I", len(runs)) + runs
            runs = _varint(self.count << 1) + b"\x01"  # all are there
            levels += struct.pack("<I", len(runs)) + runs
        body = levels + self.data
        header = _thrift({1: (0,), 2: (len(body),), 3: (len(body),),
                          5: {1: (self.count,), 2: (0,), 3: (3,), 4: (3,)}})[1]
        return header + body


def write(path: Union[str, pathlib.Path], columns: Mapping[str, Column],
          metadata: Optional[Mapping[str, str]] = None) -> None:
    """Writes a table, whole or not at all.

    Args:
        columns: by name, equally long.
        metadata: texts of the file, by name.

    Raises:
        FloeError: columns differ in length, or one cannot be stored.

    >>> import numpy as np, tempfile
    >>> from floe import parquet
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     parquet.write(folder + "/a.parquet", {"t": np.array([0.0, 0.5]), "x": np.eye(2), "who": ["a", "b"]})
    ...     parquet.read(folder + "/a.parquet")["x"].tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    prepared = [_Prepared(name, column) for name, column in columns.items()]
    rows = {column.rows for column in prepared}
    if len(rows) != 1:
        raise FloeError("columns of a table must be equally long, and there must be one")
    content = _MAGIC
    chunks = []
    for column in prepared:
        page = column.page()
        if len(page) >= 1 << 31:
            raise FloeError(f"column '{column.name}' is too long for one page", cure="write several files")
        chunks.append({2: len(content), 3: {
            1: (column.type,), 2: [(0,), (3,)], 3: column.path(), 4: (0,), 5: column.count,
            6: len(page), 7: len(page), 9: len(content)}})
        content += page
    schema: List[Any] = [{4: b"schema", 5: (len(prepared),)}]
    for column in prepared:
        schema += column.schema()
    count = rows.pop()
    footer: Dict[int, Any] = {1: (1,), 2: schema, 3: count, 4: [{1: chunks, 2: len(content) - 4, 3: count}],
                              6: b"floe"}
    if metadata:
        footer[5] = [{1: key.encode(), 2: value.encode()} for key, value in metadata.items()]
    end = _thrift(footer)[1]
    write_whole(pathlib.Path(path), content + end + struct.pack("<I", len(end)) + _MAGIC)


def with_index(columns: Mapping[str, Column], index: str) -> Dict[str, str]:
    """Metadata by which pandas makes a column the index of the table."""
    described = [{"name": name, "field_name": name, "pandas_type": "unicode" if name == index else "int64",
                  "numpy_type": "object" if name == index else "int64", "metadata": None} for name in columns]
    return {"pandas": json.dumps({"index_columns": [index], "column_indexes": [], "columns": described,
                                  "pandas_version": "2.0.0"})}


def read(path: Union[str, pathlib.Path]) -> Dict[str, Any]:
    """The columns of a file of write(): arrays, and lists of texts or of lists.

    Raises:
        FloeError: it is damaged, or written by something else in a way that is not read here.
    """
    file = pathlib.Path(path)
    if file.stat().st_size > _LARGEST:
        raise FloeError(f"{file}: is larger than {_LARGEST >> 20} MiB", file=str(file), cure="pip install pyarrow")
    data = file.read_bytes()
    try:
        return _read(data)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError,
            struct.error) as error:
        raise FloeError(f"{file}: is damaged, or was not written here: {error}", file=str(file),
                        cure="pip install pyarrow reads files of others") from error


def _read(data: bytes) -> Dict[str, Any]:
    if len(data) < 12 or data[:4] != _MAGIC or data[-4:] != _MAGIC:
        raise ValueError("it is no Parquet file")
    size, = struct.unpack("<I", data[-8:-4])
    if size > len(data) - 12:
        raise ValueError("it ends too early")
    footer = _Thrift(data[-8 - size:-8]).value(12)
    groups = footer[4]
    if len(groups) != 1:
        raise ValueError("it has several row groups")
    columns: Dict[str, Any] = {}
    for chunk in groups[0][1]:
        about = chunk[3]
        columns[about[3][0].decode()] = _read_column(data, about, footer[3])
    return columns


def _read_column(data: bytes, about: Mapping[int, Any], rows: int) -> Any:
    kind, count, lists = about[1], about[5], len(about[3]) > 1
    if not 0 <= count <= 8 * len(data):
        raise ValueError("a column is longer than the file")
    if about[4] != 0 or 0 > about[9] or about[9] >= len(data):
        raise ValueError("a column is compressed")
    reader = _Thrift(data[about[9]:])
    header = reader.value(12)
    if header[1] != 0 or header[5][1] != count or header[5][2] != 0:
        raise ValueError("a column is encoded otherwise")
    body = reader.data[reader.at:reader.at + header[3]]
    starts = np.arange(count) if not lists else np.zeros(0, int)
    if lists and count:
        size, = struct.unpack_from("<I", body)
        runs = _Thrift(body[4:4 + size])
        if not runs._number() & 1:
            raise ValueError("a column is encoded otherwise")
        bits = np.unpackbits(np.frombuffer(runs.data[runs.at:], np.uint8), bitorder="little")[:count]
        starts = np.flatnonzero(bits == 0)
        body = body[4 + size:]
        size, = struct.unpack_from("<I", body)
        body = body[4 + size:]
    if len(starts) != rows and count:
        raise ValueError("rows are missing")
    values: Any
    if kind == _TEXT:
        values, at = [], 0
        for _ in range(count):
            size, = struct.unpack_from("<I", body, at)
            if size > len(body) - at - 4:
                raise ValueError("it ends too early")
            values.append(body[at + 4:at + 4 + size].decode())
            at += 4 + size
    elif kind == 0:
        values = np.unpackbits(np.frombuffer(body, np.uint8), bitorder="little")[:count].astype(bool)
    else:
        name = {number: name for name, number in _TYPES.items()}[kind]
        values = np.frombuffer(body, np.dtype(name).newbyteorder("<"), count)
    if not lists:
        return values
    ends = [*starts[1:], count]
    if kind != _TEXT and len({end - start for start, end in zip(starts, ends)}) == 1:
        return values.reshape(rows, -1)
    return [values[start:end] for start, end in zip(starts, ends)]
