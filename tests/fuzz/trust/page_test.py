"""A page of attempts adds to what it holds, by kind and by run."""
import pathlib
import tempfile
import unittest

import page


class Page(unittest.TestCase):
    def test_a_second_run_adds_to_the_first(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "new" / "page.md"
            page.write_page(path, {"kill": page.Total(3, 0, 0.5, text="killed"),
                                   "disk": page.Total(2, 0, 0.1, text="disk full")}, {}, 3600, 7)
            page.write_page(path, {"kill": page.Total(4, 1, 0.25, text="killed"),
                                   "guided obj": page.Total(900, 0, 0.2, text="obj inputs")},
                            {"kill": ["seed '8 kill 0': a | torn\nfile"]}, 1800, 8)
            totals, runs = page.read_totals(path), page.read_runs(path)
            self.assertEqual({kind: (each.attempts, each.failed) for kind, each in totals.items()},
                             {"kill": (7, 1), "disk": (2, 0), "guided obj": (900, 0)})
            self.assertAlmostEqual(totals["kill"].hours, 0.75)
            self.assertEqual([row.split(" | ")[-4:] for row in runs],
                             [["1.00", "7", "5", "0 |"], ["0.50", "8", "904", "1 |"]])
            self.assertIn("| **909** | **1** |", path.read_text())
            self.assertIn("a | torn file", path.read_text())


if __name__ == "__main__":
    unittest.main()
