"""The server's half of a TLS session over memory buffers, so that the lab's sockets keep their kernel stamps."""

from __future__ import annotations

import ssl

READ_BYTES = 65_536


class ServerSession:
    """Ciphertext in, plaintext out and the reverse; holds no socket. Raises ssl.SSLError where the session breaks."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._object = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._is_open = False

    def decrypt(self, cipher: bytes) -> bytes:
        """The plaintext so far; empty while the handshake goes on."""
        self._incoming.write(cipher)
        parts: list[bytes] = []
        try:
            if not self._is_open:
                self._object.do_handshake()
                self._is_open = True
            while part := self._object.read(READ_BYTES):
                parts.append(part)
        except ssl.SSLWantReadError:
            pass
        return b"".join(parts)

    def encrypt(self, plain: bytes) -> bytes:
        self._object.write(plain)
        return self._outgoing.read()

    def take_pending(self) -> bytes:
        """What the session itself wants sent: the handshake's half, tickets."""
        return self._outgoing.read()
