"""The command of this package: its path, its arguments and its errors."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

BINARY = Path(__file__).parent / "bin" / ("forecaster.exe" if sys.platform == "win32" else "forecaster")


class ForecasterError(RuntimeError):
    """The command has failed; the text is what it printed."""


class UsageError(ForecasterError, ValueError):
    """An argument or a setting is wrong."""


class ForecasterWarning(UserWarning):
    """What the command prints beside its results, such as gaps in the data."""


def settings_of(settings: Mapping[str, Any] | None) -> list[str]:
    """The arguments for keys of the configuration, such as ``{"model.exogenous": ["price"]}``."""
    return [a for key, value in (settings or {}).items() for a in ("--set", f"{key}={value if isinstance(value, str) else json.dumps(value)}")]


def option(name: str, value: object) -> list[str]:
    """The argument of a flag; nothing for None, the default of the command."""
    if value is None:
        return []
    if isinstance(value, Sequence) and not isinstance(value, str):
        value = ",".join(map(str, value))
    return [f"--{name}={value}"]


def failure(code: int, text: str) -> ForecasterError:
    """The exception for an exit code, with the text that the command printed."""
    text = text.strip().removeprefix("forecaster: ")
    return (UsageError if code == 2 else ForecasterError)(text or f"forecaster ended with exit code {code}")


def run(*args: str) -> str:
    """Runs the command and returns what it writes. Its remarks become warnings of the caller."""
    done = subprocess.run([BINARY, *args], capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL)
    remarks = [line for line in done.stderr.splitlines() if not line.startswith(("assumed:", "forecasts:"))]
    if done.returncode:
        raise failure(done.returncode, "\n".join(remarks))
    if remarks:
        warnings.warn("\n".join(remarks), ForecasterWarning, stacklevel=3)
    return done.stdout
