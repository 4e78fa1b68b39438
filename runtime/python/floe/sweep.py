"""The command `python -m floe.sweep`; see floe.sweeps."""

import sys

from .sweeps import main

if __name__ == "__main__":
    sys.exit(main())
