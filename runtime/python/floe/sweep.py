"""The command `floe sweep`, which is also `python -m floe.sweep`; see floe.sweeps."""

import argparse
import json
import pathlib
import sys
from typing import Any, Dict, List, Optional

from .errors import FloeError
from .graph import Graph
from .sweeps import Sweep, run_task, submit_later, sweep
from .variants import Choices, parse_choices


def _is_text(scene: Graph, node: str, parameter: str) -> bool:
    """Whether values are taken as they were typed: the choice "4" is no number."""
    if node not in scene:
        return False
    spec = scene[node]._specs().get(parameter)
    return spec is not None and spec.type in ("string", "path", "choice")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="floe sweep", description="Simulates variants of a graph, with a table, a contact sheet, a "
        "movie side by side and a page. Variants that are done in the output folder already are kept.")
    parser.add_argument("graph", nargs="?", help="graph file (*.floe.json)")
    parser.add_argument("--vary", action="append", default=[], metavar="NODE.PARAMETER=VALUES",
                        help="V1,V2,...; FIRST..LAST of whole numbers; LOW..HIGH or LOW..HIGH:log "
                        "for random sweeps")
    parser.add_argument("--set", action="append", default=[], metavar="NODE.PARAMETER=VALUE",
                        help="of all variants")
    parser.add_argument("--mode", choices=("grid", "list", "random"), default="grid")
    parser.add_argument("--samples", type=int, default=0, help="of a random sweep")
    parser.add_argument("--seed", type=int, default=0, help="of a random sweep")
    parser.add_argument("--frames", type=int, help="how many; all of the graph")
    parser.add_argument("--jobs", type=int, help="runs at a time; as many as there are cores")
    parser.add_argument("--threads", type=int, default=1, help="of each run")
    parser.add_argument("--device", default="", metavar="DEVICE[,DEVICE...]",
                        help="cpu, cuda, cuda:0,cuda:1: shared among the jobs")
    parser.add_argument("--cache", action="store_true", help="keep the particles of all frames, with "
                        "which the editor compares variants")
    parser.add_argument("--retries", type=int, default=1, help="after a failure that may pass")
    parser.add_argument("--stop-at-failure", action="store_true",
                        help="begin no further variant then")
    parser.add_argument("-o", "--output", help="folder (out/<graph name>-sweep)")
    farm = parser.add_argument_group("on a farm")
    farm.add_argument("--slurm", action="store_true", help="simulate nothing; write slurm.sh, an array "
                      "job, into the folder")
    farm.add_argument("--openjd", action="store_true", help="simulate nothing; write job.openjd.json, a "
                      "job template, into the folder")
    farm.add_argument("--task", type=int, metavar="N", help="simulate the variant N of a sweep that was "
                      "prepared so")
    farm.add_argument("--collect", action="store_true",
                      help="write the table and the page of what is done; no graph is needed")
    return parser


def _assigned(text: str, option: str) -> List[str]:
    """Node, parameter and text of NODE.PARAMETER=TEXT."""
    name, equals, value = text.partition("=")
    node, dot, parameter = name.rpartition(".")
    if not equals or not dot:
        raise FloeError(f"'{text}' is no {option}", cure="write NODE.PARAMETER=VALUE")
    return [node, parameter, value]


def _varied(scene: Graph, texts: List[str]) -> Dict[str, Choices]:
    vary: Dict[str, Choices] = {}
    for text in texts:
        node, parameter, values = _assigned(text, "--vary")
        vary[f"{node}.{parameter}"] = ([part.strip() for part in values.split(",")]
                                       if _is_text(scene, node, parameter) else parse_choices(values))
    return vary


def _set(scene: Graph, text: str) -> None:
    node, parameter, typed = _assigned(text, "--set")
    value: Any = typed
    if not _is_text(scene, node, parameter):
        try:
            value = json.loads(typed)
        except ValueError:
            pass  # the check says what is wrong
    scene[node][parameter] = value


def _sweep(options: argparse.Namespace) -> int:
    scene = Graph.open(options.graph)
    for text in options.set:
        _set(scene, text)
    name = pathlib.Path(options.graph).name.split(".")[0]
    chosen: Dict[str, Any] = {
        "mode": options.mode, "samples": options.samples, "seed": options.seed,
        "frames": options.frames, "jobs": options.jobs, "threads": options.threads,
        "retries": options.retries, "cache": options.cache,
        "devices": [device.strip() for device in options.device.split(",") if device.strip()]}
    vary = _varied(scene, options.vary)
    output = options.output or f"out/{name}-sweep"
    if options.slurm or options.openjd:
        slurm, template = submit_later(scene, vary, output, **chosen)
        if options.slurm:
            print(f"submit it with: sbatch {slurm}")
        if options.openjd:
            print(f"a job template for OpenJD: {template}")
        return 0
    return _say(sweep(scene, vary, output, keep_going=not options.stop_at_failure, **chosen))


def _say(result: Sweep) -> int:
    for variant in result.failed:
        print(f"failed: {variant.name} {json.dumps(variant.values)}: {variant.message}",
              file=sys.stderr)
    print(f"{len(result.done)} of {len(result.variants)} variants are done: "
          f"{result.folder / 'index.html'}")
    return 0 if len(result.done) == len(result.variants) else 1


def main(arguments: Optional[List[str]] = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        if options.task is not None or options.collect:
            if options.graph or not options.output:
                parser.error("--task and --collect take the folder of a sweep by --output, and no graph")
            if options.collect:
                result = Sweep.open(options.output)
                result.write()
                return _say(result)
            variant = run_task(options.output, options.task)
            print(f"variant {options.task} ({variant.name}) {variant.state}"
                  + (f": {variant.message}" if variant.message else ""))
            return 0 if variant.state == "done" else variant.exit_code or 1
        if not options.graph:
            parser.error("a graph is needed")
        return _sweep(options)
    except (FloeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 3 if isinstance(error, ValueError) else 1
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
