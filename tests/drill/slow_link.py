"""A line to the database that can be made slow: a port on loopback, each piece of bytes held back for a while."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from pathlib import Path


class SlowLink:
    """Forwards to a unix socket; `delay_s` may be changed while it runs and counts once in each direction."""

    def __init__(self, socket: Path) -> None:
        self.socket = socket
        self.delay_s = 0.0
        self.port = 0
        self._writers: set[asyncio.StreamWriter] = set()
        self._is_up = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    def __enter__(self) -> SlowLink:
        self._thread.start()
        assert self._is_up.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(10)

    async def _serve(self) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._is_up.set()
        await self._end.wait()
        server.close()
        for writer in list(self._writers):
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there_reader, there_writer = await asyncio.open_unix_connection(str(self.socket))
        self._writers |= {writer, there_writer}
        await asyncio.gather(self._carry(reader, there_writer), self._carry(there_reader, writer))
        self._writers -= {writer, there_writer}

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while piece := await reader.read(65_536):
                await asyncio.sleep(self.delay_s)
                writer.write(piece)
                await writer.drain()
        writer.close()
