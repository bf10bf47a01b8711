"""TLS over memory buffers, so that the socket itself stays ours to read with kernel stamps."""

from __future__ import annotations

import asyncio
import functools
import socket
import ssl

import httpx

from probes.exchange import Ending
from probes.transport.failure import TransportError, describe_os_error

READ_BYTES = 65_536


@functools.cache
def make_tls_context() -> ssl.SSLContext:
    """One context a process: making it costs tens of ms. `SSL_CERT_FILE` and `SSL_CERT_DIR` are honoured."""
    context = httpx.create_ssl_context(verify=True, trust_env=True)
    context.set_alpn_protocols(["http/1.1"])
    return context


class TlsLayer:
    """Ciphertext in, plaintext out and the reverse; holds no socket."""

    def __init__(self, context: ssl.SSLContext, host: str) -> None:
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._object = context.wrap_bio(self._incoming, self._outgoing, server_hostname=host)

    async def shake_hands(self, sock: socket.socket) -> None:
        """Raises TransportError(TLS)."""
        loop = asyncio.get_running_loop()
        try:
            while not self._advance():
                if pending := self._outgoing.read():
                    await loop.sock_sendall(sock, pending)
                received = await loop.sock_recv(sock, READ_BYTES)
                if not received:
                    raise TransportError(Ending.TLS, "the server hung up during the TLS handshake")
                self._incoming.write(received)
            if pending := self._outgoing.read():
                await loop.sock_sendall(sock, pending)
        except ssl.SSLError as error:
            raise TransportError(Ending.TLS, _describe(error)) from None
        except OSError as error:
            raise TransportError(Ending.TLS, describe_os_error(error)) from None

    def _advance(self) -> bool:
        try:
            self._object.do_handshake()
        except ssl.SSLWantReadError:
            return False
        return True

    def encrypt(self, plain: bytes) -> bytes:
        self._object.write(plain)
        return self._outgoing.read()

    def decrypt(self, cipher: bytes) -> tuple[bytes, bool]:
        """The plaintext so far and whether the peer closed the session. Raises ssl.SSLError for broken records."""
        self._incoming.write(cipher)
        parts: list[bytes] = []
        while True:
            try:
                part = self._object.read(READ_BYTES)
            except ssl.SSLWantReadError:
                return b"".join(parts), False
            except ssl.SSLZeroReturnError:
                part = b""
            if not part:
                return b"".join(parts), True
            parts.append(part)

    def take_pending(self) -> bytes:
        """Bytes the session itself wants sent (key updates)."""
        return self._outgoing.read()


def _describe(error: ssl.SSLError) -> str:
    """OpenSSL's words without the host name that a mismatch would quote."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the certificate is not trusted: {error.verify_message.partition(',')[0]}"
    return f"the TLS handshake failed: {(error.reason or 'unknown').replace('_', ' ').lower()}"
