"""The protocol of `floe serve`: JSON-RPC, one object a line, and the arrays beside it."""

import atexit
import collections
import json
import mmap
import os
import select
import signal
import socket
import subprocess
import threading
import time
import weakref
from typing import Any, Callable, Deque, Dict, List, Optional, Tuple

import numpy as np

from . import program
from .errors import FloeError, RequestError, ServerDied

_START_SECONDS = 120.0  # a server scans plugins before it says its address
_LOG_LINES = 200


def read_only_map(segment: str) -> mmap.mmap:
    """Maps POSIX shared memory; the map stays readable after the segment is removed."""
    if "/" in segment.lstrip("/"):
        raise FloeError(f"'{segment}' is not a name of shared memory")
    descriptor = os.open("/dev/shm/" + segment.lstrip("/"), os.O_RDONLY)
    try:
        return mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
    finally:
        os.close(descriptor)


class ServerProcess:
    """A `floe serve` of our own; it ends when its only client goes."""

    def __init__(self, path: Optional[str], threads: int) -> None:
        self.command = [program.find(path), "serve", "--threads", str(threads)]
        self._process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL,
                                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._lines: Deque[str] = collections.deque(maxlen=_LOG_LINES)
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        self.address = self._first_line()

    @property
    def pid(self) -> int:
        return self._process.pid

    def _listen(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._lines.append(line.decode(errors="replace").rstrip())

    def _first_line(self) -> str:
        stream = self._process.stdout
        assert stream is not None
        ready, _, _ = select.select([stream], [], [], _START_SECONDS)
        line = stream.readline().decode(errors="replace").strip() if ready else ""
        if not line:
            self.end(0.0)
            raise ServerDied(f"'{' '.join(self.command)}' did not start: "
                             f"{self.log() or 'it said no address'}",
                             exit_code=self._process.returncode, log=self.log())
        return line

    def log(self) -> str:
        """The last lines of its standard error."""
        return "\n".join(self._lines)

    def wait(self, seconds: float) -> Optional[int]:
        """Its exit code, or None when it has not ended by then."""
        try:
            code: Optional[int] = self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        self._listener.join(1.0)
        return code

    def end(self, seconds: float) -> None:
        """Waits for its end; terminates and then kills a process that does not end."""
        for number, patience in ((None, seconds), (signal.SIGTERM, 10.0), (signal.SIGKILL, None)):
            if number is not None:
                self._process.send_signal(number)
            try:
                self._process.wait(patience)
                break
            except subprocess.TimeoutExpired:
                continue
        self._listener.join(1.0)
        for stream in (self._process.stdout, self._process.stderr):
            if stream and not self._listener.is_alive():
                stream.close()


class _Call:
    def __init__(self) -> None:
        self.done = threading.Event()
        self.message: Optional[Dict[str, Any]] = None
        self.payload = b""


class Connection:
    """Requests and notifications of one client. Requests may be made from any thread.

    Args:
        notify: called for each notification on a thread of the connection's own; must not wait.
        watch: look on beside the server's client.
    """

    def __init__(self, address: Optional[str] = None, token: Optional[str] = None,
                 path: Optional[str] = None, threads: int = 0,
                 notify: Optional[Callable[[str, Dict[str, Any]], None]] = None,
                 watch: bool = False) -> None:
        self._notify = notify
        self.process = None if address else ServerProcess(path, threads)
        self.address = address or (self.process.address if self.process else "")
        self._calls: Dict[int, _Call] = {}
        self._last = 0
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self._gone: Optional[ServerDied] = None
        self._closed = False
        self.cooking: Optional[str] = None  #: the node that the server works on
        try:
            self._socket = self._connect()
            self._file = self._socket.makefile("rb")
        except BaseException:
            if self.process:
                self.process.end(0.0)
            raise
        _open.add(self)
        self._reader = threading.Thread(target=self._read, daemon=True)
        hello: Dict[str, Any] = {"protocol": 1, "client": "python"}
        if token:
            hello["token"] = token
        if watch:
            hello["watch"] = True
        try:
            expected = self._expect()  # before anything is read: a refusal may come at once
            self._reader.start()
            self.hello = self._exchange(*expected, "hello", hello)[0]
        except BaseException:
            self.close()
            raise

    @property
    def remote(self) -> bool:
        """Over TCP: nothing is shared but the connection."""
        return not self.address.startswith("/")

    def _connect(self) -> socket.socket:
        try:
            if not self.remote:
                made = socket.socket(socket.AF_UNIX)
                try:
                    made.connect(self.address)
                except BaseException:
                    made.close()
                    raise
                return made
            host, _, port = self.address.rpartition(":")
            if not host or not port.isdigit():
                raise FloeError(f"'{self.address}' is not an address",
                                cure="give the path of a socket, or HOST:PORT")
            made = socket.create_connection((host.strip("[]"), int(port)), timeout=30)
            made.settimeout(None)
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return made
        except OSError as error:
            raise ServerDied(f"no server answers at {self.address}: {error}",
                             cure="start one with 'floe serve'") from error

    def _read(self) -> None:
        try:
            while True:
                line = self._file.readline()
                if not line:
                    break
                message = json.loads(line)
                payload = b""
                result = message.get("result")
                if isinstance(result, dict) and result.get("follows"):
                    payload = self._file.read(result["bytes"] + 1)[:-1]
                    if len(payload) < result["bytes"]:
                        break
                if "method" in message:
                    self._hear(message["method"], message.get("params", {}))
                    continue
                number = message.get("id")
                with self._lock:
                    call = self._calls.pop(number, None) if isinstance(number, int) else None
                    if call is None and number is None and "error" in message:
                        # Said to whoever is turned away: it answers the oldest request.
                        call = self._calls.pop(min(self._calls), None) if self._calls else None
                if call:
                    call.message, call.payload = message, payload
                    call.done.set()
        except (OSError, ValueError):
            pass
        finally:
            self._end()

    def _hear(self, method: str, params: Dict[str, Any]) -> None:
        if method == "node.state":
            if params["state"] == "cooking":
                self.cooking = params["node"]
            elif params["node"] == self.cooking:
                self.cooking = None
        if self._notify:
            self._notify(method, params)

    def _end(self) -> None:
        """The other side has gone: finds out why, and tells all who wait."""
        gone = ServerDied("the session is closed")
        if not self._closed:
            code = self.process.wait(10.0) if self.process else None
            log = self.process.log() if self.process else ""
            said = [line[len("error: "):] for line in log.splitlines()
                    if line.startswith("error: ")]
            while_cooking = f" while node '{self.cooking}' was cooking" if self.cooking else ""
            text = f"the server ended{while_cooking}"
            if said:
                text = said[-1]
            elif code is not None and code != 0:
                text += f" by signal {-code}" if code < 0 else f" with exit code {code}"
            elif not self.process:
                text = f"the connection to {self.address} ended{while_cooking}"
            gone = ServerDied(text, exit_code=code, log=log, node=self.cooking,
                              cure="open a new session")
        with self._lock:
            self._gone = gone
            waiting = list(self._calls.values())
            self._calls.clear()
        for call in waiting:
            call.done.set()
        if self._notify:
            self._notify("", {})

    def _failure(self) -> ServerDied:
        gone = self._gone
        assert gone is not None
        return ServerDied(str(gone.args[0]), exit_code=gone.exit_code, log=gone.log,
                          node=gone.node, cure=gone.cure)

    def check_alive(self) -> None:
        """Raises:
            ServerDied: the server has gone.
        """
        if self._gone:
            raise self._failure()

    def call(self, method: str, **params: Any) -> Dict[str, Any]:
        """Sends a request and returns the answer's result.

        Raises:
            RequestError: the server refused it, or failed.
            ServerDied: it ended meanwhile.
        """
        return self.call_with_bytes(method, **params)[0]

    def call_with_bytes(self, method: str, **params: Any) -> Tuple[Dict[str, Any], bytes]:
        """The same with the bytes that follow the answer."""
        return self._exchange(*self._expect(), method, params)

    def _expect(self) -> Tuple[int, _Call]:
        """The number of a new request, whose answer is waited for."""
        call = _Call()
        with self._lock:
            if self._gone:
                raise self._failure()
            self._last += 1
            self._calls[self._last] = call
            return self._last, call

    def _exchange(self, number: int, call: _Call, method: str,
                  params: Dict[str, Any]) -> Tuple[Dict[str, Any], bytes]:
        try:
            line = json.dumps({"jsonrpc": "2.0", "id": number, "method": method,
                               "params": params}, allow_nan=False)
            with self._sending:
                self._socket.sendall(line.encode() + b"\n")
        except (TypeError, ValueError) as error:
            with self._lock:
                self._calls.pop(number, None)
            raise FloeError(f"{method} cannot be sent as JSON: {error}") from error
        except OSError:
            call.done.wait(15.0)  # the reader finds out why
        call.done.wait()
        if call.message is None:
            raise self._failure()
        if "error" in call.message:
            refusal = call.message["error"]
            data = refusal.get("data") or {}
            raise RequestError(refusal["message"], refusal["code"], node=data.get("node"),
                               field=data.get("field"), file=data.get("file"),
                               cure=data.get("cure"))
        return call.message["result"], call.payload

    def tell(self, method: str, **params: Any) -> None:
        """Sends what wants no answer; nothing when the server has gone."""
        line = json.dumps({"jsonrpc": "2.0", "method": method, "params": params})
        try:
            with self._sending:
                self._socket.sendall(line.encode() + b"\n")
        except OSError:
            pass

    def arrays(self, node: str, socket_name: str, frame: int,
               attributes: Optional[List[str]] = None,
               count: Optional[int] = None) -> Tuple[int, Dict[str, np.ndarray]]:
        """Attributes of particles.

        On one machine they are views on shared memory that nobody writes to any more: they can be
        read as long as there is a reference to one of them, and cannot be written.

        Returns:
            The number of all particles, and the arrays by name: (particles,) or
            (particles, components).
        """
        wanted: Dict[str, Any] = {"node": node, "socket": socket_name, "frame": frame}
        if attributes is not None:
            wanted["attributes"] = attributes
        if count is not None:
            wanted["count"] = count
        answer, payload = self.call_with_bytes("value.arrays", **wanted)
        if "segment" in answer:
            try:
                memory: Any = read_only_map(answer["segment"])
            finally:
                self.call("value.release", segment=answer["segment"])
            return answer["total"], _views(answer, memory)
        parts = [_views(answer, payload)]
        have = answer["count"]
        wished = answer["total"] if count is None else min(count, answer["total"])
        while have < wished and answer["count"] > 0 and answer["arrays"]:
            answer, payload = self.call_with_bytes(
                "value.arrays", **{**wanted, "offset": have, "count": wished - have})
            parts.append(_views(answer, payload))
            have += answer["count"]
        if len(parts) == 1:
            return answer["total"], parts[0]
        return answer["total"], {name: np.concatenate([part[name] for part in parts])
                                 for name in parts[0]}

    def close(self) -> None:
        """Ends the connection, and with it the server if it was started for it."""
        _open.discard(self)
        if self._closed:
            return
        self._closed = True
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        if self._reader.is_alive() and threading.current_thread() is not self._reader:
            self._reader.join(10.0)
        self._file.close()
        self._socket.close()
        if self.process:
            self.process.end(10.0)


def _views(answer: Dict[str, Any], memory: Any) -> Dict[str, np.ndarray]:
    count = answer["count"]
    arrays = {}
    for entry in answer["arrays"]:
        components = entry["components"]
        if count == 0:
            flat = np.empty(0, entry["type"])
        else:
            flat = np.frombuffer(memory, entry["type"], count * components, entry["offset"])
        arrays[entry["name"]] = flat if components == 1 else flat.reshape(count, components)
    return arrays


_open: "weakref.WeakSet[Connection]" = weakref.WeakSet()


def _close_all() -> None:
    for connection in list(_open):
        connection.close()


atexit.register(_close_all)


def wait_until(condition: threading.Condition, ready: Callable[[], bool],
               seconds: Optional[float] = None) -> bool:
    """Waits in short pieces, so that Ctrl-C is heard. Returns whether `ready` came true."""
    end = None if seconds is None else time.monotonic() + seconds
    with condition:
        while not ready():
            left = 0.5 if end is None else min(0.5, end - time.monotonic())
            if left <= 0:
                return False
            condition.wait(left)
        return True
