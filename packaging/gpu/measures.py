"""The steps that measure: benchmarks and profiles."""

import csv
import io
import json
import re
import shutil
import sys

from commands import Check

CHOSEN = ["fixedCorotated", "liquid", "druckerPrager"]  # elastic, liquid, sand


def measure(place, name, program, filter_, limit):
    """One run of a benchmark program. @return a check, and a row for each benchmark"""
    file = place.results / "logs" / f"{name}.json"
    file.unlink(missing_ok=True)
    command = [program, f"--benchmark_filter={filter_}", f"--benchmark_out={file}",
               "--benchmark_out_format=json"]
    if place.emulator:
        command.append("--benchmark_min_time=0.01")
    done = place.run(name, command, limit)
    rows, failed = [], []
    try:
        measured = json.loads(file.read_text())["benchmarks"]
    except (OSError, ValueError, KeyError):
        measured = []
    file.unlink(missing_ok=True)  # what is of use in it goes into bench.json
    for benchmark in measured:
        if benchmark.get("error_occurred"):
            failed.append(f"{benchmark['name']}: {benchmark.get('error_message', '')}")
            continue
        parts = benchmark["name"].split("/")
        rows.append({"device": parts[1], "law": parts[2], "variant": "/".join(parts[3:]),
                     "stepsPerSecond": benchmark["particle_steps_per_second"],
                     "milliseconds": benchmark["real_time"],
                     "bytesPerParticle": benchmark["bytes_per_particle"]})
    if done.code != 0 or failed or not rows:
        why = failed[0] if failed else done.why() if done.code != 0 else "nothing was measured"
        return Check(name, "failed", done.seconds, why[:200], done.log), rows
    return Check(name, "passed", done.seconds, f"{len(rows)} benchmarks", done.log), rows


def bench(place, machine):
    """Particle steps a second: every law on the device with one and ten million particles, and beside
    it on all threads of the processor."""
    program = place.build / "tests" / ("floe_bench_emulated" if place.emulator else "floe_bench")
    if not program.exists():
        return [Check("bench", "failed", 0, f"{program.name} is not built")], {}
    listed = place.run("bench-list", [program, "--benchmark_list_tests"], 60)
    threads = max([int(n) for n in re.findall(r"^MpmStep/cpu/\w+/(\d+)thread$", listed.text, re.M)] or [1])
    chosen = "|".join(CHOSEN)
    runs = [("device-1M", "MpmStep/cuda/[^/]+/1M$"), ("device-10M", "MpmStep/cuda/[^/]+$"),
            ("cpu-1M", f"MpmStep/cpu/[^/]+/{threads}thread$"),
            ("cpu-8M", f"MpmStep/cpu/({chosen})/{threads}thread/8M$")]
    if place.emulator:
        runs = [("device-1k", "MpmStep/cuda/[^/]+/1k$"), ("cpu-1k", f"MpmStep/cpu/[^/]+/{threads}thread/1k$")]
    checks, table = [], {}
    for size, filter_ in runs:
        check, rows = measure(place, f"bench-{size}", program, filter_, 240)
        checks.append(check)
        for row in rows:
            table.setdefault(row["law"], {})[size] = row
    found = {"threads": threads, "sizes": [size for size, _ in runs], "laws": table}
    if not place.emulator:
        for step in (drawn_gaussians, moving_gaussians, live_scenes):
            check, row = step(place, program)
            checks.append(check)
            found.update(row)
    return checks, found


def drawn_gaussians(place, program):
    """Pictures of 3-D Gaussians by Vulkan, 1280 x 720: seconds of uploading and of drawing."""
    name, file = "bench-draw-gaussians", place.results / "logs" / "draw-gaussians.json"
    done = place.run(name, [program, "--benchmark_filter=RenderGaussians", f"--benchmark_out={file}",
                            "--benchmark_out_format=json"], 300)
    if done.code == 0 and not file.exists():
        return Check(name, "skipped", done.seconds, "this build has no Vulkan", done.log), {}
    try:
        measured = json.loads(file.read_text())["benchmarks"]
    except (OSError, ValueError, KeyError):
        measured = []
    file.unlink(missing_ok=True)
    rows = []
    for benchmark in measured:
        if benchmark["name"].startswith("RenderGaussians/") and not benchmark.get("error_occurred"):
            count, samples, held = benchmark["name"].split("/")[1:4]
            rows.append({"gaussians": int(count), "samples": int(samples), "held": held != "0",
                         "upload": benchmark["upload_s"], "draw": benchmark["draw_s"],
                         "device": benchmark.get("label", "")})
    if done.code != 0 or not rows:
        return Check(name, "failed", done.seconds, done.why() if done.code else "nothing was measured", done.log), {}
    return Check(name, "passed", done.seconds, f"{len(rows)} benchmarks", done.log), {"drawnGaussians": rows}


def moving_gaussians(place, program):
    """Half a million Gaussians as jelly that falls: simulated on the card and drawn, frame by frame."""
    name, folder = "bench-moving-gaussians", place.results / "logs" / "moving-gaussians"
    done = place.run(name, [place.build / "bin" / "floe", "run", place.root / "graphs/gaussians/jelly_knot.floe.json",
                            "--output", folder, "--device", "cuda", "--progress", "quiet", "--end", "25",
                            "--checkpoint-every", "0", "--set", "gaussians.count=500000", "--set",
                            "solver.cellSize=0.02", "--set", "write.every=1000", "--set", "render.movie=false",
                            "--set", "render.samples=1"], 240)
    try:
        report = json.loads((folder / "run.json").read_text())
    except (OSError, ValueError):
        report = {"frames": []}
    shutil.rmtree(folder, ignore_errors=True)
    frames = report["frames"][1:]  # the first one makes the set
    if done.code != 0 or not frames:
        if "output.render" in done.text:
            return Check(name, "skipped", done.seconds, "this build has no Vulkan", done.log), {}
        return Check(name, "failed", done.seconds, done.why(), done.log), {}
    def mean(pick):
        return sum(map(pick, frames)) / len(frames)
    row = {"device": report["device"]["name"], "frame": mean(lambda frame: frame["seconds"]),
           "waited": mean(lambda frame: frame["sinkWaitSeconds"]),
           "solver": mean(lambda frame: frame["nodes"]["solver"]["seconds"]),
           "deform": mean(lambda frame: frame["nodes"]["deform"]["seconds"])}
    return Check(name, "passed", done.seconds, f"{1 / row['frame']:.3g} frames a second", done.log), {
        "movingGaussians": row}


def live_scenes(place, program):
    """The scenes of Qiu (2024, table 5.1) at 60 frames a second."""
    name, file = "bench-live", place.results / "logs" / "live.json"
    done = place.run(name, [sys.executable, place.root / "tests/bench/live/live_bench.py", "--floe",
                            place.build / "bin" / "floe", "--device", "cuda", "--json", file], 240)
    try:
        rows = json.loads(file.read_text())
    except (OSError, ValueError):
        rows = []
    file.unlink(missing_ok=True)
    if done.code != 0 or not rows:
        return Check(name, "failed", done.seconds, done.why() if done.code else "nothing was measured", done.log), {}
    return Check(name, "passed", done.seconds, f"{len(rows)} scenes", done.log), {"liveScenes": rows}


def stages(place):
    """What the program itself says of where its time goes."""
    device = "cpu" if place.emulator else "cuda"
    cells = [] if place.emulator else ["--set", "solver.cellSize=0.005"]
    folder = place.results / "logs" / "stages"
    done = place.run("profile-stages",
                     [place.build / "bin" / "floe", "run", place.root / "graphs/validation/collision.floe.json",
                      "--output", folder, "--device", device, "--progress", "quiet", "--end", "5",
                      "--checkpoint-every", "0"] + cells, 180)
    try:
        report = json.loads((folder / "run.json").read_text())
    except (OSError, ValueError):
        report = {"frames": []}
    shutil.rmtree(folder, ignore_errors=True)  # the particles of a million are not for keeping
    if done.code != 0 or not report["frames"]:
        return Check("profile-stages", "failed", done.seconds, done.why(), done.log), {}
    solver = [frame["nodes"]["solver"] for frame in report["frames"]]
    total = lambda name: sum(frame.get(name, 0) for frame in solver)
    steps = max(1, total("substeps"))
    row = {"device": report["device"]["name"], "particles": int(solver[-1]["particles"]), "steps": int(steps),
           "frame": 1e3 * sum(frame["seconds"] for frame in report["frames"]) / len(solver)}
    for stage in ("", "transfer", "grid", "rebin"):
        row[stage or "solver"] = 1e3 * total(f"{stage}Seconds" if stage else "seconds") / steps
    return Check("profile-stages", "passed", done.seconds, f"{row['solver']:.3g} ms a step", done.log), row


def rows_of(text, first):
    """Rows of a table of comma-separated values that other output surrounds, by its header's start."""
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.lstrip('"').startswith(first)), None)
    if start is None:
        return []
    end = next((i for i in range(start, len(lines)) if not lines[i].strip()), len(lines))
    return list(csv.DictReader(io.StringIO("\n".join(lines[start:end]))))


def short(kernel):
    """A kernel's name without its namespaces, its arguments and the types of its template's numbers."""
    kernel = re.sub(r"\([\w: ]+\)(?=-?\w)", "", kernel)
    return re.sub(r"\b\w+::", "", kernel.split("(")[0]).removeprefix("void ")[:60]


def with_nsys(place, program, law):
    report = place.results / "logs" / f"nsys-{law}"
    done = place.run(f"nsys-{law}", ["nsys", "profile", "--trace=cuda", "--force-overwrite=true", "-o", report,
                                     program, f"--benchmark_filter=MpmStep/cuda/{law}/1M$"], 120)
    if done.code == 0:
        done = place.run(f"nsys-{law}-kernels", ["nsys", "stats", "--force-export=true", "--report",
                                                 "cuda_gpu_kern_sum", "--format", "csv",
                                                 f"{report}.nsys-rep"], 120)
    kernels = [{"kernel": short(row["Name"]), "share": float(row["Time (%)"]),
                "microseconds": float(row["Avg (ns)"]) / 1e3, "launches": int(row["Instances"])}
               for row in rows_of(done.text, "Time (%)") if row.get("Name")][:8]
    for left in place.results.glob(f"logs/nsys-{law}.*"):
        if left.suffix in (".sqlite", ".nsys-rep", ".qdstrm"):
            left.unlink()  # tens of MB; what they say is in the log
    good = done.code == 0 and kernels
    return Check(f"nsys-{law}", "passed" if good else "failed", done.seconds,
                 f"{len(kernels)} kernels" if good else done.why(), done.log), kernels


METRICS = {
    "gpu__time_duration.sum": "microseconds",
    "launch__registers_per_thread": "registers",
    "sm__warps_active.avg.pct_of_peak_sustained_active": "warps %",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed": "compute %",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed": "memory %",
    "dram__bytes.sum": "bytes",
    "smsp__inst_executed.sum": "instructions",
}
SCALE = {"ns": 1e-3, "nsecond": 1e-3, "us": 1, "usecond": 1, "ms": 1e3, "msecond": 1e3, "Kbyte": 1e3,
         "Mbyte": 1e6, "Gbyte": 1e9}


def with_ncu(place, program, law):
    done = place.run(f"ncu-{law}", ["ncu", "--csv", "--clock-control", "none", "--launch-skip", "40",
                                    "--launch-count", "30", "--metrics", ",".join(METRICS), program,
                                    f"--benchmark_filter=MpmStep/cuda/{law}/1M$"], 180)
    found = {}
    for row in rows_of(done.text, "ID"):
        if row.get("Metric Name") in METRICS:
            value = float(row["Metric Value"].replace(",", "")) * SCALE.get(row["Metric Unit"], 1)
            found.setdefault(short(row["Kernel Name"]), {}).setdefault(METRICS[row["Metric Name"]], []).append(value)
    kernels = [{"kernel": kernel, "launches": max(map(len, of.values())),
                **{name: sum(values) / len(values) for name, values in of.items()}}
               for kernel, of in found.items()]
    kernels.sort(key=lambda kernel: -kernel.get("microseconds", 0) * kernel["launches"])
    good = done.code == 0 and kernels
    return Check(f"ncu-{law}", "passed" if good else "failed", done.seconds,
                 f"{len(kernels)} kernels" if good else done.why(), done.log), kernels[:8]


def profile(place, machine):
    """Kernels by Nsight Systems or Nsight Compute where these are installed; always the program's own
    timings of its stages."""
    checks, data = [], {"kernels": {}}
    program = place.build / "tests" / "floe_bench"
    profilers = {"nsys": with_nsys, "ncu": with_ncu}
    tools = [] if place.emulator else [tool for tool in profilers if tool in machine["tools"]]
    if not tools:
        checks.append(Check("profile-kernels", "skipped", 0,
                            "the emulator has no profiler" if place.emulator else "nsys and ncu are missing"))
    for tool in tools:
        for law in CHOSEN:
            check, data["kernels"][f"{tool}, {law}"] = profilers[tool](place, program, law)
            checks.append(check)
    check, data["stages"] = stages(place)
    return checks + [check], data
