"""Pictures as NumPy arrays, and PNG files of them."""

import os
import struct
import tempfile
import zlib
from typing import Tuple, Union

import numpy as np

from .errors import FloeError

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def write_whole(path: Union[str, "os.PathLike[str]"], content: bytes) -> None:
    """Writes a file that appears whole or not at all, and survives a power cut."""
    path = os.fspath(path)
    folder = os.path.dirname(os.path.abspath(path))
    handle, name = tempfile.mkstemp(dir=folder, prefix=f".{os.path.basename(path)}.part.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, path)
    except BaseException:
        if os.path.exists(name):
            os.unlink(name)
        raise


def encode_png(pixels: np.ndarray) -> bytes:
    """(height, width, 3 or 4) bytes, rows from the top, as a PNG."""
    pixels = np.ascontiguousarray(pixels, np.uint8)
    if pixels.ndim != 3 or pixels.shape[2] not in (3, 4) or 0 in pixels.shape:
        raise FloeError(f"an array of shape {pixels.shape} is no picture",
                        cure="it must be (height, width, 3) or (height, width, 4)")
    height, width, channels = pixels.shape
    rows = np.zeros((height, 1 + width * channels), np.uint8)  # each begins with its filter
    flat = pixels.reshape(height, -1)
    rows[:, 0] = 1  # differences to the pixel on the left
    rows[:, 1:] = flat
    rows[:, 1 + channels:] -= flat[:, :-channels]

    def chunk(name: bytes, content: bytes) -> bytes:
        return (struct.pack(">I", len(content)) + name + content +
                struct.pack(">I", zlib.crc32(name + content)))

    header = struct.pack(">IIBBBBB", width, height, 8, 6 if channels == 4 else 2, 0, 0, 0)
    return (_SIGNATURE + chunk(b"IHDR", header) +
            chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)) + chunk(b"IEND", b""))


def decode_png(data: bytes, max_pixels: int = 1 << 28) -> np.ndarray:
    """The pixels of a PNG with 8 bits of RGB or RGBA, as Floe writes them: (height, width, 3 or 4).

    Raises:
        FloeError: it is another kind of file, or damaged.
    """
    try:
        return _decode(data, max_pixels)
    except (struct.error, zlib.error, ValueError, KeyError) as error:
        raise FloeError(f"is no PNG that can be read: {error}",
                        cure="it must be a whole file with 8 bits of RGB or RGBA") from error


def _decode(data: bytes, max_pixels: int) -> np.ndarray:
    if not data.startswith(_SIGNATURE):
        raise ValueError("it does not begin as one")
    at, packed, header = len(_SIGNATURE), [], None
    while at < len(data):
        size, = struct.unpack_from(">I", data, at)
        name, content = data[at + 4:at + 8], data[at + 8:at + 8 + size]
        if len(content) != size:
            raise ValueError("it ends too early")
        if name == b"IHDR":
            header = struct.unpack(">IIBBBBB", content)
        elif name == b"IDAT":
            packed.append(content)
        elif name == b"IEND":
            break
        at += 12 + size
    if header is None:
        raise ValueError("it has no header")
    width, height, depth, kind, _, _, interlaced = header
    channels = {2: 3, 6: 4}[kind] if kind in (2, 6) else 0
    if depth != 8 or not channels or interlaced or not 0 < width * height <= max_pixels:
        raise ValueError(f"{width} x {height} pixels of kind {kind} with {depth} bits")
    row = 1 + width * channels
    raw = zlib.decompressobj().decompress(b"".join(packed), row * height)
    if len(raw) != row * height:
        raise ValueError("rows are missing")
    lines = np.frombuffer(raw, np.uint8).reshape(height, row)
    result = np.zeros((height, width, channels), np.uint8)
    above = np.zeros((width, channels), np.uint8)
    for y in range(height):
        line = lines[y, 1:].reshape(width, channels)
        above = result[y] = _unfilter(lines[y, 0], line, above)
    return result


def _unfilter(kind: int, line: np.ndarray, above: np.ndarray) -> np.ndarray:
    if kind == 0:
        return line
    if kind == 1:
        return np.cumsum(line, axis=0, dtype=np.uint8)
    if kind == 2:
        return line + above
    if kind not in (3, 4):
        raise ValueError(f"unknown filter {kind}")
    out = np.zeros(line.shape, np.uint8)
    left = corner = [0] * line.shape[1]
    for x, (values, ups) in enumerate(zip(line.tolist(), above.tolist())):
        now = []
        for value, a, b, c in zip(values, left, ups, corner):
            if kind == 3:
                guess = (a + b) // 2
            else:
                p = a + b - c
                distances = (abs(p - a), abs(p - b), abs(p - c))
                guess = (a, b, c)[distances.index(min(distances))]
            now.append((value + guess) & 255)
        out[x] = left = now
        corner = ups
    return out


class Picture:
    """A picture: `pixels` is (height, width, 4) bytes of sRGB and opacity, rows from the top."""

    def __init__(self, pixels: np.ndarray) -> None:
        self.pixels = pixels

    @property
    def size(self) -> Tuple[int, int]:
        """Width and height."""
        return self.pixels.shape[1], self.pixels.shape[0]

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes a PNG, whole or not at all."""
        if not os.fspath(path).lower().endswith(".png"):
            raise FloeError(f"'{os.fspath(path)}' cannot be written",
                            cure="pictures are saved as .png")
        write_whole(path, encode_png(self.pixels))

    def __repr__(self) -> str:
        return f"<picture {self.size[0]} x {self.size[1]}>"

    def _repr_png_(self) -> bytes:
        return encode_png(self.pixels)
