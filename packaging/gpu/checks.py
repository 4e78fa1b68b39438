"""The steps that pass or fail: build, tests, compute-sanitizer."""

import re
import shutil
import xml.etree.ElementTree as xml

from commands import Check

# What compute-sanitizer watches: every kernel at work, in scenes of some thousand particles. By program
# on a card, the same on the emulator, and GoogleTest's filter.
SMALL = [
    ("gpu_mpm_kernels", "parity_mpm", "CudaCore.*:CudaSteps.DoNot*:CudaColliders.*"),
    ("gpu_mpm", "parity_mpm",
     "CudaParity.MaterialsAndParticlesMayComeLater:CudaParity.TwoMaterials*:CudaParity/CudaParticleContact.*:CudaParity/CudaSchemes.*:"
     "CudaSolverState/CudaStateOf.*:CudaSolverActivation.*:CudaActivation.WhatRequests*"),
    ("gpu_network", "parity_network", "NetworkOnDevice.*"),
    ("gpu_world", "parity_world", "Environment.*"),
    ("gpu_compute", "parity_view", "Sizes/Arrays.*/1"),
]


def build(place, machine, options):
    """Configures and builds the program, the tests labelled gpu and the benchmarks."""
    root, folder = place.root, place.build
    configure = ["cmake", "-S", root, "-B", folder, "-D", "CMAKE_BUILD_TYPE=Release", "-D",
                 "FLOE_BENCH=ON", "-D", "FLOE_EDITOR=OFF"]
    if not (folder / "CMakeCache.txt").exists() and shutil.which("ninja", path=place.environment["PATH"]):
        configure += ["-G", "Ninja"]
    targets = ["gpu_tests", "floe_bench"]
    if place.emulator:
        targets = ["floe_all", "floe_bench_emulated"] + sorted({emulated for _, emulated, _ in SMALL})
        configure += ["-D", "FLOE_CUDA=OFF"]
    else:
        configure += ["-D", "FLOE_CUDA=ON", "-D", "FLOE_GPU_TESTS=ON", "-D",
                      f"FLOE_CUDA_ARCHITECTURES={machine['card']['architecture']}"]
    done = place.run("configure", configure + options, 300)
    checks = [Check("configure", "passed" if done.code == 0 else "failed", done.seconds,
                    "" if done.code == 0 else done.why(), done.log)]
    if done.code == 0:
        done = place.run("build", ["cmake", "--build", folder, "--parallel", machine["cores"], "--target"] +
                         targets, 1800)
        checks.append(Check("build", "passed" if done.code == 0 else "failed", done.seconds,
                            "" if done.code == 0 else done.why(), done.log))
    return checks, {}


def reason(text):
    """Why a test was skipped or failed, from what it printed."""
    found = (re.search(r": (?:Skipped|Failure)\n(.+)", text) or re.search(r"^skipped: (.+)", text, re.M) or
             re.search(r"^(.*(?:MISSED|CONTROL PASSES).*NOT AS EXPECTED)", text, re.M) or
             re.search(r"^(.*[Ee]rror.*)", text, re.M))
    return found[1].strip()[:200] if found else ""


def read_log(text):
    """Results from what CTest printed, for a run that did not get as far as its report."""
    results = []
    for name, said, seconds in re.findall(
            r"Test +#\d+: (\S+) [. ]*(Passed|\*\*\*\w+(?:: \w+)?) +([\d.]+) sec", text):
        status = {"Passed": "passed", "***Skipped": "skipped"}.get(said, "failed")
        results.append({"name": name, "status": status, "seconds": float(seconds), "why": ""})
    return results


def read_report(file):
    results = []
    for test in xml.parse(file).getroot().iter("testcase"):
        status = {"run": "passed", "fail": "failed"}.get(test.get("status"), "skipped")
        said = test.findtext("system-out") or ""
        results.append({"name": test.get("name"), "status": status, "seconds": float(test.get("time", 0)),
                        "why": "" if status == "passed" else reason(said)})
    return results


def tests(place, machine, only):
    """CTest's tests of the label."""
    report = place.results / "logs" / "ctest.xml"
    report.unlink(missing_ok=True)
    label = "parity" if place.emulator else "gpu"
    command = ["ctest", "-L", f"^{label}$", "-j", max(1, min(8, machine["cores"] // 2)),
               "--output-on-failure", "--timeout", "300", "--output-junit", report]
    done = place.run("ctest", command + (["-R", only] if only else []), 1500, place.build)
    results = read_report(report) if report.exists() and not done.timed_out else read_log(done.text)
    report.unlink(missing_ok=True)  # what is of use in it goes into tests.json
    count = {status: sum(result["status"] == status for result in results)
             for status in ("passed", "failed", "skipped")}
    detail = ", ".join(f"{number} {status}" for status, number in count.items())
    good = done.code == 0 and count["passed"] > 0
    if done.timed_out or not results:
        detail += "; " + done.why()
    elif count["passed"] == 0 and count["skipped"] > 0:
        detail += "; every test was skipped: " + next(
            (result["why"] for result in results if result["status"] == "skipped"), "")
    name = f"ctest -L {label}" + (f" -R '{only}'" if only else "")
    return [Check(name, "passed" if good else "failed", done.seconds, detail, done.log)], {"tests": results}


def watched(place, name, command, limit):
    """A test program under a checker: passed when at least one of its tests ran, and none failed."""
    done = place.run(name, command, limit)
    ran = re.search(r"\[  PASSED  \] (\d+) test", done.text)
    errors = re.search(r"ERROR SUMMARY: (.*)|RACECHECK SUMMARY: (.*)", done.text)
    said = (errors[1] or errors[2]) if errors else ""
    if done.code != 0:
        return Check(name, "failed", done.seconds, said or done.why(), done.log)
    if not ran or ran[1] == "0":
        return Check(name, "failed", done.seconds, "no test ran: " + reason(done.text), done.log)
    return Check(name, "passed", done.seconds, f"{ran[1]} tests" + (f", {said}" if said else ""), done.log)


def sanitizer(place, machine):
    """The small edition of the parity tests under each of compute-sanitizer's tools; on the emulator
    under its own checks, with its threads in another order."""
    checks = []
    tools = ["emulator"] if place.emulator else ["memcheck", "racecheck", "initcheck", "synccheck"]
    for tool in tools:
        left = 300.0
        if not place.emulator and "compute-sanitizer" not in machine["tools"]:
            checks.append(Check(tool, "skipped", 0, "compute-sanitizer is missing"))
            continue
        for on_card, emulated, filter_ in SMALL:
            program = place.build / "tests" / (emulated if place.emulator else on_card)
            name = f"{tool}-{on_card}"
            if not program.exists():
                checks.append(Check(name, "failed", 0, f"{program.name} is not built"))
                continue
            command = [program, f"--gtest_filter={filter_}"]
            if not place.emulator:
                command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "86",
                           "--print-limit", "20"] + command
            checks.append(watched(place, name, command, left))
            left = max(10.0, left - checks[-1].seconds)
    return checks, {}
