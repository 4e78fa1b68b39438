"""The command `floe report`: one page of a run; see floe.reports. With --watch, the page of a run that goes on,
from a server on this machine alone."""

import argparse
import hmac
import http.server
import pathlib
import secrets
import sys
import urllib.parse
from typing import Any, List, Optional

from .errors import FloeError
from .picture import write_whole
from .reports import Run, body, page

_SECONDS = 2  # between looks at a run that goes on

_FOLLOW = """<script>
(async () => {
  for (;;) {
    await new Promise(done => setTimeout(done, %d));
    try {
      const answer = await fetch('body' + location.search);
      if (answer.ok) document.querySelector('main').innerHTML = await answer.text();
    } catch (error) { document.title = '(ended) ' + document.title.replace('(ended) ', ''); }
  }
})();
</script>""" % (1000 * _SECONDS)


def _now(folder: pathlib.Path) -> str:
    """What there is to see of a run that goes on, or has not begun."""
    try:
        return body(Run(folder), live=True)
    except FloeError as error:
        return f"<p>{'The run has not begun yet.' if not (folder / 'run.json').exists() else error}</p>"


class _Handler(http.server.BaseHTTPRequestHandler):
    """Answers who has the token with the page, or what is in it; nothing can be changed."""

    server: "_Server"
    timeout = 10

    def do_GET(self) -> None:
        asked = urllib.parse.urlsplit(self.path)
        token = urllib.parse.parse_qs(asked.query).get("token", [""])[0]
        # Another site's page could reach this server under a name of its own (DNS rebinding).
        host = (self.headers.get("Host") or "").rsplit(":", 1)[0]
        if host not in ("127.0.0.1", "localhost") or not hmac.compare_digest(
                token.encode(), self.server.token.encode()):
            self._answer(403, "This page needs the token that 'floe' printed.")
        elif asked.path == "/":
            folder = self.server.folder
            self._answer(200, page(_now(folder), folder.name, _FOLLOW))
        elif asked.path == "/body":
            self._answer(200, _now(self.server.folder))
        else:
            self._answer(404, "There is no such page.")

    def _answer(self, code: int, text: str) -> None:
        content = text.encode()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        pass


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, folder: pathlib.Path, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.folder = folder
        self.token = secrets.token_hex(16)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/?token={self.token}"

    def handle_error(self, *_: Any) -> None:
        pass  # who asked has gone


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(
        prog="floe report", description="Makes one page of a run: movie or pictures, plots, messages, versions, "
        "how to make it again. It needs no server and no other file.")
    parser.add_argument("folder", help="output folder of 'floe run'")
    parser.add_argument("-o", "--output", help="the page (FOLDER/report.html)")
    parser.add_argument("--watch", action="store_true",
                        help="show a run while it goes on, at an address of this machine that is printed")
    parser.add_argument("--port", type=int, default=0, help="of --watch; a free one")
    options = parser.parse_args(arguments)
    folder = pathlib.Path(options.folder)
    try:
        if options.watch:
            if not 0 <= options.port <= 65535:
                raise FloeError(f"{options.port} is no port", cure="take one of 0 to 65535")
            with _Server(folder.resolve(), options.port) as server:
                print(f"watch it at {server.address}", flush=True)
                server.serve_forever()
        run = Run(folder)
        output = pathlib.Path(options.output) if options.output else folder / "report.html"
        write_whole(output, page(body(run), f"{folder.resolve().name}: {run.result}").encode())
        print(output)
    except (FloeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 5 if isinstance(error, OSError) else 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
