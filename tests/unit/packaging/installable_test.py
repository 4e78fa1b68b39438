"""The target `installable` makes every file of the build that the install rules copy, and the first of these rules
builds it where something is missing. Argument: the folder of a build with Ninja."""
import pathlib
import re
import sys

build = pathlib.Path(sys.argv[1]).resolve()


def statements():
    """(outputs, inputs of all kinds) of each build statement."""
    text = (build / "build.ninja").read_text().replace("$\n", " ")
    for line in re.findall(r"^build (.*)$", text, re.MULTILINE):
        outputs, _, inputs = line.partition(": ")
        yield [[word.replace("$ ", " ").replace("$:", ":") for word in re.findall(r"(?:\$.|\S)+", part)
                if word not in ("|", "||", "|@")] for part in (outputs, inputs)]


makers = {}
for outputs, inputs in statements():
    for output in outputs:
        makers[output] = (outputs, inputs[1:])  # without the rule


def made_by(target):
    seen, todo = set(), [target]
    while todo:
        name = todo.pop()
        if name not in seen and name in makers:
            seen.update(makers[name][0])
            todo += makers[name][1]
    return {(build / name).resolve() for name in seen}


def copied():
    """Files below the build that any rule copies."""
    for script in build.rglob("cmake_install.cmake"):
        for files in re.findall(r"file\(INSTALL DESTINATION [^)]*? FILES([^)]*)\)", script.read_text()):
            yield from (path for path in map(pathlib.Path, re.findall(r'"([^"]+)"', files)) if path.is_relative_to(build))


installable = made_by("installable")
everything = {(build / name).resolve() for name in makers}
wanted = {path for path in copied() if path.resolve() in everything or not path.exists()}
missing = sorted(str(path) for path in wanted if path.resolve() not in installable)
print(f"{len(wanted)} files are copied, {len(missing)} of them not made by 'installable'", *missing, sep="\n    ")
if len(wanted) < 20:
    sys.exit("hardly any rules were found")
text = (build / "cmake_install.cmake").read_text()
first, copies = text.find("--target installable"), text.find("file(INSTALL")
parts = text.find("include(")  # the rules of the folders below
if first < 0 or first > min(at for at in (copies, parts) if at >= 0):
    sys.exit("files are copied before 'installable' is built")
sys.exit(1 if missing else 0)
