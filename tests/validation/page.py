#!/usr/bin/env python3
"""Holds Floe against formulas and measurements, and makes a page of it.

    tests/validation/page.py --floe build/bin/floe --out DIR [--fine] [--only A1,E3]
                             [--device cpu|cuda|cuda:N]

writes DIR/index.html with a table of every number and plots of ours against the reference. Every
case is a graph in graphs/validation run by the real program. The exit code is 0 when every number
is as expected: within its tolerance or, where the page says so, a known miss that has not grown;
77 when there is no such device.
"""

import argparse
import html
import pathlib
import re
import subprocess
import sys
import time

import matplotlib

matplotlib.use("Agg")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from suite import contact, elastic, granular, invariance, liquid, particles, walls  # noqa: E402,F401
from suite.case import CASES, Case  # noqa: E402
from suite.simulation import Simulator  # noqa: E402

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 1080px; margin: 2em auto; padding: 0 1em;
       color: #222; }
h1 { font-weight: 600; } h2 { margin-top: 2.2em; font-weight: 600; font-size: 1.25em; }
table { border-collapse: collapse; width: 100%; font-size: 0.9em; }
th, td { text-align: left; padding: 0.3em 0.7em; border-bottom: 1px solid #ddd; }
th { font-weight: 600; background: #f4f4f2; }
td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
.good { color: #1b6e3c; } .bad { color: #a81e1e; font-weight: 600; } .dim { color: #777; }
img { max-width: 100%; } p.caption { color: #555; margin-top: 0; font-size: 0.9em; }
"""


def colour(check):
    if check.control:
        return "dim" if not check.met else "bad"
    return "good" if check.met else "bad"


def rows(case, first_column):
    text = ""
    for check in case.checks:
        verdict = check.verdict
        if check.known_miss is not None and not check.met:
            verdict += " (known)"
        quantity = ("control: " if check.control else "") + check.quantity
        text += "<tr>" + (f"<td><a href='#{case.identity}'>{case.identity}</a></td>"
                          if first_column else "")
        for cell in (quantity, check.reference, check.ours, f"{check.error:.3g}",
                     f"{check.tolerance:.3g}"):
            text += f"<td class=number>{html.escape(cell)}</td>"
        text += f"<td class={colour(check)}>{verdict}</td></tr>\n"
    return text


HEAD = "<th>quantity</th><th>reference</th><th>ours</th><th>error</th><th>tolerance</th><th>verdict</th>"


def write_page(cases, out, fine, simulator):
    import matplotlib.pyplot as plt
    checks = [check for case in cases for check in case.checks if not check.control]
    missed = sum(not check.met for check in checks)
    text = (f"<!doctype html><html lang=en><meta charset=utf-8><title>Floe: validation</title>"
            f"<style>{STYLE}</style><h1>Floe against formulas and measurements</h1>"
            f"<p>{len(cases)} cases, {len(checks)} numbers: {len(checks) - missed} within their "
            f"tolerance, {missed} missed. Errors are relative where the tolerance is a share, else "
            f"in the unit of the number. A control changes the physics and must fall outside: it "
            f"shows that the check can fail. Resolution: {'fine' if fine else 'that of the tests'}."
            f"</p><p>Computed on {html.escape(simulator.devices())}.</p>"
            f"<table><tr><th>case</th>{HEAD}</tr>\n")
    text += "".join(rows(case, True) for case in cases) + "</table>\n"
    for case in cases:
        text += (f"<h2 id={case.identity}>{case.identity} {html.escape(case.title)}</h2>"
                 f"<p>{html.escape(case.source)}</p><table><tr>{HEAD}</tr>{rows(case, False)}</table>")
        for note in case.notes:
            text += f"<p>{html.escape(note)}</p>"
        for number, (figure, caption) in enumerate(case.figures):
            name = f"{case.identity}-{number + 1}.png"
            figure.tight_layout()
            figure.savefig(out / name, dpi=110)
            plt.close(figure)
            text += f"<p><img src={name} alt=''></p><p class=caption>{html.escape(caption)}</p>"
        text += f"<p class=dim>{case.seconds:.1f} s</p>"
    (out / "index.html").write_text(text + "</html>\n")


def missing(floe, device):
    """Why there is no such device; empty when there is."""
    if device == "cpu":
        return ""
    listed = subprocess.run([floe, "devices"], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^  (cuda:\d+) ", listed, re.M)
    wanted = "cuda:0" if device == "cuda" else device
    return "" if wanted in found else f"no device {wanted}: `floe devices` lists {', '.join(found) or 'none'}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--floe", default="build/bin/floe", help="the program")
    parser.add_argument("--out", required=True, type=pathlib.Path, help="folder for page and runs")
    parser.add_argument("--only", default="", help="cases, e.g. A1,E3")
    parser.add_argument("--fine", action="store_true", help="higher resolution, minutes a case")
    parser.add_argument("--device", default="cpu", help="what computes: cpu, cuda or cuda:N")
    parser.add_argument("--list", action="store_true", help="name the cases and end")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(identity for identity, *_ in CASES))
        return 0
    wanted = [name for name in arguments.only.split(",") if name]
    unknown = set(wanted) - {identity for identity, *_ in CASES}
    if unknown:
        parser.error(f"no such case: {', '.join(sorted(unknown))}")
    if not re.fullmatch(r"cpu|cuda(:\d+)?", arguments.device):
        parser.error(f"unknown device '{arguments.device}': cpu, cuda or cuda:N")
    if why := missing(arguments.floe, arguments.device):
        print(f"skipped: {why}")
        return 77
    arguments.out.mkdir(parents=True, exist_ok=True)
    simulator = Simulator(arguments.floe, arguments.out / "runs",
                          0 if arguments.fine else 1, arguments.device)
    cases = []
    for identity, title, source, function in CASES:
        if wanted and identity not in wanted:
            continue
        case = Case(identity, title, source)
        begin = time.monotonic()
        function(simulator, case, arguments.fine)
        case.seconds = time.monotonic() - begin
        cases.append(case)
        print(f"{identity} {title} ({case.seconds:.1f} s)")
        for check in case.checks:
            unexpected = "" if check.expected else "   <-- NOT AS EXPECTED"
            print(f"    {'control: ' if check.control else ''}{check.quantity}: {check.ours} "
                  f"(reference {check.reference}), error {check.error:.3g}, tolerance "
                  f"{check.tolerance:.3g}: {check.verdict}{unexpected}", flush=True)
    write_page(cases, arguments.out, arguments.fine, simulator)
    print(f"computed on {simulator.devices()}")
    print(f"{arguments.out / 'index.html'}")
    return 0 if all(case.expected for case in cases) else 1


if __name__ == "__main__":
    sys.exit(main())
