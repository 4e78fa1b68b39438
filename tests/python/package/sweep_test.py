"""Sweeps: which variants there are, what is kept of them, and what survives a kill."""

import csv
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import numpy as np

from scene import FLOE, Case, ball, floe, main
from floe import farm, sweeps, variants
from floe.picture import decode_png


def drawn(end=2):
    """The ball with small pictures."""
    scene = ball(end=end)
    scene.add("floe.output.render", "render", path="images/ball.%04d.png", width=64, height=36,
              samples="1", movie=False)
    scene.link("solver.particles", "render.particles")
    scene.link("front.camera", "render.camera")
    return scene


class Variants(Case):
    def test_values_of_each_mode(self):
        vary = {"ball.radius": np.array([0.1, 0.2]), "jello.density": [300, 400]}
        self.assertEqual([tuple(v.values()) for v in variants.combinations(vary)],
                         [(0.1, 300), (0.1, 400), (0.2, 300), (0.2, 400)])
        self.assertEqual([tuple(v.values()) for v in variants.combinations(vary, "list")],
                         [(0.1, 300), (0.2, 400)])
        drawn_at = {"ball.radius": floe.Range(0.1, 10, log=True), "jello.law": ["a", "b"]}
        one = variants.combinations(drawn_at, "random", 400, seed=3)
        self.assertEqual(one, variants.combinations(drawn_at, "random", 400, seed=3))
        self.assertNotEqual(one, variants.combinations(drawn_at, "random", 400, seed=4))
        below = sum(v["ball.radius"] < 1 for v in one)
        self.assertTrue(140 < below < 260, below)  # half of 400, with six standard deviations
        for wrong in (({},), (vary, "grids"), ({"a.b": [1, 2], "c.d": [1]}, "list"),
                      (drawn_at,), (vary, "random"), ({"a.b": []},), ({"a.b": range(10 ** 6)},)):
            with self.assertRaises(floe.FloeError):
                variants.combinations(*wrong)

    def test_values_of_the_command_line(self):
        parse = variants.parse_choices
        self.assertEqual(parse("[0,1,0],[0,2,0]"), [[0, 1, 0], [0, 2, 0]])
        self.assertEqual(parse("1..3"), [1, 2, 3])
        self.assertEqual(parse("-3..-1"), [-3, -2, -1])
        span = parse("1e4..1e6:log")
        self.assertEqual((span.low, span.high, span.log), (1e4, 1e6, True))
        for wrong in ("3.5..1.5", "0.0..1.5:log", "1..1000000000"):
            with self.assertRaises(floe.FloeError):
                parse(wrong)

    def test_a_refused_value_stops_everything_before_it_begins(self):
        with self.assertRaises(floe.GraphError) as caught:
            floe.sweep(ball(), {"jello.poissonRatio": [0.3, 0.7]}, self.folder / "s")
        self.assertEqual(caught.exception.field, "poissonRatio")
        self.assertFalse((self.folder / "s").exists())

    def test_names_are_hashes_of_what_decides(self):
        mesh = self.folder / "scan.obj"
        mesh.write_text("v 0 0 0")

        def name(change=lambda scene: None, file="scan.obj"):
            scene = ball()
            scene.path = self.folder / "scene.floe.json"
            scene.add("floe.shape.mesh", "scan", path=file)
            change(scene)
            graph, files = variants.standing_alone(scene)
            return variants.content_hash(graph, files, "1", {})

        before = name()
        self.assertEqual(before, name(lambda s: s.document["nodes"]["ball"].update(
            layout={"x": 1, "y": 2})))
        self.assertEqual(before, name(file=str(mesh)))
        self.assertNotEqual(before, name(lambda s: s["ball"].set(radius=0.21)))
        mesh.write_text("v 0 0 1")
        self.assertNotEqual(before, name())


class Running(Case):
    def test_a_grid_becomes_table_sheet_and_page(self):
        output = self.folder / "grid"
        result = floe.sweep(drawn(end=3), {"down.acceleration": [[0, -g, 0] for g in (5, 10, 20)],
                                           "ball.radius": [0.1, 0.2, 0.2]}, output)
        self.assertEqual((len(result.variants), len(result.done)), (6, 6), "the same is run once")
        with open(output / "table.csv") as file:
            rows = list(csv.DictReader(file))
        speeds = {(row["down.acceleration"], row["ball.radius"]): float(row["solver.topSpeed"])
                  for row in rows}
        for g in (5, 10, 20):  # after two frames of free fall
            self.assertAlmostEqual(speeds[f"[0, -{g}, 0]", "0.2"], g * 2 / 24, delta=0.02 * g * 2 / 24)
        particles = {row["ball.radius"]: float(row["solver.particles"]) for row in rows}
        self.assertAlmostEqual(particles["0.2"] / particles["0.1"], 8, delta=2)
        sheet = decode_png((output / "contact.png").read_bytes())
        self.assertEqual(sheet.shape, (2 * 184, 3 * 324, 3))
        self.assertGreater(sheet[2:182, 2:322].std(), 10, "there is a picture")
        page = (output / "index.html").read_text()
        sources = re.findall(r'(?:src|href)="([^"]+)"', page)
        self.assertEqual(len(sources), 3 + 2 * 6)
        for source in sources:
            self.assertTrue((output / source).is_file(), source)
        frames = movie_frames(output / "movie.mp4", 3 * 320, 2 * 180)
        self.assertEqual(len(frames), 3)
        last = decode_png(result.variants[4].picture.read_bytes())[:, :, :3]
        tile = frames[-1][180:360, 320:640]  # the fifth; each of its pixels is 5 x 5 of the tile
        self.assertLess(np.abs(tile[2::5, 2::5].astype(int) - last).mean(), 12)

    def test_what_is_done_is_kept_and_what_is_new_is_added(self):
        output = self.folder / "more"
        floe.sweep(ball(end=2), {"ball.radius": [0.1, 0.2]}, output)
        before = {path: path.stat().st_mtime_ns for path in output.glob("variants/*/state.json")}
        result = floe.sweep(ball(end=2), {"ball.radius": [0.3, 0.2, 0.1]}, output)
        self.assertEqual(len(result.done), 3)
        self.assertEqual(len(before), 2)
        for path, when in before.items():
            self.assertEqual(path.stat().st_mtime_ns, when)
        self.assertEqual([v.values["ball.radius"] for v in result.variants], [0.3, 0.2, 0.1])

    def test_frames_are_kept_when_asked_for(self):
        output = self.folder / "kept"
        floe.sweep(ball(end=2), {"ball.radius": [0.1, 0.2]}, output)
        self.assertFalse(list(output.glob("variants/*/out/cache")))
        result = floe.sweep(ball(end=2), {"ball.radius": [0.1, 0.2]}, output, cache=True)
        self.assertEqual(len(result.done), 2)
        for variant in result.variants:  # those that were done without, too
            self.assertEqual(len(list(variant.output.glob("cache/*.particles.*.floe"))), 2)
        self.assertTrue(floe.Sweep.open(output).cache)
        before = [(v.folder / "state.json").stat().st_mtime_ns for v in result.variants]
        floe.sweep(ball(end=2), {"ball.radius": [0.1, 0.2]}, output, cache=True)
        self.assertEqual(before, [(v.folder / "state.json").stat().st_mtime_ns
                                  for v in result.variants], "and only once")

    def failing(self, lines):
        """A program that is `floe` but for what `lines` do, with the variant's folder in $v."""
        fake = self.folder / "fake"
        fake.write_text('#!/bin/sh\nif [ "$1" = run ]; then v=$(dirname "$2")\n'
                        f'{lines}\nfi\nexec "{FLOE}" "$@"\n')
        fake.chmod(0o755)
        return str(fake)

    def test_failures_are_repeated_then_named(self):
        output = self.folder / "failures"
        once = self.failing('if ! [ -e "$v/tried" ]; then touch "$v/tried"; '
                            'echo "error: no luck" >&2; exit 7; fi')
        result = floe.sweep(ball(end=1), {"ball.radius": [0.1, 0.2]}, output, program_path=once)
        self.assertEqual([v.attempts for v in result.done], [2, 2])
        always = self.failing('if grep -q \'"radius": 0.3\' "$2"; then '
                              'echo "error: no luck" >&2; exit 7; fi')
        vary = {"ball.radius": [0.3, 0.25]}
        result = floe.sweep(ball(end=1), vary, output, program_path=always, retries=2)
        bad, = result.failed
        self.assertEqual((bad.attempts, bad.message, bad.exit_code), (3, "no luck", 7))
        self.assertEqual(len(result.done), 1, "the other went on")
        self.assertIn("no luck", (output / "index.html").read_text())
        sheet = decode_png((output / "contact.png").read_bytes())
        self.assertEqual(sheet[100, 100].tolist(), [200, 60, 60])
        # The next sweep into the folder tries again.
        self.assertEqual(len(floe.sweep(ball(end=1), vary, output).done), 2)

    def test_without_keep_going_a_failure_is_the_last(self):
        fake = self.failing("exit 7")
        result = floe.sweep(ball(end=1), {"ball.radius": [0.1, 0.2, 0.3]}, self.folder / "stop",
                            program_path=fake, retries=0, keep_going=False, jobs=1)
        self.assertEqual([v.state for v in result.variants], ["failed", "waiting", "waiting"])

    def test_a_killed_sweep_goes_on(self):
        output = self.folder / "killed"
        ball(end=4).save(self.folder / "ball.floe.json")
        slow = self.failing("sleep 0.3")
        command = [sys.executable, "-m", "floe.sweep", str(self.folder / "ball.floe.json"), "--vary",
                   "ball.radius=" + ",".join(str(0.1 + 0.01 * i) for i in range(12)),
                   "--output", str(output), "--jobs", "2"]
        environment = {**os.environ, "FLOE_PROGRAM": slow,
                       "PYTHONPATH": str(pathlib.Path(floe.__file__).parents[1])}

        def states():
            found = {}
            for path in output.glob("variants/*/state.json"):
                found[path] = json.loads(path.read_text())["state"]
            return found

        process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
        try:
            while list(states().values()).count("done") < 3:
                self.assertIsNone(process.poll())
                time.sleep(0.02)
            refused = subprocess.run(command, env=environment, capture_output=True, text=True)
            self.assertEqual(refused.returncode, 1)
            self.assertIn("another sweep", refused.stderr)
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
        left = states()
        done = {p: p.stat().st_mtime_ns for p, state in left.items() if state == "done"}
        self.assertLess(len(done), 12)
        self.assertIn("running", left.values(), "what was in flight says so")
        after = subprocess.run(command, env=environment, capture_output=True, text=True)
        self.assertEqual(after.returncode, 0, after.stderr)
        self.assertIn("12 of 12 variants are done", after.stdout)
        self.assertEqual(set(states().values()), {"done"})
        for path, when in done.items():
            self.assertEqual(path.stat().st_mtime_ns, when, "not simulated again")


class Farms(Case):
    def prepared(self, **options):
        folder = self.folder / "a farm's"
        slurm, template = sweeps.submit_later(drawn(end=2), {"ball.radius": [0.1, 0.2, 0.3]}, folder,
                                              **options)
        return folder, slurm, template

    def test_tasks_of_an_array_job(self):
        folder, slurm, _ = self.prepared(jobs=2)
        text = slurm.read_text()
        self.assertIn("#SBATCH --array=1-3%2\n", text)
        self.assertFalse((folder / "index.html").exists())

        def task(number):
            environment = {**os.environ, "SLURM_ARRAY_TASK_ID": str(number)}
            return subprocess.run(["sh", slurm], env=environment).returncode

        self.assertEqual([task(2), task(3)], [0, 0])
        self.assertFalse((folder / "index.html").exists(), "one is not done yet")
        before = {path: path.stat().st_mtime_ns for path in folder.glob("variants/*/state.json")}
        self.assertEqual([task(2), task(1)], [0, 0])
        for path, when in before.items():
            self.assertEqual(path.stat().st_mtime_ns, when, "what is done is kept")
        self.assertEqual(task(4), 1)
        self.assertIn("take one of 1 to 3", (folder / "task-4.log").read_text())
        result = floe.Sweep.open(folder)
        self.assertEqual((len(result.done), [v.values["ball.radius"] for v in result.variants]),
                         (3, [0.1, 0.2, 0.3]))
        self.assertIn("3 of 3 variants are done", (folder / "index.html").read_text())
        # The same sweep on this machine has nothing left to do.
        again = floe.sweep(drawn(end=2), {"ball.radius": [0.1, 0.2, 0.3]}, folder)
        self.assertEqual([v.attempts for v in again.done], [1, 1, 1])

    def test_a_job_template_does_the_same(self):
        """Its commands, with parameters resolved as the specification says."""
        folder, _, path = self.prepared()
        template = json.loads(path.read_text())
        self.assertEqual(template["specificationVersion"], "jobtemplate-2023-09")
        values = {f"Param.{p['name']}": p["default"] for p in template["parameterDefinitions"]}
        simulate, collect = template["steps"]
        self.assertEqual(collect["dependencies"], [{"dependsOn": "Simulate"}])
        space, = simulate["parameterSpace"]["taskParameterDefinitions"]
        first, last = map(int, space["range"].split("-"))
        for step, tasks in ((simulate, range(first, last + 1)), (collect, [0])):
            for task in tasks:
                values["Task.Param.Variant"] = str(task)
                run = step["script"]["actions"]["onRun"]
                command = [re.sub(r"{{(.*?)}}", lambda name: values[name.group(1)], part)
                           for part in (run["command"], *run["args"])]
                done = subprocess.run(command, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("3 of 3 variants are done", done.stdout)

    def test_another_version_does_not_take_part(self):
        folder, _, _ = self.prepared()
        about = json.loads((folder / "sweep.json").read_text())
        about["floe"] = "floe 0.0.9"
        (folder / "sweep.json").write_text(json.dumps(about))
        with self.assertRaises(floe.FloeError) as caught:
            sweeps.run_task(folder, 1)
        self.assertIn("prepared by floe 0.0.9", str(caught.exception))
        for text in ("{", "{}", '{"floe": "1", "threads": 1, "retries": 1, "devices": [], "fps": 1,'
                     '"variants": [{"name": "../../../../tmp/x", "values": {}}]}'):
            (folder / "sweep.json").write_text(text)
            with self.assertRaises(floe.FloeError):
                sweeps.run_task(folder, 1)

    def test_cards_are_asked_for_and_shared(self):
        script = farm.slurm_script(self.folder, 5, 2, None, "floe", True)
        self.assertIn("#SBATCH --gpus=1\n", script)
        self.assertIn("#SBATCH --array=1-5\n", script)
        with self.assertRaises(floe.FloeError):
            sweeps.prepare(ball(), {"ball.radius": [0.1]}, self.folder / "x",
                           devices=["cpu", "cuda:0"])


class Command(Case):
    def floe(self, *arguments, **environment):
        return subprocess.run([FLOE, "sweep", *map(str, arguments)], capture_output=True, text=True,
                              env={**os.environ, **environment}, cwd=self.folder)

    def test_it_is_a_command_of_floe(self):
        ball(end=1).save(self.folder / "ball.floe.json")
        (self.folder / "numpy.py").write_text("raise SystemExit('taken from the current folder')")
        done = self.floe("ball.floe.json", "--vary", "ball.radius=0.1,0.2", "--set",
                         "jello.poissonRatio=0.2", "--device", "cpu,cpu")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 of 2 variants are done", done.stdout)
        self.assertTrue((self.folder / "out/ball-sweep/table.csv").is_file())
        self.assertIn("floe sweep", self.floe("--help").stdout)
        self.assertEqual(self.floe("ball.floe.json", "--vary", "jello.poissonRatio=0.7").returncode, 3)
        self.assertEqual(self.floe("--vary", "ball.radius=1").returncode, 2)

    def test_what_is_missing_is_said(self):
        bare = self.folder / "bare-python"
        bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "$@"\n')
        bare.chmod(0o755)
        for python, text in ((self.folder / "none", "cannot be started"), (bare, "has no NumPy")):
            done = self.floe("--help", FLOE_PYTHON=str(python))
            self.assertEqual(done.returncode, 1)
            self.assertIn(str(python), done.stderr)
            self.assertIn(text, done.stderr)
            self.assertIn("python3-numpy", done.stderr)


def movie_frames(path, width, height):
    raw = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24",
                          "-"], capture_output=True, check=True).stdout
    return np.frombuffer(raw, np.uint8).reshape(-1, height, width, 3)


if __name__ == "__main__":
    main()
