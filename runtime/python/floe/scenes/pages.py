"""The datasheet of a data set (after Gebru et al. 2021), and a page to look at its samples."""

import collections
import html
import json
from typing import Any, Dict, List, Sequence

_MAX_SHOWN = 500


def datasheet(settings: Dict[str, Any], instances: Sequence[Dict[str, Any]],
              rejected: Sequence[Dict[str, Any]], times: Sequence[Dict[str, Any]]) -> str:
    """The datasheet, in Markdown.

    Args:
        rejected: attempts that were not kept, with their reason.
        times: seconds of accepted attempts.
    """
    labels = [instance["label"] for instance in instances]
    attempts = len(instances) + len(rejected)
    seconds = [float(line["seconds"]) for line in times if "seconds" in line]
    sentences = sum(len(instance["text"]["original"]) for instance in instances)
    rewritten = sum(len(instance["text"].get("rewritten", [])) for instance in instances)

    def table(title: str, names: List[str]) -> str:
        counted = sorted(collections.Counter(names).items(), key=lambda item: (-item[1], item[0]))
        return f"| {title} | |\n|---|---|\n" + "".join(f"| {name} | {number} |\n"
                                                        for name, number in counted)

    objects = [thing for label in labels for thing in label["objects"].values()]
    mean = f"{sum(seconds) / len(seconds):.1f} s" if seconds else "not measured"
    return f"""# Datasheet: {len(instances)} simulated scenes with text

Made by Floe {settings['floe']} with seed {settings['seed']}; the same settings give the same files.

## Composition

{len(instances)} instances, each a short simulation of two to four objects in which one verb happens. An instance
is whole: its graph can be simulated again, and every particle of every frame is there.

| file of a sample | |
|---|---|
| `NNNNNN.graph.floe.json` | the scene, as Floe opens and simulates it |
| `NNNNNN.VIEW.mp4` | {settings['size'][0]} x {settings['size'][1]} pixels, 24 frames a second; views: {', '.join(settings['views'])} |
| `NNNNNN.particles.npz` | `x` [m] (frames, particles, 3), `v` [m/s] the same, `object` of each particle: its place in the values' `objects` |
| `NNNNNN.label.json` | qualitative labels, roles, which constraints were repaired, and what was measured of the verb |
| `NNNNNN.value.json` | the values that the labels stand for, in SI units |
| `NNNNNN.text.json` | sentences with their order and tense, and rewritten ones where a command did that |

{sentences} sentences, {rewritten} rewritten ones.

{table("verb", [" ".join([label["verb"], *label["relations"]]) for label in labels])}
{table("physics", [label["physics"] for label in labels])}
{table("material of an object", [thing["material"] for thing in objects])}
{table("noun", [thing["noun"] for thing in objects])}
## How it was made

A scene is drawn from an attributed grammar; a verb's constraints are checked, and violated ones repaired by drawing the
values anew that are no criteria. Rigid bodies are simulated by position-based dynamics, all other matter by the material
point method. Left, right, toward and away are those of the front view; y is up.

Each instance is validated: the conditions of its verb (who moved where and how fast, what touched what, what stayed where
it was) are measured on the particles. Instances that do not meet all of them are not in the set.
{len(rejected)} of {attempts} attempts ({100 * len(rejected) / attempts:.0f} %) were rejected:

{table("reason", [str(line.get("reason", "")) for line in rejected])}
Time of an accepted attempt, with its movies: {mean} on average.

## Uses and limits

For learning and testing relations between video, text and three-dimensional motion. Shapes are simple, scenes have one
verb each, sentences follow a grammar. Solids of the material point method touch with the resolution of its cells
(5 cm) and do not glide over each other. The shares of verbs and materials are those above, not those of any real scene.

## Licence

Everything here is made by a program from random numbers, and no right is claimed in it (CC0-1.0). Meshes that were given to it
keep their own licences: {', '.join(settings['shapes']) or 'none were given'}.
"""


def viewer(instances: Sequence[Dict[str, Any]], views: Sequence[str]) -> str:
    """A page with the movies, sentences and labels of samples; it opens without a server."""
    cards = []
    for instance in instances[:_MAX_SHOWN]:
        name = f"{instance['index']:06d}"
        label = instance["label"]
        movies = "".join(f'<video src="instances/{name}/{view}.mp4" title="{view}" muted loop controls '
                         'preload="metadata"></video>' for view in views)
        text = instance["text"]
        said = "".join(f"<li>{html.escape(sentence['text'])} <small>{sentence['order']}, "
                       f"{sentence['tense']}</small></li>" for sentence in text["original"])
        said += "".join(f"<li><i>{html.escape(line)}</i></li>" for line in text.get("rewritten", []))
        measured = ", ".join(f"{check['name']}: {check['measured']:g}" for check in label["measured"])
        cards.append(f'<article><h2>{name} {html.escape(" ".join([label["verb"], *label["relations"]]))} '
                     f'<small>{label["physics"]}</small></h2>{movies}<ol>{said}</ol><details><summary>'
                     f"measured, labels</summary><p>{html.escape(measured)}</p><pre>"
                     f"{html.escape(json.dumps(label['objects'], indent=1))}</pre></details></article>")
    more = len(instances) - _MAX_SHOWN
    return f"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Scenes</title><style>
body {{ font: 14px/1.4 sans-serif; margin: 1em; }} h2 {{ font-size: 15px; margin: 4px 0; }} small {{ color: #777; }}
main {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(520px, 1fr)); gap: 14px; }}
video {{ width: 49%; }} ol {{ padding-left: 1.4em; margin: 4px 0; }} pre {{ font-size: 11px; }}
</style></head><body><h1>{len(instances)} scenes</h1><p><a href="datasheet.md">datasheet</a>. Point at a movie to
play it.{f" The first {_MAX_SHOWN} are shown." if more > 0 else ""}</p><main>{''.join(cards)}</main>
<script>document.querySelectorAll('video').forEach(video => {{
  video.addEventListener('mouseenter', () => video.play());
  video.addEventListener('mouseleave', () => video.pause());
}});</script></body></html>
"""
