"""The page of trust.py: what all runs that wrote this page have tried, and each of these runs."""

import datetime
import os
import pathlib
import platform
import re
import subprocess

from trial import ROOT

HEAD = "| kind | attempts | of which failed | processor hours | since | what was tried |"
ROW = re.compile(r"^\| `([^`]+)` \| (\d+) \| (\d+) \| ([\d.]+) \| (.+?) \| (.+?) \|$")
RUNS_HEAD = "| date | commit | machine | hours | seed | attempts | of which failed |"


class Total:
    """Of one kind of attempts."""

    def __init__(self, attempts=0, failed=0, hours=0.0, since="", text=""):
        self.attempts, self.failed, self.hours = attempts, failed, hours  # hours of all processors
        self.since, self.text = since, text

    def add(self, other):
        self.attempts += other.attempts
        self.failed += other.failed
        self.hours += other.hours
        self.since = self.since or other.since
        self.text = other.text or self.text


def read_totals(path):
    """What an earlier page of this form has as the totals, by kind; nothing where there is none."""
    totals = {}
    if path and path.exists():
        for line in path.read_text().partition(HEAD)[2].splitlines():
            row = ROW.match(line)
            if row:
                kind, attempts, failed, hours, since, text = row.groups()
                totals[kind] = Total(int(attempts), int(failed), float(hours), since, text)
    return totals


def read_runs(path):
    """The rows of an earlier page's table of runs."""
    rows = []
    if path and path.exists():
        for line in path.read_text().partition(RUNS_HEAD)[2].splitlines()[2:]:
            if not line.startswith("| "):
                break
            rows.append(line)
    return rows


def machine():
    name = platform.processor() or platform.machine()
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            name = line.split(":", 1)[1].strip()
            break
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    release = platform.release().split("-")[0]
    return f"{name}, {os.cpu_count()} processors, {memory:.0f} GiB, {platform.system()} {release}"


def commit():
    told = subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return told.stdout.strip() or "unknown"


def table(totals):
    lines = [HEAD, "|---|---:|---:|---:|---|---|"]
    for kind, each in totals.items():
        lines.append(f"| `{kind}` | {each.attempts} | {each.failed} | {each.hours:.4f} | "
                     f"{each.since} | {each.text} |")
    sums = [sum(getattr(each, name) for each in totals.values())
            for name in ("attempts", "failed", "hours")]
    return lines + [f"| **all** | **{sums[0]}** | **{sums[1]}** | **{sums[2]:.2f}** | | |", ""]


def write_page(path, counts, failures, seconds, seed):
    """@param counts  this run's, by kind; what the page had before is added to"""
    today, now = datetime.date.today().isoformat(), commit()
    totals, runs = read_totals(path), read_runs(path)
    for kind, each in counts.items():
        each.since = f"{today}, {now}"
        totals.setdefault(kind, Total()).add(each)
    attempts = sum(each.attempts for each in counts.values())
    failed = sum(each.failed for each in counts.values())
    runs.append(f"| {today} | {now} | {machine()} | {seconds / 3600:.2f} | {seed} | {attempts} | "
                f"{failed} |")
    lines = ["# Attempts to break Floe", "",
             "An attempt fails when a run does not end, ends by a signal or without a word, leaves a "
             "torn file, says that it has finished and something is missing or not that of an "
             "undisturbed run, or cannot be resumed to the same files, byte for byte. Made by "
             "`packaging/trust.sh PAGE`, which adds to the numbers of the page that is there.", "",
             "## By kind", "", *table(totals), "## By run", "",
             RUNS_HEAD, "|---|---|---|---:|---:|---:|---:|", *runs, ""]
    if failures:
        lines += ["## What failed in the last run", ""]
    for kind, each in failures.items():
        lines += [f"### {kind}", ""]
        lines += ["* " + " ".join(text.split())[:600] for text in each[:50]] + [""]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines))
