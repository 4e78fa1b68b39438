"""Reports: a run's page has what the run said, needs nothing else, and a watched run is read-only and private."""

import base64
import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys
import urllib.error
import urllib.request

from scene import FLOE, Case, ball, floe, main
from floe import charts
from floe.picture import decode_png


def simulated(folder, end=4, movie=False):
    scene = ball(end=end)
    scene.add("floe.output.render", "render", path="images/ball.%04d.png", width=64, height=36,
              samples="1", movie=movie)
    scene.link("solver.particles", "render.particles")
    scene.link("front.camera", "render.camera")
    path = folder / "a ball.floe.json"
    scene.save(path)
    subprocess.run([FLOE, "run", path, "--output", folder / "out", "--set", "ball.radius=0.15",
                    "--progress", "quiet"], check=True)
    return folder / "out"


class Sources(html.parser.HTMLParser):
    """Everything that a page would load, and whether its elements are closed."""

    def __init__(self, text):
        super().__init__()
        self.found, self.open = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.found += [values[name] for name in ("src", "href") if name in values]
        if tag not in ("meta", "img", "input", "br", "line", "circle", "polyline"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in ("line", "circle", "polyline"):
            assert self.open and self.open[-1] == tag, (tag, self.open[-3:])
            self.open.pop()


def command(*arguments):
    return subprocess.run([sys.executable, "-m", "floe.report", *map(str, arguments)],
                          capture_output=True, text=True, env=environment())


def environment():
    return {**os.environ, "PYTHONPATH": str(pathlib.Path(floe.__file__).parents[1])}


class Pages(Case):
    def test_a_page_has_everything_in_it(self):
        out = simulated(self.folder)
        done = command(out)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = (out / "report.html").read_text()
        sources = Sources(text)
        self.assertEqual(sources.open, [])
        self.assertTrue(all(source.startswith("data:") for source in sources.found), "no other file")
        picture = next(s for s in sources.found if s.startswith("data:image/png;base64,"))
        pixels = decode_png(base64.b64decode(picture.partition(",")[2]))
        self.assertEqual(pixels.shape[:2], (36, 64))
        for words in ("finished", "Time of a frame", "Particles", "Memory of the program", "Substeps",
                      "plugin floe.mpm", "SHA-256", "youngModulus"):
            self.assertIn(words, text)
        line = re.search(r"<pre>(floe run .*?)</pre>", text).group(1)
        self.assertIn("--set ball.radius=0.15", line)
        self.assertIn("--end 4", line)
        self.assertIn("&#x27;", line, "the path has a space, so it is quoted")
        # The plot of the fastest particle has the numbers of run.json: free fall, within a frame's step.
        data = {c["lines"][0]["name"]: c["lines"][0] for c in map(json.loads, (
            html.unescape(found) for found in re.findall(r'data-chart="(.*?)"', text)))}
        speeds = dict(zip(data["solver.topSpeed"]["x"], data["solver.topSpeed"]["y"]))
        self.assertAlmostEqual(speeds[4], 3 * 9.81 / 24, delta=0.02)

    def test_a_movie_is_in_the_page(self):
        out = simulated(self.folder, movie=True)
        self.assertEqual(command(out, "-o", self.folder / "page.html").returncode, 0)
        text = (self.folder / "page.html").read_text()
        movie = re.search(r'<video [^>]*src="data:video/mp4;base64,([^"]*)"', text).group(1)
        self.assertEqual(base64.b64decode(movie), (out / "images/ball.mp4").read_bytes())

    def test_hostile_reports_are_pages_or_errors(self):
        out = self.folder / "out"
        out.mkdir()
        evil = '</script><script>alert(1)</script><img src="http://x/">'
        about = {"graph": evil, "result": evil, "overrides": [evil], "plugins": {evil: evil},
                 "device": {"id": evil, "name": evil}, "range": {"start": evil},
                 "messages": [{"level": evil, "text": evil}, 5], "started": evil,
                 "frames": [{"frame": 1, "nodes": {evil: {evil: 1, "seconds": 1e999}}}, 7,
                            {"frame": "x"}, {"frame": 2, "seconds": None, "nodes": []}]}
        (out / "run.json").write_text(json.dumps(about))
        (out / f"{evil.replace('/', '')}0001.png").write_bytes(b"no picture")
        self.assertEqual(command(out).returncode, 0)
        text = (out / "report.html").read_text()
        self.assertNotIn("alert(1)</script>", text)
        self.assertTrue(all(s.startswith("data:") for s in Sources(text).found))
        for content in ("", "[]", "{}", '{"frames": 3}', '{"frames": [' + "[" * 5000, "\0"):
            (out / "run.json").write_text(content)
            done = command(out)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"^error: .*run\.json.*\n$")
        done = command(self.folder)
        self.assertIn("is no output folder of a run", done.stderr)

    def test_peaks_remain_where_there_are_many_frames(self):
        values = [1.0] * 100_000
        values[70_001] = 50.0
        figure = charts.chart("x", "", {"x": (range(100_000), values)})
        self.assertLess(len(figure), 200_000)
        self.assertIn("50.0", figure)
        self.assertEqual(charts.chart("x", "", {"x": ([1], [float("nan")])}), "")


class Watching(Case):
    def test_a_run_is_seen_while_it_goes_on_by_who_has_the_token(self):
        out = self.folder / "out"
        process = subprocess.Popen([sys.executable, "-m", "floe.report", out, "--watch"],
                                   stdout=subprocess.PIPE, text=True, env=environment())
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        address = re.search(r"http://127\.0\.0\.1:\d+/\?token=[0-9a-f]{32}",
                            process.stdout.readline()).group()
        process.stdout.close()

        def get(url, **headers):
            try:
                with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
                    return answer.status, answer.read().decode()
            except urllib.error.HTTPError as error:
                with error:
                    return error.code, error.read().decode()

        self.assertIn("not begun", get(address)[1])
        simulated(self.folder)
        body = get(address.replace("/?", "/body?"))[1]
        self.assertIn("finished", body)
        self.assertIn("data:image/png", body)
        self.assertEqual(get(address.partition("?")[0])[0], 403, "no token")
        self.assertEqual(get(address[:-1] + "g")[0], 403, "a wrong one")
        self.assertEqual(get(address, Host="evil.example")[0], 403)
        for path in ("run.json", "../run.json", "..%2frun.json"):
            self.assertEqual(get(address.replace("/?", f"/{path}?"))[0], 404)
        request = urllib.request.Request(address, data=b"x")  # POST
        with self.assertRaises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(request)
        self.assertEqual(caught.exception.code, 501)
        caught.exception.close()


if __name__ == "__main__":
    main()
