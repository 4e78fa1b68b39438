"""What the documentation shows is there: files that it links; subcommands and options, their graphs, and
parameters that can have the values set.

Usage: documentation_test.py FLOE SOURCE_FOLDER"""

import pathlib
import re
import shlex
import subprocess
import sys

COMMAND = re.compile(r"^ {4}(?:[A-Z_]+=\S+ )*(?:build/bin/)?floe ((?:[a-z-]+)\b.*)$", re.MULTILINE)

LINK = re.compile(r"\]\(([^)\s#]+)[^)]*\)")


def help_of(floe, words):
    """The help of the subcommand that `words` begin with."""
    command = []
    for word in words[:2]:
        if not re.fullmatch(r"[a-z-]+", word):
            break
        told = subprocess.run([floe, *command, word, "--help"], capture_output=True, text=True)
        if told.returncode != 0:
            break
        command.append(word)
    if not command:
        return None
    return subprocess.run([floe, *command, "--help"], capture_output=True, text=True).stdout


def faults_of(floe, source, line):
    words = shlex.split(line, comments=True)
    told = help_of(floe, words)
    if told is None:
        return [f"no such command: floe {words[0]}"]
    faults = [f"no option {word}" for word in re.findall(r"(?<![\w.-])--[a-z-]+", line.split(" #")[0])
              if not re.search(re.escape(word) + r"(?![a-z-])", told)]
    graphs = [word for word in words if word.startswith("graphs/")]
    settings = [words[i + 1] for i, word in enumerate(words[:-1]) if word == "--set"]
    if words[0] == "run" and graphs:
        check = [floe, "validate", graphs[0]]
        for setting in settings:
            check += ["--set", setting]
        result = subprocess.run(check, cwd=source, capture_output=True, text=True)
        if result.returncode != 0:
            faults.append(result.stderr.strip() or result.stdout.strip())
    return faults


def main():
    floe, source = sys.argv[1], pathlib.Path(sys.argv[2])
    shown = 0
    broken = []
    pages = [source / "README.md"]
    for folder in ("runtime", "editor", "graphs", "plugins", "tests", "packaging"):
        pages += sorted((source / folder).rglob("*.md"))
    linked = 0
    for page in pages:
        for target in LINK.findall(page.read_text()):
            linked += 1
            if not re.match(r"[a-z]+:", target) and not (page.parent / target).exists():
                broken.append(f"{page.relative_to(source)}: no file {target}")
        for line in COMMAND.findall(re.sub(r"\\\n\s*", "", page.read_text())):
            shown += 1
            broken += [f"{page.relative_to(source)}: floe {line}: {fault}"
                       for fault in faults_of(floe, source, line)]
    for fault in broken:
        print(fault)
    print(f"{shown} commands, {linked} links, {len(broken)} faults")
    if shown < 15 or linked < 50:  # the patterns no longer find them
        sys.exit("hardly any commands or links were found")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
