"""The wheel, installed in a fresh virtual environment without a network, passes the package's tests.

Usage: wheel_test.py SOURCE_FOLDER FLOE"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile


def main():
    source, floe = pathlib.Path(sys.argv[1]).resolve(), os.path.abspath(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="floe-wheel-") as name:
        folder = pathlib.Path(name)
        subprocess.run([source / "packaging/wheel.sh", folder], check=True,
                       env={**os.environ, "PYTHON": sys.executable})
        wheel, = folder.glob("floe-*-py3-none-any.whl")
        version = re.search(r"project\(floe VERSION (\S+)", (source / "CMakeLists.txt").read_text())
        assert wheel.name.split("-")[1] == version.group(1), "the wheel has the project's version"
        inside = zipfile.ZipFile(wheel).namelist()
        for needed in ("floe/py.typed", "floe/nodes.pyi", "floe/stubs.py", "floe/sweep.py", "floe/scenes/grammar.py"):
            assert needed in inside, needed
        venv = folder / "venv"
        # Its NumPy is the system's: nothing is fetched.
        subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", venv], check=True)
        python = venv / "bin/python"
        subprocess.run([python, "-m", "pip", "--quiet", "--disable-pip-version-check", "install",
                        "--no-index", "--no-deps", wheel], check=True)
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        environment["FLOE_PACKAGE"] = str(venv)
        tests = source / "tests/python/package"
        for part, chosen in (("graph", ["Files", "Stubs"]), ("session", ["Frames.test_particles_fall_as_bodies_do",
                                         "Servers.test_a_killed_server_is_an_exception_and_the_"
                                         "next_session_works"]),
                             ("report", ["Pages.test_a_page_has_everything_in_it"]),
                             ("scenes", ["Constraints", "Scenes.test_graphs_are_valid"]),
                             ("lerobot", ["Tables.test_tables_come_back", "Demonstrations.test_episodes_come_back"]),
                             ("rosbridge", ["Protocol.test_topics_and_services_over_both"]),
                             ("driven", ["ManyWorlds.test_one_is_reset_while_the_others_go_on"]),
                             ("documentation", ["Documentation.test_examples_of_docstrings"])):
            subprocess.run([python, tests / f"{part}_test.py", source, floe, *chosen], check=True,
                           env=environment, cwd=folder)


if __name__ == "__main__":
    main()
