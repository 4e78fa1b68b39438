"""What the package's documentation shows runs as written: docstrings, and the Python blocks of its pages."""

import doctest
import importlib
import importlib.util
import os
import pkgutil
import re
import shutil

from scene import SOURCE, Case, floe, main

PAGES = ("README.md", "runtime/python/README.md")


class Documentation(Case):
    def test_examples_of_docstrings(self):
        shown = 0
        for module in pkgutil.walk_packages(floe.__path__, "floe."):
            if module.name.endswith("__main__"):
                continue
            needed = {"floe.gym": "gymnasium", "floe.zoo": "pettingzoo"}.get(module.name)
            if needed and importlib.util.find_spec(needed) is None:
                continue
            result = doctest.testmod(importlib.import_module(module.name),
                                     optionflags=doctest.NORMALIZE_WHITESPACE)
            self.assertEqual(result.failed, 0, module.name)
            shown += result.attempted
        self.assertGreater(shown, 25)

    def test_blocks_of_the_pages(self):
        """All blocks of a page, in their order and with the same variables, beside graphs/."""
        shutil.copytree(SOURCE / "graphs", self.folder / "graphs",
                        ignore=shutil.ignore_patterns("*.jpg", "*.png"))
        here = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, here)
        for page in PAGES:
            text = (SOURCE / page).read_text()
            blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
            self.assertGreater(len(blocks), 0, page)
            variables = {"__name__": "page"}
            for block in blocks:
                exec(compile(block, page, "exec"), variables)

    def test_public_names_are_documented(self):
        for name in floe.__all__:
            self.assertTrue(getattr(floe, name).__doc__, name)


if __name__ == "__main__":
    main()
