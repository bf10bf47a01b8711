"""One question sent, in as many requests as its protocol needs, as one exchange with one clock and one deadline."""

from __future__ import annotations

import json
import logging
import ssl
import time
from dataclasses import dataclass, replace

from probes.endpoint import Endpoint, Limits
from probes.exchange import Ending, Exchange
from probes.json_access import JsonObject, object_of
from probes.protocols import Ask, CannotAskError, PreparedRequest, get_protocol
from probes.reader import StreamReader
from probes.transport import exchange_request

logger = logging.getLogger(__name__)

NS_PER_S = 1_000_000_000
LEAST_WAIT_S = 0.001


@dataclass(frozen=True, slots=True)
class Sending:
    """How to send; `send` may be called again for another question."""

    endpoint: Endpoint
    limits: Limits
    counts_connecting: bool
    tls_context: ssl.SSLContext | None

    async def send(self, ask: Ask) -> tuple[Exchange, str | None]:
        """The exchange, and what was wrong on our side."""
        try:
            if self.endpoint.api_key is not None and not self.endpoint.api_key.strip():
                return _never_sent("the key is empty: set the variable that holds it"), "missing_key"
            exchange = await self._ask(ask)
        except CannotAskError as error:
            return _never_sent(str(error)), "cannot_ask"
        except Exception as error:  # the edge where a bug becomes a result that alarms
            return _never_sent(describe_bug(error)), "bug"
        return exchange, "bad_url" if exchange.ending is Ending.OURS else None

    async def _ask(self, ask: Ask) -> Exchange:
        protocol = get_protocol(self.endpoint.protocol)
        request = protocol.prepare(self.endpoint, ask)
        exchange = await self._exchange(request, self.limits)
        if protocol.follow is None:
            return exchange
        created = _read_created(exchange)
        if created is None:
            return exchange
        following = protocol.follow(self.endpoint, request, created)
        if following is None:
            return replace(exchange, ending=Ending.NOT_STREAMED)
        return join(exchange, await self._exchange(following, _left_of(self.limits, exchange)))

    async def _exchange(self, request: PreparedRequest, limits: Limits) -> Exchange:
        return await exchange_request(
            request,
            limits=limits,
            watcher=StreamReader(self.endpoint.protocol, limits=limits),
            public_only=self.endpoint.public_only,
            counts_connecting=self.counts_connecting,
            tls_context=self.tls_context,
        )


def _read_created(exchange: Exchange) -> JsonObject | None:
    """What the first request made; None where it failed and is the whole answer."""
    is_whole = exchange.ending in {Ending.CLOSED, Ending.TERMINAL}
    if exchange.status is None or not 200 <= exchange.status < 300 or not is_whole:
        return None
    try:
        return object_of(json.loads(b"".join(chunk.body for chunk in exchange.chunks))) or None
    except (ValueError, RecursionError):
        return None


def _left_of(limits: Limits, first: Exchange) -> Limits:
    """What the first request has left of the waits: one deadline covers both."""
    used_s = (time.perf_counter_ns() - first.sent_ns) / NS_PER_S
    return replace(
        limits,
        first_token_s=max(limits.first_token_s - used_s, LEAST_WAIT_S),
        deadline_s=max(limits.deadline_s - used_s, LEAST_WAIT_S),
    )


def join(first: Exchange, second: Exchange) -> Exchange:
    """The second answer, timed from the first request's t0: work begins when that one arrives.

    Connecting is told of the first; the second's stands inside the wait, as it does for every client of such an API.
    """
    lags_ms = [one.client_lag_ms for one in (first, second) if one.client_lag_ms is not None]
    return replace(
        second,
        sent_ns=first.sent_ns,
        dns_ms=first.dns_ms,
        tcp_ms=first.tcp_ms,
        tls_ms=first.tls_ms,
        client_lag_ms=max(lags_ms, default=None),
        clock_stepped=first.clock_stepped or second.clock_stepped,
        kernel_stamped=first.kernel_stamped and second.kernel_stamped,
    )


def _never_sent(text: str) -> Exchange:
    now_ns = time.perf_counter_ns()
    return Exchange(sent_ns=now_ns, ended_ns=now_ns, ending=Ending.OURS, error=text)


def describe_bug(error: Exception) -> str:
    """Kind and place only: the text of an unforeseen error could quote a header."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = f"{place.tb_frame.f_code.co_name}:{place.tb_lineno}" if place is not None else "?"
    logger.error("probe ended on a bug of ours: %s in %s", type(error).__name__, where)
    return f"a bug of ours: {type(error).__name__} in {where}"
