"""What the generated stub `nodes.pyi` tells editors and type checkers: every node type's parameters."""

from typing import Any, Optional


class NodeFactory:
    """Adds nodes; its stub has one overload for each node type."""

    def add(self, type: str, /, name: Optional[str] = None, **parameters: Any) -> Any:
        raise NotImplementedError
