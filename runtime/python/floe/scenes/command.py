"""The command `floe scenes`."""

import argparse
import json
import sys
from typing import List, Optional

from ..errors import FloeError
from .dataset import Settings, generate
from .grammar import VIEWS
from .verbs import VERBS


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(
        prog="floe scenes", description="Makes a data set of random scenes, in each of which a verb happens: "
        "graph, particles, movies, labels and sentences, in shards. The same command goes on where it was stopped.")
    parser.add_argument("-o", "--output", default="out/scenes", help="folder (out/scenes)")
    parser.add_argument("--count", type=int, default=20, help="of instances (20)")
    parser.add_argument("--seed", type=int, default=0, help="the same seed, the same scenes (0)")
    parser.add_argument("--jobs", type=int, default=1, help="instances at a time (1)")
    parser.add_argument("--physics", choices=("any", "mpm", "pbd"), default="any")
    parser.add_argument("--verbs", default="", metavar="VERB,...", help=f"of {', '.join(VERBS)}; all")
    parser.add_argument("--views", default="front,side", metavar="VIEW,...",
                        help=f"of {', '.join(VIEWS)} (front,side)")
    parser.add_argument("--size", default="320x180", metavar="WxH", help="of the movies (320x180)")
    parser.add_argument("--meshes", help="folder with further shapes; a file's name is its noun")
    parser.add_argument("--rewrite", default="", metavar="COMMAND",
                        help="reads sentences, a line each, and writes as many others")
    parser.add_argument("--shard-size", type=int, default=100, help="instances of a shard (100)")
    options = parser.parse_args(arguments)
    try:
        width, cross, height = options.size.partition("x")
        if not (cross and width.isdigit() and height.isdigit()):
            raise FloeError(f"'{options.size}' is no size", cure="write WIDTHxHEIGHT")
        settings = Settings(options.seed, options.physics, _words(options.views),
                            (int(width), int(height)), _words(options.verbs), options.meshes,
                            options.rewrite)
        page = generate(options.output, options.count, settings, jobs=options.jobs,
                        shard_size=options.shard_size)
        with open(page.parent / "rejected.jsonl", encoding="utf-8") as lines:
            rejected = sum(json.loads(line)["instance"] < options.count for line in lines)
    except (FloeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here", file=sys.stderr)
        return 130
    print(f"{options.count} instances, {rejected} attempts rejected: {page}")
    return 0


def _words(text: str) -> List[str]:
    return [word.strip() for word in text.split(",") if word.strip()]
