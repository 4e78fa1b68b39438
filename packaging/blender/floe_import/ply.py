"""Binary PLY files as Floe writes them: particles and meshes with any attributes. Needs NumPy alone."""

import os

import numpy as np

_TYPES = {"char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "i2", "int16": "i2",
          "ushort": "u2", "uint16": "u2", "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4",
          "float": "f4", "float32": "f4", "double": "f8", "float64": "f8"}
_MAX_HEADER = 1 << 16
_MAX_ELEMENTS = 1 << 31


class PlyError(ValueError):
    """The file is no binary PLY that can be read, and why."""


class Ply:
    """Attributes of vertices by name, and faces.

    Attributes:
        vertices: name: array, one entry a vertex.
        corners: indices of the faces' corners, one after another.
        sizes: number of corners of each face.
    """

    def __init__(self, vertices, corners, sizes):
        self.vertices = vertices
        self.corners = corners
        self.sizes = sizes

    def vectors(self, names):
        """Three attributes as one array (vertices, 3) of float32; None where one is missing."""
        if not all(name in self.vertices for name in names):
            return None
        return np.stack([self.vertices[name] for name in names], axis=1).astype(np.float32)


def read(path):
    """Reads a file.

    Raises:
        PlyError: it is damaged, or another kind of file.
        OSError: it cannot be opened.
    """
    with open(path, "rb") as file:
        order, elements = _header(file, path)
        left = os.fstat(file.fileno()).st_size - file.tell()
        vertices, corners, sizes = {}, np.empty(0, np.int32), np.empty(0, np.int32)
        for name, count, properties in elements:
            lists = [entry for entry in properties if len(entry) == 3]
            if not lists:
                row = np.dtype([(entry[0], order + entry[1]) for entry in properties])
                if row.itemsize * count > left:
                    raise PlyError(f"{path}: ends before its last {name}")
                data = np.frombuffer(file.read(row.itemsize * count), row, count)
                left -= row.itemsize * count
                if name == "vertex":
                    vertices = {entry: data[entry].astype(data[entry].dtype.newbyteorder("="))
                                for entry in row.names or ()}
            elif name == "face" and len(properties) == 1:
                corners, sizes = _faces(file, order, count, lists[0], left, path)
                break  # nothing behind the faces is needed
            else:
                raise PlyError(f"{path}: its element '{name}' has lists, which only faces may have")
    if len(corners) and (corners.min() < 0 or
                         corners.max() >= len(next(iter(vertices.values()), ()))):
        raise PlyError(f"{path}: a face has a vertex that is not there")
    return Ply(vertices, corners, sizes)


def _header(file, path):
    """Byte order, and elements: (name, count, properties); a list's property has a third entry, the type of
    its length."""
    if file.readline(_MAX_HEADER).strip() != b"ply":
        raise PlyError(f"{path}: is no PLY file")
    order, elements, size = "", [], 0
    while True:
        line = file.readline(_MAX_HEADER)
        size += len(line)
        words = line.decode("ascii", "replace").split()
        if not line or size > _MAX_HEADER:
            raise PlyError(f"{path}: its header does not end")
        try:
            if words[:1] == ["end_header"]:
                break
            if words[:1] == ["format"]:
                order = {"binary_little_endian": "<", "binary_big_endian": ">"}[words[1]]
            elif words[:1] == ["element"]:
                count = int(words[2])
                if not 0 <= count < _MAX_ELEMENTS:
                    raise ValueError
                elements.append((words[1], count, []))
            elif words[:2] == ["property", "list"]:
                elements[-1][2].append((words[4], _TYPES[words[3]], _TYPES[words[2]]))
            elif words[:1] == ["property"]:
                elements[-1][2].append((words[2], _TYPES[words[1]]))
        except (KeyError, IndexError, ValueError):
            raise PlyError(f"{path}: '{line.decode('ascii', 'replace').strip()}' cannot be read here; "
                           "binary PLY files can") from None
    if not order:
        raise PlyError(f"{path}: its header names no format")
    for name, _, properties in elements:
        if len({entry[0] for entry in properties}) != len(properties):
            raise PlyError(f"{path}: a property of '{name}' is there twice")
    return order, elements


def _faces(file, order, count, entry, left, path):
    """All faces; those of one size are read at once."""
    index, length = np.dtype(order + entry[1]), np.dtype(order + entry[2])
    data = file.read(left)
    if count == 0:
        return np.empty(0, np.int32), np.empty(0, np.int32)
    if len(data) < length.itemsize:
        raise PlyError(f"{path}: ends before its first face")
    first = int(np.frombuffer(data, length, 1)[0])
    row = np.dtype([("size", length), ("corners", index, (first,))])
    if len(data) >= row.itemsize * count:
        table = np.frombuffer(data, row, count)
        if (table["size"] == first).all():
            return table["corners"].astype(np.int32).ravel(), np.full(count, first, np.int32)
    corners, sizes, at = [], [], 0
    for _ in range(count):
        if at + length.itemsize > len(data):
            raise PlyError(f"{path}: ends before its last face")
        size = int(np.frombuffer(data, length, 1, at)[0])
        at += length.itemsize
        if size < 0 or at + size * index.itemsize > len(data):
            raise PlyError(f"{path}: ends before its last face")
        corners.append(np.frombuffer(data, index, size, at).astype(np.int32))
        sizes.append(size)
        at += size * index.itemsize
    return np.concatenate(corners), np.array(sizes, np.int32)
