"""A forecaster that is fed row by row."""

from __future__ import annotations

import json
import math
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timezone
from types import TracebackType
from typing import Any, NamedTuple, SupportsFloat

from ._command import BINARY, ForecasterError, UsageError, failure, option, run, settings_of
from ._frames import Data, flags


class RefusedError(ForecasterError):
    """A row was refused; the forecaster goes on with the next one."""


class Forecast(NamedTuple):
    """The forecast of one variable for one time."""

    series: str
    target: str
    time: datetime  #: with the zone UTC, to the microsecond
    horizon: int  #: steps ahead
    yhat: float
    intervals: dict[float, tuple[float, float]]  #: lower and upper bound by level; NaN: not known yet


class Forecaster:
    """Learns online: each row is answered with the forecasts after it.

    The forecasts are those of ``forecaster replay`` for the same rows. ``history`` is a frame that is learnt
    first; of a wide one the series is "data", of a long one ``unique_id``. With a directory ``state`` the models go
    on from the checkpoint there and leave one, every ten seconds and when the forecaster is closed.
    """

    def __init__(
        self, horizon: int = 1, *, levels: Sequence[float] = (0.9,), history: Any = None, state: str | None = None, model: str | None = None,
        season: int | None = None, seed: int | None = None, settings: Mapping[str, Any] | None = None,
    ) -> None:
        self._directory = tempfile.TemporaryDirectory()
        args = [f"--horizon={horizon}", *flags(model, season, seed, None, False, settings), *settings_of({"model.levels": list(levels)}), "--series=data"]
        self._process: subprocess.Popen[str] | None = None
        try:
            if history is not None:
                state = state or self._directory.name
                run("replay", *Data(history).write(self._directory.name), f"--state={state}", *args)
            self._errors = tempfile.TemporaryFile("w+", encoding="utf-8")
            self._process = subprocess.Popen(
                [BINARY, "forecast", "-", "--follow", *option("state", state), *args, "--set", "input.json.series_field=unique_id"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, encoding="utf-8")
        except BaseException:
            self._directory.cleanup()
            raise

    def update(self, row: Mapping[Any, SupportsFloat | None], time: datetime | str | float, series: str = "data") -> list[Forecast]:
        """Learns a row, a value for each variable, and returns the forecasts after it.

        None and NaN are missing values. A time without a zone is one of UTC, a number seconds since 1970.
        The first rows of a series have no forecast.
        """
        process = self._process
        if process is None:
            raise ValueError("the forecaster is closed")
        if not hasattr(row, "items"):
            raise UsageError(f"a row is a dictionary with a value for each variable, not {type(row).__name__}")
        if not isinstance(time, (datetime, str, int, float)):
            raise UsageError(f"a time is a datetime, a text or a number of seconds since 1970, not {type(time).__name__}")
        if isinstance(time, datetime):
            time = (time if time.tzinfo else time.replace(tzinfo=timezone.utc)).isoformat()
        values = {str(name): _number(value) for name, value in row.items()}
        assert process.stdin and process.stdout
        try:
            process.stdin.write(json.dumps({"time": time, "unique_id": series, "values": values}) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise self._ended(process)
        answer = json.loads(line)
        if "refused" in answer:
            raise RefusedError(answer["refused"])
        return [_forecast(p) for p in answer["forecasts"]]

    def close(self) -> None:
        """Ends the process, which leaves a checkpoint if there is a ``state``."""
        process, self._process = self._process, None
        if process is None:
            return
        error = self._ended(process)
        if process.returncode:
            raise error

    def _ended(self, process: subprocess.Popen[str]) -> ForecasterError:
        """Waits for the end of the process and returns what it printed."""
        self._process = None
        assert process.stdin and process.stdout
        with suppress(BrokenPipeError):
            process.stdin.close()
        process.wait()
        process.stdout.close()
        self._directory.cleanup()
        with self._errors as errors:
            errors.seek(0)
            return failure(process.returncode, errors.read())

    def __enter__(self) -> Forecaster:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _number(value: SupportsFloat | None) -> float | None:
    """A value for JSON, None for what is missing."""
    if value is None:
        return None
    number = float(value)
    if math.isinf(number):  # JSON has no spelling for it
        raise RefusedError(f"non_finite: {number} is not a finite number; a missing value is None or NaN")
    return None if math.isnan(number) else number


def _forecast(p: dict[str, Any]) -> Forecast:
    def bound(v: float | None) -> float:
        return math.nan if v is None else float(v)

    whole, _, fraction = p["time"].removesuffix("Z").partition(".")
    time = datetime.fromisoformat(whole).replace(microsecond=int(fraction[:6].ljust(6, "0") or 0), tzinfo=timezone.utc)
    intervals = {i["level"]: (bound(i["yhat_lower"]), bound(i["yhat_upper"])) for i in p["intervals"]}
    return Forecast(p["series"], p["target"], time, p["horizon"], bound(p["yhat"]), intervals)
