"""The server's side of WebSocket (RFC 6455), for connections that a thread reads and another writes."""

import base64
import hashlib
import re
import struct
from typing import Callable, Dict, List, Optional, Sequence, Tuple
from urllib.parse import urlsplit

_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_LONGEST_HEAD = 16384  # bytes of a request
_LOCAL = ("localhost", "127.0.0.1", "::1")

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class ProtocolError(Exception):
    """The other side broke the protocol. `status` is WebSocket's number for that, or HTTP's in the handshake."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


def accept_key(key: str) -> str:
    """The answer to a client's key.

    >>> from floe.websocket import accept_key
    >>> accept_key("dGhlIHNhbXBsZSBub25jZQ==")  # the example of RFC 6455
    's3pPLMBiTxaQ9kYGzzhZRbK+xOo='
    """
    return base64.b64encode(hashlib.sha1((key + _GUID).encode()).digest()).decode()


def handshake(request: bytes, origins: Sequence[str] = ()) -> bytes:
    """The response to a request to open a WebSocket.

    A page of a browser is let in only from this machine or from `origins`: otherwise any page that a person looks at
    could drive what listens on the loopback.

    Raises:
        ProtocolError: it is none, or comes from elsewhere.
    """
    head, end, rest = request.partition(b"\r\n\r\n")
    if not end or rest:
        raise ProtocolError(400, "the request does not end where it should")
    try:
        lines = head.decode("ascii").split("\r\n")
    except UnicodeDecodeError:
        raise ProtocolError(400, "the request is no text") from None
    if not re.fullmatch(r"GET [^ ]+ HTTP/1\.1", lines[0]):
        raise ProtocolError(400, "the request is no GET of HTTP/1.1")
    fields: Dict[str, str] = {}
    for line in lines[1:]:
        name, colon, value = line.partition(":")
        if not colon or name.lower() in fields and name.lower() in ("host", "origin", "sec-websocket-key"):
            raise ProtocolError(400, "a header is malformed")
        fields[name.lower()] = value.strip()
    if "websocket" not in fields.get("upgrade", "").lower() or \
            "upgrade" not in fields.get("connection", "").lower():
        raise ProtocolError(426, "only WebSocket is spoken here")
    if fields.get("sec-websocket-version") != "13":
        raise ProtocolError(426, "only version 13 of WebSocket is spoken here")
    key = fields.get("sec-websocket-key", "")
    if not re.fullmatch(r"[A-Za-z0-9+/]{22}==", key):
        raise ProtocolError(400, "the key is malformed")
    origin = fields.get("origin")
    if origin is not None and origin not in origins:
        try:
            host = urlsplit(origin).hostname
        except ValueError:
            host = None
        if host not in _LOCAL:
            raise ProtocolError(403, f"pages of {origin!r} are not let in")
    return (f"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Accept: {accept_key(key)}\r\n\r\n").encode()


def refusal(error: ProtocolError) -> bytes:
    """The response to a request that is not let in."""
    text = f"{error}\n".encode()
    version = "Sec-WebSocket-Version: 13\r\n" if error.status == 426 else ""
    return (f"HTTP/1.1 {error.status} Refused\r\nContent-Type: text/plain\r\nContent-Length: {len(text)}\r\n"
            f"{version}Connection: close\r\n\r\n").encode() + text


def frame(kind: int, data: bytes) -> bytes:
    """A frame to a client: whole, not masked."""
    size = len(data)
    if size < 126:
        head = struct.pack("!BB", 0x80 | kind, size)
    elif size < 1 << 16:
        head = struct.pack("!BBH", 0x80 | kind, 126, size)
    else:
        head = struct.pack("!BBQ", 0x80 | kind, 127, size)
    return head + data


class Reader:
    """Messages out of a client's bytes.

    Args:
        receive: returns some bytes, none at the end.
        send: of whole frames; answers pings.
        limit: bytes of a message, of all its pieces together.
    """

    def __init__(self, receive: Callable[[], bytes], send: Callable[[bytes], None], limit: int) -> None:
        self._receive, self._send, self._limit = receive, send, limit
        self._data = bytearray()

    def head(self) -> bytes:
        """The request that opens it, up to its empty line."""
        while b"\r\n\r\n" not in self._data:
            if len(self._data) > _LONGEST_HEAD:
                raise ProtocolError(431, "the request is too long")
            more = self._receive()
            if not more:
                return b""
            self._data += more
        end = self._data.index(b"\r\n\r\n") + 4
        head = bytes(self._data[:end])
        del self._data[:end]
        return head

    def _take(self, count: int) -> bytes:
        while len(self._data) < count:
            more = self._receive()
            if not more:
                raise EOFError
            self._data += more
        taken = bytes(self._data[:count])
        del self._data[:count]
        return taken

    def message(self) -> Optional[bytes]:
        """The next message; None when the client closed.

        Raises:
            ProtocolError, EOFError
        """
        parts: List[bytes] = []
        size = 0
        while True:
            final, kind, data = self._frame(self._limit - size)
            if kind >= 8:
                if not final or len(data) > 125:
                    raise ProtocolError(1002, "a control frame is too long")
                if kind == CLOSE:
                    return None
                if kind == PING:
                    self._send(frame(PONG, data))
                elif kind != PONG:
                    raise ProtocolError(1002, f"there is no frame of kind {kind}")
                continue
            if kind not in (0, TEXT, BINARY) or (kind == 0) != bool(parts):
                raise ProtocolError(1002, "frames are out of order")
            parts.append(data)
            size += len(data)
            if len(parts) > 4096:
                raise ProtocolError(1009, "the message is in too many pieces")
            if final:
                return b"".join(parts)

    def _frame(self, limit: int) -> Tuple[bool, int, bytes]:
        first, second = self._take(2)
        if first & 0x70:
            raise ProtocolError(1002, "an extension was not agreed on")
        if not second & 0x80:
            raise ProtocolError(1002, "a frame of a client must be masked")
        size = second & 0x7F
        if size == 126:
            size, = struct.unpack("!H", self._take(2))
        elif size == 127:
            size, = struct.unpack("!Q", self._take(8))
        if size > max(limit, 125 if first & 8 else 0):
            raise ProtocolError(1009, f"a message is longer than {self._limit} bytes")
        mask = self._take(4)
        data = self._take(size)
        if size:
            repeated = (mask * (-(-size // 4)))[:size]
            data = (int.from_bytes(data, "big") ^ int.from_bytes(repeated, "big")).to_bytes(size, "big")
        return bool(first & 0x80), first & 0x0F, data
