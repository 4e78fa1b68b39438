#!/usr/bin/env python3
"""How many messages of a size go through floe.rosbridge to one client of this machine.

    tests/bench/agents/rosbridge.py [--kilobytes 512] [--messages 200]

The client reads whole messages and parses each, in a thread of the same process: both sides share a core. Prints a table
as Markdown.
"""

import argparse
import json
import pathlib
import socket
import struct
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "runtime/python"))

from floe import rosbridge  # noqa: E402


def receive(connection, framed, count, ready, seconds):
    file = connection.makefile("rb", 1 << 20)
    if framed:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                           b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n")
        while file.readline() != b"\r\n":
            pass
    wish = b'{"op":"subscribe","topic":"/out","queue_length":100}'
    connection.sendall(b"\x81" + bytes([0x80 | len(wish)]) + b"\0\0\0\0" + wish if framed else wish)
    ready.set()
    for number in range(count):
        if framed:
            file.read(2)
            size, = struct.unpack("!Q", file.read(8))
            data = file.read(size)
        else:
            data = file.readline()
        assert json.loads(data)["msg"]["number"] == number
        seconds.append(time.monotonic())
    file.close()


def measure(framed, size, count):
    with rosbridge.Server({"/out": "std_msgs/msg/String"}) as server:
        host, port = server.listen("0", framed).split(":")
        connection = socket.create_connection((host, int(port)))
        ready, arrived = threading.Event(), []
        reader = threading.Thread(target=receive, args=(connection, framed, count, ready, arrived))
        reader.start()
        ready.wait()
        while not server.wanted("/out"):
            time.sleep(0.01)
        message = {"data": "x" * size}
        begun = time.monotonic()
        for number in range(count):
            while number - len(arrived) > 20:  # the queue is not what is measured
                time.sleep(0.0005)
            server.publish("/out", {**message, "number": number})
        reader.join()
        connection.close()
        return arrived[-1] - begun


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--kilobytes", type=int, default=512)
    options.add_argument("--messages", type=int, default=200)
    args = options.parse_args()
    size = args.kilobytes * 1024
    print(f"| {args.messages} messages of {args.kilobytes} KB | messages/s | MB/s |\n|---|---|---|")
    for name, seconds in (("TCP", measure(False, size, args.messages)),
                          ("WebSocket", measure(True, size, args.messages))):
        rate = args.messages / seconds
        print(f"| {name} | {rate:.0f} | {rate * size / 1e6:.0f} |")


if __name__ == "__main__":
    main()
