"""What can go wrong, as exceptions that name the place and the cure."""

from typing import Any, Dict, List, Optional


class FloeError(Exception):
    """Anything that Floe refuses or fails at; its text is one sentence.

    Attributes:
        node: name of the node at fault, or None.
        field: name of the parameter or socket at fault, or None.
        file: the file at fault, or None.
        cure: what would be right, or None.
    """

    def __init__(self, message: str, *, node: Optional[str] = None, field: Optional[str] = None,
                 file: Optional[str] = None, cure: Optional[str] = None) -> None:
        super().__init__(message)
        self.node = node
        self.field = field
        self.file = file
        self.cure = cure

    def __str__(self) -> str:
        text = str(self.args[0])
        return text if not self.cure or self.cure in text else f"{text}; {self.cure}"


class ProgramNotFound(FloeError):
    """The program `floe` is not where it was looked for."""


class GraphError(FloeError, ValueError):
    """A graph, or what was to be put into it, has faults.

    Attributes:
        faults: all of them, the first of which made the text.
    """

    def __init__(self, message: str, *, faults: Optional[List["Fault"]] = None,
                 **place: Optional[str]) -> None:
        super().__init__(message, **place)
        self.faults: List[Fault] = faults or []


class RequestError(FloeError):
    """The server refused a request, or failed at it.

    Attributes:
        code: number of the error in the protocol.
    """

    def __init__(self, message: str, code: int, **place: Optional[str]) -> None:
        super().__init__(message, **place)
        self.code = code


class RunError(FloeError):
    """A simulation ended before its last frame."""


class ServerDied(FloeError):
    """The server ended, or the connection to it did, while it was needed.

    Attributes:
        exit_code: of the process, None where it is not known.
        log: the last lines of its standard error.
    """

    def __init__(self, message: str, exit_code: Optional[int] = None, log: str = "",
                 **place: Optional[str]) -> None:
        super().__init__(message, **place)
        self.exit_code = exit_code
        self.log = log


class Fault:
    """One fault of a graph, as the engine reports it."""

    def __init__(self, report: Dict[str, Any]) -> None:
        self.severity: str = report["severity"]  #: "error" or "warning"
        self.code: str = report["code"]
        self.message: str = report["message"]
        self.node: Optional[str] = report.get("node") or None
        self.field: Optional[str] = report.get("field") or None
        self.file: Optional[str] = report.get("file") or None
        self.cure: Optional[str] = report.get("cure") or None

    def __repr__(self) -> str:
        return f"<{self.severity}: {self.message}>"

    def __str__(self) -> str:
        return self.message


def graph_error(faults: List[Fault]) -> GraphError:
    """The exception for a graph that has `faults`, of which one at least is an error."""
    errors = [fault for fault in faults if fault.severity == "error"]
    first = errors[0]
    more = len(errors) - 1
    text = first.message + (f" (and {more} more)" if more else "")
    return GraphError(text, node=first.node, field=first.field, file=first.file, cure=first.cure,
                      faults=faults)
