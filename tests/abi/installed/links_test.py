"""Every link of the installed pages leads to something that is installed. Argument: the installation."""
import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)\s]+)\)")
MUST = ["share/doc/floe/README.md", "share/doc/floe/command-line.md", "share/doc/floe/protocol.md",
        "share/doc/floe/python.md", "share/doc/floe/sdk.md", "share/doc/floe/changes.md", "share/doc/floe/manual/index.md"]


def anchors(page):
    """As GitHub makes them."""
    heads = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def main():
    prefix = pathlib.Path(sys.argv[1])
    faults = [f"{page} is not installed" for page in MUST if not (prefix / page).is_file()]
    links = 0
    for page in sorted((prefix / "share").rglob("*.md")):
        for link in LINK.findall(page.read_text()):
            if re.match(r"[a-z]+:", link):
                continue
            links += 1
            path, _, anchor = link.partition("#")
            target = (page.parent / path) if path else page
            if not target.resolve().is_relative_to(prefix.resolve()) or not target.exists():
                faults.append(f"{page.relative_to(prefix)}: no file {path}")
            elif anchor and target.suffix == ".md" and anchor not in anchors(target):
                faults.append(f"{page.relative_to(prefix)}: no heading {link}")
    print(*faults, f"{links} links, {len(faults)} faults", sep="\n")
    if links < 40:
        sys.exit("hardly any links were found")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
