"""The signing key of a board that was given none: made once, kept beside its data, readable by its owner only."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def kept_secret_key(data_dir: Path) -> str:
    """The key in the data dir, made on first use; a throw-away one where the data dir cannot be written."""
    path = data_dir / "secret_key"
    try:
        return path.read_text().strip()
    except FileNotFoundError:
        pass
    except OSError:
        return secrets.token_urlsafe(50)
    key = secrets.token_urlsafe(50)
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text().strip()
    except OSError:
        return key
    with os.fdopen(descriptor, "w") as file:
        file.write(key)
    return key
