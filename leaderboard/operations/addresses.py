"""Host names and ports: what is free, and by which names the board may be asked for."""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import socket

from leaderboard.operations.embedded.child import ServiceError


def bindable_port(host: str, port: int) -> int:
    """`port` itself, or a free one for 0; ServiceError where it cannot be had."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (socket.gaierror, UnicodeError):
        raise ServiceError(f"--host {host} is not an address of this machine; try 127.0.0.1.") from None
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(address)
            listener.listen(1)
        except OSError as error:
            raise ServiceError(why_not_bindable(host, port, error)) from None
        return int(listener.getsockname()[1])


def why_not_bindable(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"Port {port} on {host} is in use; stop its user or choose another with --port (0: a free one)."
        )
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"Port {port} needs rights this user lacks; choose one above 1023 with --port."
    return f"{host} is not an address of this machine; try --host 127.0.0.1."


def preferred_port(host: str, wished: int) -> int:
    """`wished` where it is free, else any free one."""
    try:
        return bindable_port(host, wished)
    except ServiceError:
        return bindable_port(host, 0)


def is_wildcard(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def reachable_host(host: str) -> str:
    """Where this machine itself reaches a server bound to `host`."""
    if is_wildcard(host):
        return "::1" if ":" in host else "127.0.0.1"
    return host


def in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def names_served(host: str) -> list[str]:
    """Names and addresses under which a board bound to `host` is asked for; loopback is always allowed anyway."""
    if not is_wildcard(host):
        return [in_url(host)]
    names = {in_url(host), socket.gethostname(), socket.getfqdn()}
    with contextlib.suppress(OSError):
        for _, _, _, _, address in socket.getaddrinfo(socket.gethostname(), None):
            names.add(in_url(str(address[0]).partition("%")[0]))
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as route:
        route.connect(("192.0.2.1", 9))  # sends nothing: only asks which of our addresses faces outwards
        names.add(str(route.getsockname()[0]))
    return sorted(name for name in names if name)
