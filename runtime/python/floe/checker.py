"""One server of the process's own that knows node types and checks graphs; it is started when it is first
needed and simulates nothing."""

import os
import threading
from typing import Optional

from .connection import Connection
from .errors import ServerDied

_lock = threading.Lock()
_connection: Optional[Connection] = None
_owner = 0


def checker() -> Connection:
    """The connection to it; a new one where the last server has ended, or in a forked process."""
    global _connection, _owner
    with _lock:
        if _connection is not None and _owner == os.getpid():
            try:
                _connection.check_alive()
                return _connection
            except ServerDied:
                pass
        _connection = Connection(threads=1)
        _owner = os.getpid()
        return _connection
