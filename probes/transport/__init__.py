"""One request over one fresh connection, every read stamped before anything else sees it.

Nothing here raises for what a network or a server does: whatever happens ends as an Exchange. Redirects are not
followed and proxies from the environment are not used, so that a key never reaches a host it was not meant for.
Failure texts hold no header, no key and no address.
"""

from probes.transport.exchanging import Watcher, exchange_request
from probes.transport.tls import make_tls_context

__all__ = ["Watcher", "exchange_request", "make_tls_context"]
