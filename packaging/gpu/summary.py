"""summary.md of a folder of results, from the JSON files that the steps left there."""

import json


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def duration(seconds):
    return f"{seconds:.1f} s" if seconds < 100 else f"{seconds / 60:.1f} min"


def about(machine):
    card = machine["card"]
    rows = [("date", machine["date"]), ("commit", machine["commit"])]
    if card:
        rows += [("card", f"{card['name']}, {card['memory']}, sm_{card['architecture']}, at most {card['clock']}"),
                 ("driver", f"{card['driver']} (CUDA {card['driverCuda']})"),
                 ("CUDA Toolkit", machine["nvcc"])]
    else:
        rows += [("card", "none: the emulator, whose times mean nothing")]
    rows += [("processor", f"{machine['processor']}, {machine['cores']} threads"),
             ("memory", machine["memory"]), ("system", machine["system"]),
             ("compiler", machine["compiler"]),
             ("tools", ", ".join(machine["tools"]) or "none of compute-sanitizer, nsys, ncu")]
    return table(["machine", ""], rows)


def ran(records):
    rows = []
    for record in records:
        for check in record["checks"]:
            name = f"[{check['name']}]({check['log']})" if check["log"] else check["name"]
            rows.append([record["step"], name, check["status"], duration(check["seconds"]), check["detail"]])
    return "\n## What ran\n\n" + table(["step", "", "", "took", ""], rows)


def tests(record):
    text = ""
    for status, title in (("failed", "Tests that failed"), ("skipped", "Tests that were skipped")):
        names = {}  # by reason: a hundred tests may have the same
        for result in record.get("tests", []):
            if result["status"] == status:
                names.setdefault(result["why"], []).append(f"`{result['name']}`")
        if names:
            text += f"\n## {title}\n\n" + table(["", "why", "test"], [
                [len(of), why, ", ".join(of)] for why, of in names.items()])
    return text


def bench(record):
    laws, sizes = record.get("laws", {}), record.get("sizes", [])
    if not laws:
        return ""
    devices = [size for size in sizes if size.startswith("device")]
    first, beside = devices[0], next(size for size in sizes if size.startswith("cpu"))
    def million(of, size):
        return f"{of[size]['stepsPerSecond'] / 1e6:,.4g}" if size in of else "-"
    rows = []
    for law, of in laws.items():
        ratio = (f"{of[first]['stepsPerSecond'] / of[beside]['stepsPerSecond']:.3g}"
                 if first in of and beside in of else "-")
        bytes_ = of.get(devices[-1], {}).get("bytesPerParticle")
        rows.append([law] + [million(of, size) for size in sizes] + [ratio, f"{bytes_:.0f}" if bytes_ else "-"])
    header = ["law"] + [size.replace("-", ", ") for size in sizes]
    return ("\n## Million particle steps a second\n\n"
            f"A cube that turns and shears, 8 particles a cell (`MpmStep` of tests/bench/floe_bench); the CPU on "
            f"{record['threads']} threads.\n\n" +
            table(header + [f"{first} / {beside}".replace("-", " "), f"bytes a particle, {devices[-1]}"
                            .replace("-", " ")], rows))


def gaussians(record):
    text = ""
    if rows := record.get("drawnGaussians"):
        text += ("\n## Drawing 3-D Gaussians\n\nA ball of them, 1280 x 720, on " + rows[0]["device"] +
                 "; milliseconds a picture (`RenderGaussians` of tests/bench/floe_bench).\n\n" +
                 table(["Gaussians", "samples a pixel", "on the device already", "uploading", "drawing"],
                       [[f"{row['gaussians']:,}", row["samples"], "yes" if row["held"] else "no",
                         number(1e3 * row["upload"]), number(1e3 * row["draw"])] for row in rows]))
    if row := record.get("movingGaussians"):
        text += (f"\n## Half a million Gaussians that move\n\n`graphs/gaussians/jelly_knot` on {row['device']}, "
                 f"simulated and drawn: {1 / row['frame']:.3g} frames a second. Milliseconds a frame:\n\n" +
                 table(["frame", "waiting for pictures", "solver", "Deform Gaussians"],
                       [[number(1e3 * row[name]) for name in ("frame", "waited", "solver", "deform")]]))
    if rows := record.get("liveScenes"):
        text += ("\n## Real time\n\nThe scenes of Qiu (2024, table 5.1) at 60 frames a second (`tests/bench/live`); milliseconds. A \"pass\" is "
                 "the thesis's on an RTX 3080.\n\n" +
                 table(["scene", "particles", "passive", "steps a frame", "a step", "a pass", "a frame", "the longest"],
                       [[row["scene"]] + [number(row[name]) for name in
                                          ("particles", "passive", "steps", "step", "pass", "frame", "longest")] for row in rows]))
    return text


def number(value):
    return f"{value:,.4g}" if isinstance(value, float) else str(value)


def profile(record):
    text = ""
    for title, kernels in record.get("kernels", {}).items():
        if kernels:
            text += (f"\n## Kernels: {title}, a million particles\n\n" +
                     table(list(kernels[0]), [[number(value) for value in kernel.values()] for kernel in kernels]))
    if stages := record.get("stages"):
        text += ("\n## Stages, as the program times them\n\n"
                 f"`graphs/validation/collision.floe.json` with {stages['particles']:,} particles on "
                 f"{stages['device']}: {stages['frame']:.4g} ms a frame. Milliseconds a step, of "
                 f"{stages['steps']} steps:\n\n" +
                 table(["solver", "transfer", "grid", "rebin"],
                       [[number(stages[name]) for name in ("solver", "transfer", "grid", "rebin")]]))
    return text


def write(results, order):
    machine = json.loads((results / "machine.json").read_text())
    records = [json.loads((results / f"{step}.json").read_text()) for step in order
               if (results / f"{step}.json").exists()]
    of = {record["step"]: record for record in records}
    device = machine["card"].get("name", "the emulator")
    text = f"# Floe on {device}\n\n" + about(machine) + ran(records)
    for step, section in (("bench", bench), ("bench", gaussians), ("profile", profile), ("tests", tests)):
        if step in of:
            text += section(of[step])
    (results / "summary.md").write_text(text)
