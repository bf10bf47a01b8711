"""Prepared requests, opened for the tests."""

from __future__ import annotations

import json
from typing import Any

from probes.endpoint import Endpoint
from probes.protocols import Ask, PreparedRequest, prepare

KEY = "key-0123456789abcdef"


def ask(**fields: Any) -> Ask:
    return Ask(**{"prompt": "Tell me of tides.", "max_output_tokens": 64, "request_id": "r-1", **fields})


def prepare_request(
    protocol: str, base_url: str, *, question: Ask | None = None, **fields: Any
) -> tuple[PreparedRequest, dict[str, Any]]:
    """The request and its JSON body; the key may stand in headers only."""
    endpoint = Endpoint(
        **{"protocol": protocol, "base_url": base_url, "model": "tall-7b", "api_key": KEY, **fields}
    )
    request = prepare(endpoint, question or ask())
    assert KEY not in request.url
    assert KEY.encode() not in request.body
    assert KEY not in repr(request)
    assert KEY not in repr(endpoint)
    assert request.headers["accept-encoding"] == "identity"
    assert request.headers["x-request-id"] == "r-1"
    return request, json.loads(request.body)
