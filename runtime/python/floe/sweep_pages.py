"""What a sweep is looked at by: a contact sheet, a movie side by side, and a page."""

import html
import json
import math
import pathlib
import shutil
import subprocess
import tempfile
from typing import Any, Dict, List, Sequence, Tuple

import numpy as np

from .errors import FloeError
from .picture import decode_png, encode_png, write_whole
from .variants import Variant

_TILE = (320, 180)
_MAX_SHEET_TILES = 2000
_MAX_MOVIE_TILES = 144  # as many files ffmpeg reads at a time
_MAX_MOVIE_WIDTH = 3840
_MOVIE_SECONDS = 3600  # until it is given up

#: 3 x 5 pixels of each digit, a row in three bits.
_DIGITS = ("75557", "26227", "71747", "71717", "55711", "74717", "74757", "71111", "75757", "75717")


def _layout(count: int) -> Tuple[int, int]:
    """Columns and rows for so many tiles."""
    across = max(1, math.ceil(math.sqrt(count)))
    return across, max(1, math.ceil(count / across))


def contact_sheet(variants: Sequence[Variant]) -> np.ndarray:
    """The last picture of each, in rows, with its number in the table; failed ones are red."""
    shown = variants[:_MAX_SHEET_TILES]
    across, down = _layout(len(shown))
    width, height = _TILE
    sheet = np.full((down * (height + 4), across * (width + 4), 3), 255, np.uint8)
    for index, variant in enumerate(shown):
        tile = sheet[index // across * (height + 4) + 2:, index % across * (width + 4) + 2:]
        tile[:height, :width] = _tile(variant, index + 1)
    return sheet


def _tile(variant: Variant, number: int) -> np.ndarray:
    """Its picture, scaled to fit, and its number in the table."""
    width, height = _TILE
    tile = np.full((height, width, 3), (200, 60, 60) if variant.state == "failed" else 90, np.uint8)
    picture = variant.picture
    if picture and variant.state == "done":
        try:
            pixels = decode_png(picture.read_bytes())[:, :, :3]
        except (OSError, FloeError):
            pixels = None
        if pixels is not None:
            scale = min(width / pixels.shape[1], height / pixels.shape[0])
            wide, high = (max(1, min(limit, round(size * scale))) for limit, size in
                          ((width, pixels.shape[1]), (height, pixels.shape[0])))
            rows = np.arange(high) * pixels.shape[0] // high
            columns = np.arange(wide) * pixels.shape[1] // wide
            tile[:high, :wide] = pixels[rows][:, columns]
    _write_number(tile, number)
    return tile


def _write_number(tile: np.ndarray, number: int) -> None:
    for place, digit in enumerate(str(number)):
        for y, row in enumerate(_DIGITS[int(digit)]):
            for x in range(3):
                top, left = 6 + 3 * y, 6 + 12 * place + 3 * x
                tile[top:top + 3, left:left + 3] = 255 if int(row) >> (2 - x) & 1 else 0


def write_movie(variants: Sequence[Variant], path: pathlib.Path, fps: float) -> str:
    """Writes a movie (H.264, .mp4) with the variants side by side as on the contact sheet; those that
    ended earlier stay at their last picture.

    Returns:
        Why there is none; empty when it was written.
    """
    shown = list(variants[:_MAX_MOVIE_TILES])
    frames = [variant.pictures if variant.state == "done" else [] for variant in shown]
    longest = max((len(pictures) for pictures in frames), default=0)
    if longest < 2:
        return "no variant has two pictures or more"
    ffmpeg = shutil.which("ffmpeg")
    if not ffmpeg:
        return "ffmpeg is not installed"
    across, down = _layout(len(shown))
    width = min(_TILE[0], _MAX_MOVIE_WIDTH // across) // 2 * 2
    height = width * _TILE[1] // _TILE[0] // 2 * 2
    with tempfile.TemporaryDirectory(prefix="floe-movie-") as name:
        folder = pathlib.Path(name)
        command = [ffmpeg, "-nostdin", "-v", "error", "-y"]
        filters = []
        for index, pictures in enumerate(frames):
            if pictures:
                listed = folder / f"{index}.txt"
                listed.write_text("".join(f"file '{_quoted(picture)}'\nduration {1 / fps:.6f}\n"
                                          for picture in pictures))
                command += ["-f", "concat", "-safe", "0", "-i", str(listed)]
            else:
                colour = "0xc83c3c" if shown[index].state == "failed" else "0x5a5a5a"
                command += ["-f", "lavfi", "-i", f"color={colour}:s={width}x{height}:r={fps:g}:"
                            f"d={longest / fps:.6f}"]
            filters.append(
                f"[{index}:v]fps={fps:g},scale={width}:{height}:force_original_aspect_ratio=decrease,"
                f"pad={width}:{height},setsar=1,format=yuv420p,"
                f"tpad=stop_mode=clone:stop_duration={longest / fps:.6f}[t{index}]")
        numbers = np.zeros((down * height, across * width, 4), np.uint8)
        for index in range(len(shown)):
            tile = numbers[index // across * height:, index % across * width:]
            _write_number(tile[:, :, :3], index + 1)
            tile[6:21, 6:6 + 12 * len(str(index + 1)) - 3, 3] = 255
        (folder / "numbers.png").write_bytes(encode_png(numbers))
        command += ["-i", str(folder / "numbers.png")]
        places = "|".join(f"{index % across * width}_{index // across * height}"
                          for index in range(len(shown)))
        tiles = "".join(f"[t{index}]" for index in range(len(shown)))
        stacked = (f"{tiles}xstack=inputs={len(shown)}:layout={places}:fill=gray[s]"
                   if len(shown) > 1 else "[t0]null[s]")
        filters += [stacked, f"[s]pad={across * width}:{down * height}[p]",
                    f"[p][{len(shown)}:v]overlay[out]"]
        (folder / "filters.txt").write_text(";".join(filters))
        made = folder / "movie.mp4"
        command += ["-filter_complex_script", str(folder / "filters.txt"), "-map", "[out]",
                    "-frames:v", str(longest), "-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "20",
                    "-movflags", "+faststart", str(made)]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, timeout=_MOVIE_SECONDS)
        except subprocess.TimeoutExpired:
            return "ffmpeg did not end within an hour"
        if done.returncode != 0 or not made.exists():
            said = done.stderr.decode(errors="replace").strip().splitlines()
            return "ffmpeg failed: " + (said[-1] if said else f"exit code {done.returncode}")
        write_whole(path, made.read_bytes())
    return ""


def _quoted(path: pathlib.Path) -> str:
    """Within the single quotes of ffmpeg's list of files."""
    return str(path.resolve()).replace("'", "'\\''")


_STYLE = """
body { font: 14px sans-serif; margin: 1em; }
figure { display: inline-block; width: 320px; margin: 4px; vertical-align: top; }
img, video { max-width: 100%; } .failed { background: #fdd; } figcaption { overflow-wrap: anywhere; }
table { border-collapse: collapse; } td, th { border: 1px solid #ccc; padding: 2px 6px; }
"""


def page(folder: pathlib.Path, variants: Sequence[Variant], rows: List[Dict[str, Any]],
         columns: List[str], no_movie: str) -> str:
    """The page: pictures with values and results, the movie, the table. It opens without a server."""
    figures = []
    for number, variant in enumerate(variants, 1):
        picture = variant.picture
        values = ", ".join(f"{name} = {json.dumps(value)}"
                           for name, value in variant.values.items())
        image = ""
        if picture:
            source = html.escape(picture.relative_to(folder).as_posix())
            image = f'<a href="{source}"><img src="{source}" loading="lazy" alt=""></a>'
        said = html.escape(variant.message) if variant.state == "failed" else ""
        figures.append(f'<figure class="{variant.state}">{image}<figcaption><b>{number}</b> '
                       f'{html.escape(values)}<br>{variant.state} {said}</figcaption></figure>')
    head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(str(row.get(name, '')))}</td>"
                                    for name in columns) + "</tr>" for row in rows)
    done = sum(variant.state == "done" for variant in variants)
    failed = sum(variant.state == "failed" for variant in variants)
    movie = (f"<p>No movie side by side: {html.escape(no_movie)}.</p>" if no_movie else
             '<p><video src="movie.mp4" controls loop muted preload="auto"></video></p>')
    return (f"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Sweep</title>
<style>{_STYLE}</style></head><body>
<h1>{done} of {len(variants)} variants are done, {failed} failed</h1>
<p><a href="table.csv">table.csv</a>, <a href="contact.png">contact.png</a></p>
{movie}{''.join(figures)}
<h2>Table</h2><table><tr>{head}</tr>{body}</table></body></html>
""")
