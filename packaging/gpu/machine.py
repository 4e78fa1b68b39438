"""What this machine is: card, driver, CUDA, processor; and which Floe this is."""

import datetime
import os
import platform
import re
import shutil
import subprocess


def output(*command):
    """What a command prints; empty when it is missing or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def card():
    """The first card as nvidia-smi describes it; empty where there is none."""
    fields = ["name", "driver_version", "memory.total", "compute_cap", "clocks.max.sm", "ecc.mode.current"]
    line = output("nvidia-smi", "--query-gpu=" + ",".join(fields), "--format=csv,noheader")
    values = [value.strip() for value in line.split("\n")[0].split(",")]
    if len(values) != len(fields):
        return {}
    of = dict(zip(fields, values))
    cuda = re.search(r"CUDA Version:\s*([\d.]+)", output("nvidia-smi"))
    return {"name": of["name"], "driver": of["driver_version"], "memory": of["memory.total"],
            "architecture": of["compute_cap"].replace(".", ""), "clock": of["clocks.max.sm"],
            "ecc": of["ecc.mode.current"], "driverCuda": cuda[1] if cuda else "unknown"}


def processor():
    try:
        with open("/proc/cpuinfo") as file:
            name = re.search(r"model name\s*:\s*(.*)", file.read())
    except OSError:
        name = None
    return name[1].strip() if name else platform.processor() or platform.machine()


def commit(root):
    """Short hash, with -dirty where files differ from it; of a bundle the one that it was made from."""
    revision = root / "third_party" / "revision.txt"
    if revision.exists():
        return revision.read_text().strip()[:7]
    return output("git", "-c", "safe.directory=*", "-C", str(root), "describe", "--always", "--dirty",
                  "--exclude", "*", "--abbrev=7") or "unknown"


def describe(root, emulator):
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    nvcc = re.search(r"release ([\d.]+), V([\d.]+)", output("nvcc", "--version"))
    try:
        system = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        system = platform.system()
    return {
        "date": datetime.date.today().isoformat(),
        "commit": commit(root),
        "device": "emulator" if emulator else "",
        "card": {} if emulator else card(),
        "nvcc": nvcc[2] if nvcc else "",
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory": f"{memory:.0f} GiB",
        "system": f"{system}, Linux {platform.release()}",
        "compiler": (output("c++", "--version").split("\n") or [""])[0],
        "cmake": (output("cmake", "--version").split("\n") or [""])[0],
        "tools": [tool for tool in ("compute-sanitizer", "nsys", "ncu") if shutil.which(tool)],
    }


def folder_name(machine):
    device = machine["device"] or machine["card"]["name"]
    return "-".join([machine["date"], machine["commit"], re.sub(r"[^a-z0-9]+", "-", device.lower()).strip("-")])
