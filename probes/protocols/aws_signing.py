"""SigV4 through botocore's signer, the optional extra `bedrock`; or a Bedrock API key as a bearer token.

The endpoint's key is `ACCESS_KEY_ID:SECRET_ACCESS_KEY[:SESSION_TOKEN]`, or a key without colons. Raises CannotAskError.
"""

from __future__ import annotations

import re

from probes.endpoint import Endpoint
from probes.protocols.protocol import CannotAskError, PreparedRequest

SERVICE = "bedrock"
MISSING_EXTRA = "signing for Bedrock needs the extra: pip install 'provider-leaderboard[bedrock]'"
REGION_IN_HOST = re.compile(r"//bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\.")


def sign_request(endpoint: Endpoint, request: PreparedRequest) -> PreparedRequest:
    """The same request with its Authorization header; unsigned where the endpoint has no key."""
    if not endpoint.api_key:
        return request
    if ":" not in endpoint.api_key:
        headers = {**request.headers, "authorization": f"Bearer {endpoint.api_key}"}
    else:
        headers = _sign(endpoint.api_key, _region_of(endpoint), request)
    return PreparedRequest(request.method, request.url, headers, request.body)


def _region_of(endpoint: Endpoint) -> str:
    found = REGION_IN_HOST.search(endpoint.base_url)
    region = endpoint.region or (found.group(1) if found else None)
    if not region:
        raise CannotAskError("Bedrock needs a region: set the endpoint's region or use a regional base URL")
    return region


def _sign(key: str, region: str, request: PreparedRequest) -> dict[str, str]:
    try:
        from botocore.auth import SigV4Auth
        from botocore.awsrequest import AWSRequest
        from botocore.credentials import Credentials
    except ImportError:
        raise CannotAskError(MISSING_EXTRA) from None
    access_key, secret, token = (*key.split(":", 2), None)[:3]
    # Only what AWS requires is signed: anything that a proxy may touch would break the signature.
    signable = AWSRequest(
        request.method, request.url, {"content-type": request.headers["content-type"]}, request.body
    )
    SigV4Auth(Credentials(access_key, secret, token), SERVICE, region).add_auth(signable)
    return {**request.headers, **{name.lower(): value for name, value in signable.headers.items()}}
