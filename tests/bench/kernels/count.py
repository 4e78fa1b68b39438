#!/usr/bin/env python3
"""What compiled CUDA kernels consist of: instructions, what they read and write, registers, stack.

Usage: count.py FILE [--arch 90] [--match TEXT] [--json FILE] [--check FILE]

FILE: an object, archive or library with machine code for that compute capability, 7.0 or later. The code itself is read, so no tool of
CUDA's is needed. Counts are of the code, with what a kernel calls: where loops are unrolled, as in the step's kernels, what a thread
executes for a particle is in it once, beside cases that are rare; so less of it is less work, but its number is not that of a run.

--check FILE: fails where a kernel that FILE (written with --json) lists is gone, or has more instructions, bytes or stack than it says,
beyond 3 %. Exits with 77 where there is no such code, or another compiler than FILE's made it."""

import argparse
import json
import pathlib
import struct
import subprocess
import sys

SKIPPED = 77
TOLERANCE = 1.03
INSTRUCTION_BYTES = 16
NOP = 0x918
# Memory instructions by opcode, their lowest 12 bits: LDG and LD, STG and ST, LDS and STS, LDL and STL.
MEMORY = {0x980: "read", 0x981: "read", 0x381: "read", 0x385: "written", 0x985: "written", 0x386: "written", 0x986: "written",
          0x984: "shared", 0x388: "shared", 0x988: "shared", 0x983: "local", 0x387: "local", 0x987: "local"}
ATOMICS = {0x98E, 0x9A8, 0x3A8, 0x9A9, 0x3A9}  # on global memory
WIDTHS = (1, 1, 2, 2, 4, 8, 16, 4)  # bytes, by bits 73 to 75
REGISTER_COUNT, FRAME_SIZE = 0x2F, 0x11  # attributes of .nv.info
COLUMNS = ["instructions", "read", "written", "atomics", "shared", "local", "registers", "stack", "room"]
HELD = ["instructions", "read", "written", "local", "stack"]


def sections(elf):
    """Name, bytes and size of each section of a 64-bit ELF file."""
    offset, = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<HHH", elf, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", elf, offset + i * size) for i in range(count)]
    if count == 0:  # more than 16 bits hold
        first = struct.unpack_from("<IIQQQQIIQQ", elf, offset)
        count, names = first[5], first[6]
        headers = [struct.unpack_from("<IIQQQQIIQQ", elf, offset + i * size) for i in range(count)]
    text = elf[headers[names][4]:headers[names][4] + headers[names][5]]
    for header in headers:
        name = text[header[0]:text.index(b"\0", header[0])].decode()
        yield name, b"" if header[1] == 8 else elf[header[4]:header[4] + header[5]], header[5]


def machine_code(data, arch):
    """The programs for a compute capability among all that a file holds, as ELF files."""
    at = data.find(struct.pack("<I", 0xBA55ED50))
    while at >= 0:
        header, size = struct.unpack_from("<6xHQ", data, at)
        entry, end = at + header, at + header + size
        while entry < end:
            kind, _, its_header, payload = struct.unpack_from("<HHIQ", data, entry)
            if its_header == 0:
                raise ValueError("an entry without a header")
            program = data[entry + its_header:entry + its_header + payload]
            its_arch, = struct.unpack_from("<I", data, entry + 28)
            if kind == 2 and its_arch == arch:
                if program[:4] != b"\x7fELF":
                    sys.exit("error: the machine code is compressed; compile with nvcc --compress-mode=none")
                yield program
            entry += its_header + payload
        at = data.find(struct.pack("<I", 0xBA55ED50), at + 4)


def symbols(elf):
    table = dict((name, content) for name, content, _ in sections(elf) if name in (".symtab", ".strtab"))
    names = table[".strtab"]
    for at in range(0, len(table[".symtab"]), 24):
        name, = struct.unpack_from("<I", table[".symtab"], at)
        yield names[name:names.index(b"\0", name)].decode()


def attributes(info, wanted):
    """Symbol and value of an attribute of .nv.info."""
    at = 0
    while at + 4 <= len(info):
        form, attribute, size = struct.unpack_from("<BBH", info, at)
        at += 4
        if form != 4:  # the value is where the size would be
            continue
        if attribute == wanted:
            yield struct.unpack_from("<II", info, at)
        at += size


def count(elf):
    """Counts of each kernel by its mangled name."""
    names = list(symbols(elf))
    every = list(sections(elf))
    info = b"".join(content for name, content, _ in every if name == ".nv.info")
    registers = {names[symbol]: value for symbol, value in attributes(info, REGISTER_COUNT)}
    frames = {names[symbol]: value for symbol, value in attributes(info, FRAME_SIZE)}
    shared = {name.removeprefix(".nv.shared."): size for name, _, size in every if name.startswith(".nv.shared.")}
    for name, code, _ in every:
        kernel = name.removeprefix(".text.")
        if kernel == name:
            continue
        found = dict.fromkeys(COLUMNS, 0)
        for low, high in struct.iter_unpack("<QQ", code):
            opcode = low & 0xFFF
            found["instructions"] += opcode != NOP
            found["atomics"] += opcode in ATOMICS
            if kind := MEMORY.get(opcode):
                found[kind] += WIDTHS[high >> 9 & 7]
        # Beside the kernel's own frame that of each function that it calls.
        found["stack"] = sum(size for symbol, size in frames.items() if symbol == kernel or symbol.startswith(f"${kernel}$"))
        found["registers"], found["room"] = registers.get(kernel, 0), shared.get(kernel, 0)
        yield kernel, found


def short(names):
    """Names without namespaces, arguments and what is the same in all."""
    plain = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True).stdout.splitlines()
    for name in plain:
        depth, end = 0, len(name)
        for i, letter in enumerate(name):
            depth += (letter == "<") - (letter == ">")
            if letter == "(" and depth == 0:
                end = i
                break
        words = name[:end].removeprefix("void ")
        for noise in ("floe::mpm::cuda::device_kernels::", "floe::physics::cuda::", "floe::"):
            words = words.replace(noise, "")
        yield words


def compiler(elf):
    """What compiled it, as it says itself."""
    for name, content, _ in sections(elf):
        if name.startswith(".note.nv.tk"):
            for word in content.split(b"\0"):
                if word.startswith(b"Cuda compilation tools"):
                    return word.decode()
    return "unknown"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--arch", type=int, default=90)
    parser.add_argument("--match", default="", help="only kernels with this in their names")
    parser.add_argument("--json", default="", help="write the counts there, too")
    parser.add_argument("--check", default="", help="compare with counts that were written")
    arguments = parser.parse_args()
    found, made_by = {}, "unknown"
    try:
        for elf in machine_code(pathlib.Path(arguments.file).read_bytes(), arguments.arch):
            counts = dict(count(elf))
            found |= zip(short(counts), counts.values())
            made_by = compiler(elf)
    except OSError as error:
        sys.exit(f"error: {error}")
    except (struct.error, LookupError, ValueError):
        sys.exit(f"error: {arguments.file} is damaged or cut short; build it again")
    if not found:
        print(f"{arguments.file} has no machine code for compute capability {arguments.arch / 10}")
        sys.exit(SKIPPED)
    found = {name: counts for name, counts in sorted(found.items()) if arguments.match in name}

    if arguments.check:
        try:
            held = json.loads(pathlib.Path(arguments.check).read_text())
        except (OSError, ValueError) as error:
            sys.exit(f"error: {arguments.check}: {error}")
        if held["compiler"] != made_by:
            print(f"compiled by {made_by}, not by {held['compiler']}")
            sys.exit(SKIPPED)
        faults = [f"{name}: is gone" for name in held["kernels"] if name not in found]
        for name in held["kernels"].keys() & found.keys():
            for column in HELD:
                was, now = held["kernels"][name][column], found[name][column]
                if now > TOLERANCE * was:
                    faults.append(f"{name}: {column} {now}, were {was}")
        if faults:
            sys.exit("\n".join(sorted(faults) + [f"If that is meant, write {arguments.check} again with --json."]))
        print(f"{len(held['kernels'])} kernels have no more than they had")
        return
    print(f"{made_by}\n\n| kernel | {' | '.join(COLUMNS)} |")
    print("|---|" + "---:|" * len(COLUMNS))
    for name, counts in found.items():
        print(f"| `{name}` | {' | '.join(str(counts[column]) for column in COLUMNS)} |")
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps({"compiler": made_by, "kernels": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
