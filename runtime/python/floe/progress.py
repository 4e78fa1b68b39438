"""How far a run is: a line in a terminal, a bar in a notebook, nothing elsewhere."""

import sys
import time
from typing import Any, Optional

_BETWEEN = 0.1  # seconds between drawings


class Progress:
    """Nothing is shown; the others draw."""

    def __init__(self, total: int) -> None:
        self.total = max(1, total)
        self._begun = time.monotonic()
        self._drawn = 0.0

    def update(self, done: float, text: str = "") -> None:
        """`done` of `total`; drawn a few times a second."""
        now = time.monotonic()
        if done < self.total and now - self._drawn < _BETWEEN:
            return
        self._drawn = now
        left = ""
        if 0 < done < self.total:
            seconds = (now - self._begun) * (self.total - done) / done
            left = f"{seconds:.0f} s left" if seconds < 100 else f"{seconds / 60:.0f} min left"
        self.draw(min(1.0, done / self.total), " ".join(filter(None, (text, left))))

    def draw(self, share: float, text: str) -> None:
        pass

    def close(self) -> None:
        pass


class TerminalProgress(Progress):
    """One line on standard error, drawn over."""

    def draw(self, share: float, text: str) -> None:
        filled = int(30 * share)
        sys.stderr.write(f"\r[{'#' * filled}{'.' * (30 - filled)}] {100 * share:3.0f}% {text}\x1b[K")
        sys.stderr.flush()

    def close(self) -> None:
        if self._drawn:
            sys.stderr.write("\n")
            sys.stderr.flush()


class NotebookProgress(Progress):
    """A bar below the cell."""

    def __init__(self, total: int) -> None:
        super().__init__(total)
        from IPython.display import HTML, display  # type: ignore[import-not-found]
        self._html = HTML
        self._handle = display(HTML(""), display_id=True)

    def draw(self, share: float, text: str) -> None:
        if self._handle:
            self._handle.update(self._html(
                f'<progress value="{share:.4f}" max="1" style="width:20em"></progress> {text}'))


def in_notebook() -> bool:
    """Whether cells of a notebook run this."""
    module = sys.modules.get("IPython")
    shell: Any = module.get_ipython() if module else None  # type: ignore[attr-defined]
    return shell is not None and hasattr(shell, "kernel")


def progress(total: int, wanted: Optional[bool]) -> Progress:
    """`wanted`: None shows it where somebody looks."""
    if wanted is False:
        return Progress(total)
    if in_notebook():
        return NotebookProgress(total)
    if wanted or sys.stderr.isatty():
        return TerminalProgress(total)
    return Progress(total)
