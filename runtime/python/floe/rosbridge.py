"""The protocol of rosbridge, version 2 (JSON), for clients that are not nodes of ROS: over WebSocket and over TCP.

A server has topics that it publishes, topics that it takes, and services; it knows nothing of simulations. What clients send is
bounded everywhere: length of messages, clients, subscriptions, what waits to be sent. A client that breaks the protocol is told,
and cut off where it cannot go on.
"""

import collections
import json
import re
import socket
import threading
import time
from typing import Any, Callable, Deque, Dict, List, Mapping, Optional, Sequence, Set, Tuple

from . import websocket
from .errors import FloeError

_MAX_MESSAGE = 4 << 20  # bytes that a client may send in one
_MAX_WAITING = 64 << 20  # bytes that may wait for a client
_MAX_CLIENTS = 32
_MAX_SUBSCRIPTIONS = 64
_MAX_FRAGMENTED = 4  # messages that a client may have begun
_IDLE_SECONDS = 10.0  # until a WebSocket must be open
_LEVELS = {"none": 0, "error": 1, "warning": 2, "info": 3}

Message = Dict[str, Any]


class Refused(Exception):
    """A request that cannot be done; its text is for the client."""


class _Objects:
    """Whole JSON objects out of a stream of bytes in which one follows the other, with or without anything between."""

    _MARKS = re.compile(rb'["{}\\]')

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._data = bytearray()
        self._seen = self._depth = 0
        self._quoted = False

    def add(self, more: bytes) -> List[bytes]:
        """The objects that are whole now.

        Raises:
            Refused: one is too long, or there is something else.
        """
        self._data += more
        whole: List[bytes] = []
        while self._seen < len(self._data):
            if self._depth == 0:
                start = len(self._data) - len(self._data.lstrip(b" \t\r\n\0"))
                del self._data[:start]
                self._seen = 0
                if not self._data:
                    break
                if self._data[:1] != b"{":
                    raise Refused("a message must be a JSON object")
                self._depth, self._seen = 1, 1
                continue
            found = self._MARKS.search(self._data, self._seen)
            if found is None:
                self._seen = len(self._data)
                break
            mark, at = found.group(), found.start()
            self._seen = at + 1
            if mark == b"\\":
                if self._quoted and at + 1 >= len(self._data):
                    self._seen = at
                    break
                self._seen = at + (2 if self._quoted else 1)
            elif mark == b'"':
                self._quoted = not self._quoted
            elif not self._quoted:
                self._depth += 1 if mark == b"{" else -1
                if self._depth == 0:
                    whole.append(bytes(self._data[:at + 1]))
                    del self._data[:at + 1]
                    self._seen = 0
        if len(self._data) > self._limit:
            raise Refused(f"a message is longer than {self._limit} bytes")
        return whole


class _Subscription:
    def __init__(self, throttle: float, queue: int) -> None:
        self.throttle, self.queue = throttle, queue
        self.sent = -1e9


class Client:
    """A connection. Its messages are handled on a thread of its own."""

    def __init__(self, server: "Server", connection: socket.socket, framed: bool) -> None:
        self.server, self._socket, self._framed = server, connection, framed
        self._waiting: Deque[Tuple[str, bytes]] = collections.deque()  # topic or "", and what is sent
        self._bytes = 0
        self._changed = threading.Condition()
        self._closed = self._ending = False
        self._open = not framed
        self.subscriptions: Dict[str, Dict[str, _Subscription]] = {}
        self.advertised: Set[str] = set()
        self.level = _LEVELS["error"]
        self._fragments: Dict[str, Dict[int, str]] = {}
        self._threads = [threading.Thread(target=run, daemon=True) for run in (self._write, self._read)]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    # Sending

    def tell(self, message: Message) -> None:
        """Sends an answer; a client with too many of them unread is cut off."""
        self._push("", _encoded(message))

    def status(self, level: str, text: str, about: Optional[Message] = None) -> None:
        if _LEVELS[level] <= self.level:
            said: Message = {"op": "status", "level": level, "msg": text}
            if about and isinstance(about.get("id"), (str, int)):
                said["id"] = about["id"]
            self.tell(said)

    def offer(self, topic: str, data: bytes) -> None:
        """Sends what a topic has, if the client wants it now; older ones that wait too long give way."""
        with self._changed:
            wishes = list(self.subscriptions.get(topic, {}).values())
        if not wishes:
            return
        now = time.monotonic()
        if now - max(wish.sent for wish in wishes) < min(wish.throttle for wish in wishes):
            return
        for wish in wishes:
            wish.sent = now
        self._push(topic, data, max(1, max(wish.queue for wish in wishes)))

    def _push(self, topic: str, data: bytes, limit: int = 0) -> None:
        framed = websocket.frame(websocket.TEXT, data) if self._framed else data + b"\n"
        self._push_raw(topic, framed, limit)

    def _push_raw(self, topic: str, data: bytes, limit: int = 0) -> None:
        with self._changed:
            if self._closed or self._ending:
                return
            if topic:
                same = [entry for entry in self._waiting if entry[0] == topic]
                for old in same[:max(0, len(same) - limit + 1)]:
                    self._waiting.remove(old)
                    self._bytes -= len(old[1])
            if self._bytes + len(data) > _MAX_WAITING:
                if topic and self._bytes > 0:
                    return
                self._closed = True
            else:
                self._waiting.append((topic, data))
                self._bytes += len(data)
            self._changed.notify_all()

    def _write(self) -> None:
        try:
            while True:
                with self._changed:
                    while not self._waiting and not self._closed and not self._ending:
                        self._changed.wait()
                    if self._closed or not self._waiting:
                        break
                    _, data = self._waiting.popleft()
                    self._bytes -= len(data)
                self._socket.sendall(data)
        except OSError:
            pass
        self.close()

    # Receiving

    def _read(self) -> None:
        try:
            if self._framed:
                self._read_frames()
            else:
                objects = _Objects(self.server.max_message)
                while not self._closed:
                    more = self._socket.recv(65536)
                    if not more:
                        break
                    for data in objects.add(more):
                        self._handle(data)
        except Refused as refused:
            self.status("error", str(refused))
        except (OSError, EOFError):
            pass
        finally:
            self._finish()

    def _read_frames(self) -> None:
        self._socket.settimeout(_IDLE_SECONDS)
        reader = websocket.Reader(lambda: self._socket.recv(65536), lambda pong: self._push_raw("", pong),
                                  self.server.max_message)
        try:
            request = reader.head()
            if not request:
                return
            answer = websocket.handshake(request, self.server.origins)
        except websocket.ProtocolError as error:
            self._push_raw("", websocket.refusal(error))
            return
        self._push_raw("", answer)
        self._socket.settimeout(None)
        try:
            while not self._closed:
                data = reader.message()
                if data is None:
                    self._push_raw("", websocket.frame(websocket.CLOSE, b""))
                    return
                self._handle(data)
        except websocket.ProtocolError as error:
            self.status("error", str(error))
            self._push_raw("", websocket.frame(
                websocket.CLOSE, error.status.to_bytes(2, "big") + str(error).encode()[:100]))

    def _handle(self, data: bytes) -> None:
        try:
            message = json.loads(data.decode("utf-8"), parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            self.status("error", f"a message is no JSON: {error}")
            return
        if not isinstance(message, dict) or not isinstance(message.get("op"), str):
            self.status("error", "a message must be an object with a text 'op'")
            return
        try:
            self._do(message)
        except Refused as refused:
            self.status("error", f"{message['op'][:40]}: {refused}", message)

    def _do(self, message: Message) -> None:
        op = message["op"]
        if op == "fragment":
            self._fragment(message)
        elif op == "subscribe":
            self._subscribe(message)
        elif op == "unsubscribe":
            topic = _text(message, "topic")
            with self._changed:
                mine = self.subscriptions.get(topic, {})
                if "id" in message:
                    mine.pop(str(message["id"]), None)
                else:
                    mine.clear()
                if not mine:
                    self.subscriptions.pop(topic, None)
        elif op == "advertise":
            topic, kind = _text(message, "topic"), _text(message, "type")
            expected = self.server.taken(topic)[0]
            if not same_type(kind, expected):
                raise Refused(f"'{topic}' has the type {expected}")
            self.advertised.add(topic)
        elif op == "unadvertise":
            self.advertised.discard(_text(message, "topic"))
        elif op == "publish":
            topic, content = _text(message, "topic"), message.get("msg")
            if not isinstance(content, dict):
                raise Refused("'msg' must be an object")
            self.server.taken(topic)[1](content)
        elif op == "call_service":
            self._call(message)
        elif op == "set_level":
            level = message.get("level")
            if level not in _LEVELS:
                raise Refused(f"'level' must be one of {', '.join(_LEVELS)}")
            self.level = _LEVELS[level]
        else:
            raise Refused("there is no such operation here")

    def _fragment(self, message: Message) -> None:
        name, data = _text(message, "id"), message.get("data")
        number, total = message.get("num"), message.get("total")
        if not isinstance(data, str) or not _whole(number) or not _whole(total) or \
                not 0 <= number < total <= 65536:  # type: ignore[operator]
            raise Refused("a fragment needs 'data', 'num' and 'total'")
        assert isinstance(number, int) and isinstance(total, int)
        parts = self._fragments.setdefault(name, {})
        if len(self._fragments) > _MAX_FRAGMENTED:
            del self._fragments[name]
            raise Refused(f"more than {_MAX_FRAGMENTED} messages are in fragments")
        parts[number] = data
        if sum(len(part) for part in parts.values()) > self.server.max_message:
            del self._fragments[name]
            raise Refused(f"a message is longer than {self.server.max_message} bytes")
        if len(parts) == total:
            del self._fragments[name]
            whole = "".join(parts[at] for at in sorted(parts)).encode()
            if whole.lstrip()[:20].replace(b" ", b"").startswith(b'{"op":"fragment"'):
                raise Refused("fragments of fragments are not taken")
            self._handle(whole)

    def _subscribe(self, message: Message) -> None:
        topic = _text(message, "topic")
        kind = self.server.published.get(topic)
        if kind is None:
            raise Refused(f"there is no topic '{topic}'")
        if message.get("type") is not None and not same_type(message["type"], kind):
            raise Refused(f"'{topic}' has the type {kind}")
        if message.get("compression", "none") != "none":
            raise Refused("there is no compression here")
        throttle, queue = message.get("throttle_rate", 0), message.get("queue_length", 0)
        if not _whole(throttle) or not _whole(queue) or not 0 <= throttle <= 10 ** 9 or queue < 0:
            raise Refused("'throttle_rate' and 'queue_length' are whole numbers")
        with self._changed:
            if sum(len(own) for own in self.subscriptions.values()) >= _MAX_SUBSCRIPTIONS:
                raise Refused(f"there are {_MAX_SUBSCRIPTIONS} subscriptions already")
            self.subscriptions.setdefault(topic, {})[str(message.get("id", ""))] = _Subscription(
                throttle / 1000.0, min(queue, 100))

    def _call(self, message: Message) -> None:
        name = _text(message, "service")
        answer: Message = {"op": "service_response", "service": name, "result": False}
        if isinstance(message.get("id"), (str, int)):
            answer["id"] = message["id"]
        args = message.get("args", {})
        if isinstance(args, list) and len(args) == 1 and isinstance(args[0], dict):
            args = args[0]
        service = self.server.services.get(name)
        if service is None:
            answer["values"] = f"there is no service '{name}'"
        elif args != [] and not isinstance(args, dict):
            answer["values"] = "'args' must be an object"
        else:
            try:
                answer.update(values=service[1](args or {}), result=True)
            except Refused as refused:
                answer["values"] = str(refused)
        self.tell(answer)

    # The end

    def _finish(self) -> None:
        """Lets what waits be sent, and ends."""
        with self._changed:
            self._ending = True
            self._changed.notify_all()
        if threading.current_thread() is not self._threads[0]:
            self._threads[0].join(2.0)
        self.close()

    def close(self) -> None:
        with self._changed:
            first = not self._closed or not self._ending
            self._closed = self._ending = True
            self._changed.notify_all()
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._socket.close()
        if first:
            self.server._gone(self)


class Server:
    """Listens for clients.

    Args:
        published: types of the topics that clients can subscribe to, by name.
        taken: types of the topics that clients can publish, and what takes a message, by name; it may raise Refused.
        services: types, and what answers a call, by name; it may raise Refused.
        origins: further places whose pages may open a WebSocket, such as "https://lab.example".
        max_message: bytes of a client's message.
    """

    def __init__(self, published: Mapping[str, str],
                 taken: Optional[Mapping[str, Tuple[str, Callable[[Message], None]]]] = None,
                 services: Optional[Mapping[str, Tuple[str, Callable[[Message], Message]]]] = None, *,
                 origins: Sequence[str] = (), max_message: int = _MAX_MESSAGE) -> None:
        self.published = dict(published)
        self._taken = dict(taken or {})
        self.services = {"/rosapi/topics": ("rosapi_msgs/srv/Topics", self._topics),
                         "/rosapi/services": ("rosapi_msgs/srv/Services", self._services),
                         **(services or {})}
        self.origins, self.max_message = list(origins), max_message
        self._clients: List[Client] = []
        self._lock = threading.Lock()
        self._listeners: List[socket.socket] = []
        self._closed = False

    def listen(self, address: str, framed: bool = True) -> str:
        """Takes clients at "HOST:PORT", or at a port of the loopback alone; 0 takes a free one.

        Args:
            framed: they speak WebSocket; otherwise JSON objects one after the other.

        Returns:
            "HOST:PORT".

        Raises:
            FloeError: nothing can listen there.
        """
        host, _, port = address.rpartition(":")
        host = host.strip("[]") or "127.0.0.1"
        if not port.isdigit() or int(port) > 65535:
            raise FloeError(f"'{address}' is no address", cure="write HOST:PORT or PORT")
        try:
            listener = socket.create_server((host, int(port)), family=socket.AF_INET6 if ":" in host else
                                            socket.AF_INET, backlog=16)
        except OSError as error:
            raise FloeError(f"nothing can listen at {address}: {error.strerror or error}",
                            cure="choose another port") from error
        self._listeners.append(listener)
        threading.Thread(target=self._accept, args=(listener, framed), daemon=True).start()
        where = listener.getsockname()
        return f"[{where[0]}]:{where[1]}" if ":" in host else f"{where[0]}:{where[1]}"

    def _accept(self, listener: socket.socket, framed: bool) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                if self._closed:
                    return
                time.sleep(0.1)  # out of files, for example
                continue
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            client = Client(self, connection, framed)
            with self._lock:
                full = len(self._clients) >= _MAX_CLIENTS or self._closed
                if not full:
                    self._clients.append(client)
            if full:
                connection.close()
            else:
                client.start()

    def _gone(self, client: Client) -> None:
        with self._lock:
            if client in self._clients:
                self._clients.remove(client)

    def wanted(self, topic: str) -> bool:
        """Somebody subscribes to it."""
        with self._lock:
            return any(topic in client.subscriptions for client in self._clients)

    def publish(self, topic: str, message: Message) -> None:
        """Sends a message to those who want it; never waits for them."""
        with self._lock:
            listening = [client for client in self._clients if topic in client.subscriptions]
        if listening:
            data = _encoded({"op": "publish", "topic": topic, "msg": message})
            for client in listening:
                client.offer(topic, data)

    def taken(self, topic: str) -> Tuple[str, Callable[[Message], None]]:
        if topic not in self._taken:
            raise Refused(f"'{topic}' is not taken here")
        return self._taken[topic]

    def _topics(self, _: Message) -> Message:
        all_topics = {**self.published, **{name: kind for name, (kind, _) in self._taken.items()}}
        return {"topics": list(all_topics), "types": list(all_topics.values())}

    def _services(self, _: Message) -> Message:
        return {"services": list(self.services)}

    def close(self) -> None:
        """Cuts all off."""
        self._closed = True
        for listener in self._listeners:
            try:
                listener.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            listener.close()
        with self._lock:
            clients = list(self._clients)
        for client in clients:
            client.close()

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def same_type(one: Any, other: str) -> bool:
    """Whether two names mean one type: those of ROS 1 have no "msg" in the middle.

    >>> from floe.rosbridge import same_type
    >>> same_type("geometry_msgs/Twist", "geometry_msgs/msg/Twist")
    True
    """
    return isinstance(one, str) and one.split("/")[::len(one.split("/")) - 1 or 1] == \
        other.split("/")[::len(other.split("/")) - 1 or 1]


def _encoded(message: Message) -> bytes:
    return json.dumps(message, allow_nan=False, separators=(",", ":")).encode()


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def _text(message: Message, name: str) -> str:
    value = message.get(name)
    if not isinstance(value, str) or not value or len(value) > 256:
        raise Refused(f"'{name}' must be a text")
    return value


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
