"""Engine flags as an operator types them: kept are those that change speed, dropped is whatever may tell a secret.

Three nets: the flag's name must speak of speed, must not speak of a key, an address or a path, and its values must
be short words and numbers, in which no host name, address, path or key fits.
"""

from __future__ import annotations

import re
import shlex

OF_SPEED = re.compile(
    r"attention|backend|batch|block|cache|chunk|compile|concurr|context|ctx|cuda|decode|disagg|draft|dtype|eager"
    r"|expert|flash|fuse|gpu|graph|kernel|kv|layers|(^|-)len|lora|max|mem|min|mlock|mmap|moe|mtp|no-|num|numa|offload"
    r"|overlap|parallel|precision|predict|prefill|prefix|quant|queue|rope|sched|seqs|shard|size|slots|spec|split|swap"
    r"|thread|token|torch|wait|^(c|b|ub|t|tb|tp|pp|dp|ep|np|fa|ngl|cb|nkvo|ctk|ctv|sm|ts|mg)$",
    re.IGNORECASE,
)
OF_SECRETS_OR_PLACES = re.compile(
    r"key|secret|passw|auth|cred|cert|ssl|tls|host|addr|ur[li]|endpoint|domain|port$|(^|-)ip$|rank|node|master|peer"
    r"|rpc|server|origin|file|path|dir$|root|repo|log|user|home|env|header|api|hf-|token$|name",
    re.IGNORECASE,
)
VALUE = re.compile(r"[a-z0-9_+%-]{1,23}|-?\d+(\.\d+)?([,x]-?\d+(\.\d+)?)*[a-z%]{0,3}", re.IGNORECASE)
FLAG = re.compile(r"--?[a-zA-Z]")
PRINTED = re.compile(r"[a-zA-Z][\w-]*=")
"""The `name=value` that engines print of themselves."""
MAX_LENGTH = 1000


def cleaned_flags(text: str) -> str:
    """The flags that are safe to publish, one blank between; a text that cannot be split gives nothing."""
    try:
        words = shlex.split(text)
    except ValueError:
        return ""
    kept = [" ".join(flag) for flag in flags_in(words) if is_publishable(flag)]
    while len(" ".join(kept)) > MAX_LENGTH:
        kept.pop()
    return " ".join(kept)


def flags_in(words: list[str]) -> list[tuple[str, ...]]:
    """Words grouped as a flag with its values; words before the first flag name the program and the model."""
    groups: list[tuple[str, ...]] = []
    for word in words:
        belongs_to_flag = bool(groups) and groups[-1][0].startswith("-") and "=" not in groups[-1][0]
        if FLAG.match(word) or (PRINTED.match(word) and not belongs_to_flag):
            groups.append((word,))
        elif belongs_to_flag:
            groups[-1] += (word,)
    return groups


def is_publishable(flag: tuple[str, ...]) -> bool:
    name, has_value, value = flag[0].lstrip("-").replace("_", "-").partition("=")
    values = [value, *flag[1:]] if has_value else list(flag[1:])
    return (
        OF_SPEED.search(name) is not None
        and OF_SECRETS_OR_PLACES.search(name) is None
        and all(VALUE.fullmatch(v) for v in values)
    )
