"""A server on this machine that hands out one file, and misbehaves where it is told to."""

import hashlib
import http.server
import re

CONTENT = bytes(range(256)) * 1000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Server(http.server.ThreadingHTTPServer):
    """Serves CONTENT at any path; attributes make it misbehave."""

    daemon_threads = True
    content = CONTENT
    etag: str | None = '"v1"'
    honours_range = True
    status = 200
    break_after: list[int]  # bytes to send before the connection is dropped, one entry per request

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.break_after, self.requests = [], []
        self.url = f"http://127.0.0.1:{self.server_port}/data.bin"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        server.requests.append(dict(self.headers))
        if server.status != 200:
            self.send_error(server.status)
            return
        start, size = 0, len(server.content)
        wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        same = self.headers.get("If-Range") in (None, server.etag)
        if wanted and server.honours_range and same:
            start = int(wanted[1])
            if start >= size:
                self.send_response(416)
                self.send_header("Content-Range", f"bytes */{size}")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{size - 1}/{size}")
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(size - start))
        if server.etag:
            self.send_header("ETag", server.etag)
        self.end_headers()
        stop = start + server.break_after.pop(0) if server.break_after else size
        self.wfile.write(server.content[start:stop])

    def log_message(self, *args):
        pass
