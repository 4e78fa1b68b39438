"""`python -m floe.scenes` is `floe scenes`."""

import sys

from .command import main

sys.exit(main())
