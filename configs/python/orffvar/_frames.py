"""Functions of a whole data frame."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ._command import ForecasterError, option, run, settings_of

Frame = TypeVar("Frame")


class Data:
    """A data frame as an Arrow table, and the way back."""

    def __init__(self, frame: Any) -> None:
        self.kind = type(frame).__module__.partition(".")[0]
        if self.kind == "pandas":
            frame = self._with_index(frame)
            self.table = pa.Table.from_pandas(frame, preserve_index=False)
        elif isinstance(frame, pa.Table) or hasattr(frame, "__arrow_c_stream__"):
            self.table = pa.table(frame)
        else:
            raise TypeError(f"a data frame of pandas or polars, or a table of Arrow, not {type(frame).__name__}")
        if self.table.num_rows == 0:
            raise ForecasterError("the frame has no rows")
        self.long = {"unique_id", "ds", "y"} <= set(self.table.column_names)
        times = [f.type for f in self.table.schema if pa.types.is_temporal(f.type)]
        self.seconds = False  # whole numbers were read as seconds since 1970
        self.time_type = self.table.schema.field("ds").type if self.long else times[0] if times else pa.string()

    @staticmethod
    def _with_index(frame: Any) -> Any:
        """Makes a column of the times in an index of pandas."""
        import pandas as pd

        if isinstance(frame, pd.Series):
            frame = frame.to_frame(name="y" if frame.name is None else frame.name)
        if isinstance(frame.index, pd.PeriodIndex):
            frame = frame.set_axis(frame.index.to_timestamp())
        if isinstance(frame.index, pd.DatetimeIndex):
            frame = frame.rename_axis(index=frame.index.name or "time").reset_index()
        return frame.rename(columns=str)

    def write(self, directory: str) -> list[str]:
        """Writes the table as a Parquet file and returns the arguments with which it is read."""
        path, table = Path(directory) / "data.parquet", self.table.replace_schema_metadata()
        if not self.long:
            pq.write_table(table, path)
            return [str(path)]
        at = table.column_names.index("unique_id")
        pq.write_table(table.set_column(at, "unique_id", table["unique_id"].cast(pa.string())), path)  # numbers are no names
        return [str(path), *settings_of({"input.csv.series_column": "unique_id", "input.csv.time_column": "ds"})]

    def ids(self, column: Any) -> Any:
        """Names of series as the frame has them: as numbers, say, or categories."""
        t = self.table.schema.field("unique_id").type
        return column if "string" in str(t) and not pa.types.is_dictionary(t) else column.cast(t)

    def find_unit(self, times: Any) -> None:
        """Finds whether whole numbers were read as seconds: the times of rows are numbers of such a column then."""
        if pa.types.is_temporal(self.time_type) or len(times) == 0:
            return
        numbers = times.cast(pa.timestamp("s"), safe=False).cast(pa.int64()).unique()
        for name in ["ds"] if self.long else self.table.column_names:
            t = self.table.schema.field(name).type
            if pa.types.is_integer(t) and pc.all(pc.is_in(numbers, value_set=self.table[name].cast(pa.int64()))).as_py():
                self.seconds, self.time_type = True, t
                return

    def times(self, column: Any) -> Any:
        """Times in UTC as the frame has times: with its zone, or without one, or as dates, or as steps."""
        t = self.time_type
        if self.seconds:
            return column.cast(pa.timestamp("s"), safe=False).cast(pa.int64()).cast(t)
        zone = t.tz if pa.types.is_timestamp(t) else None
        column = column.cast(pa.timestamp("ns", zone or "UTC"))
        if zone is None:
            column = pc.local_timestamp(column)
        try:
            return column.cast(t if pa.types.is_timestamp(t) or pa.types.is_date(t) else pa.timestamp("ns"))
        except pa.ArrowInvalid:  # the unit of the frame is too coarse
            return column

    def back(self, table: Any) -> Any:
        """A table in the library of the frame."""
        if self.kind == "pandas":
            return table.to_pandas()
        if self.kind == "polars":
            import polars

            return polars.from_arrow(table)
        return table


def flags(model: str | None, season: int | None, seed: int | None, time_zone: str | None, known_inputs: bool, settings: Mapping[str, Any] | None) -> list[str]:
    """The arguments that all functions have."""
    return [*option("model", model), *option("season", season), *option("seed", seed), *option("time-zone", time_zone),
            *(["--known-inputs"] if known_inputs else []), *settings_of(settings)]


def forecast(
    data: Frame, horizon: int = 1, *, levels: Sequence[float] = (0.9,), model: str | None = None, season: int | None = None,
    seed: int | None = None, time_zone: str | None = None, known_inputs: bool = False, settings: Mapping[str, Any] | None = None,
) -> Frame:
    """Learns a frame and forecasts the next ``horizon`` steps of each series.

    Of a long frame it returns ``unique_id``, ``ds``, ``yhat`` and for each level bounds such as
    ``yhat-lo-90`` and ``yhat-hi-90``, of a wide one ``time``, ``target``, and the same. A bound that is not
    known yet is null. With ``known_inputs`` the last rows may have exogenous inputs
    (``settings={"model.exogenous": [...]}``) only.
    """
    options = flags(model, season, seed, time_zone, known_inputs, settings)
    return written("forecast", data, horizon, levels, options, known=False)


def replay(
    data: Frame, horizon: int = 1, *, levels: Sequence[float] = (0.9,), model: str | None = None, season: int | None = None,
    seed: int | None = None, time_zone: str | None = None, known_inputs: bool = False, settings: Mapping[str, Any] | None = None,
) -> Frame:
    """Forecasts every row of a frame before it is learnt, as if it came live.

    The columns are those of :func:`forecast`, with ``cutoff``, the time of the last row before the forecast
    was made, and ``y``, the value that came; null after the end of the frame.
    """
    options = flags(model, season, seed, time_zone, known_inputs, settings)
    return written("replay", data, horizon, levels, options, known=True)


def written(verb: str, data: Frame, horizon: int, levels: Sequence[float], options: list[str], known: bool) -> Frame:
    """The forecasts that a verb writes; if ``known``, with ``cutoff`` and ``y``."""
    frame = Data(data)
    with tempfile.TemporaryDirectory() as directory:
        out = str(Path(directory) / "forecasts.parquet")
        run(verb, *frame.write(directory), f"--horizon={horizon}", f"--out={out}", *options, *settings_of({"model.levels": list(levels)}))
        rows = pq.read_table(out, memory_map=False)
    frame.find_unit(rows["origin"])
    first = rows.take(list(range(0, rows.num_rows, max(1, len(levels)))))  # the levels of a forecast follow each other
    columns: dict[str, Any] = {}
    if frame.long:
        columns["unique_id"] = frame.ids(first["series"])
    columns["ds" if frame.long else "time"] = frame.times(first["time"])
    if not frame.long:
        columns["target"] = first["target"]
    if known:
        columns |= {"cutoff": frame.times(first["origin"]), "y": first["y"]}
    columns["yhat"] = first["yhat"]
    for i, level in enumerate(levels):
        own = rows.take(list(range(i, rows.num_rows, len(levels))))
        for side, column in (("lo", "yhat_lower"), ("hi", "yhat_upper")):
            columns[f"yhat-{side}-{100 * level:.10g}"] = own[column]
    result: Frame = frame.back(pa.table(columns))
    return result


def evaluate(
    data: Frame, horizon: int = 1, *, models: Sequence[str] | None = None, season: int | None = None, seed: int | None = None,
    time_zone: str | None = None, known_inputs: bool = False, settings: Mapping[str, Any] | None = None,
) -> Frame:
    """Runs models over a frame and returns a row of scores for each model and horizon.

    Every sample is first the target of the forecasts made before it, then it is learnt. The columns
    are those of ``forecaster evaluate --output json``: mse, mae, nmse, coverage, skill and others.
    """
    frame = Data(data)
    with tempfile.TemporaryDirectory() as directory:
        text = run("evaluate", *frame.write(directory), f"--horizon={horizon}", "--output=json", *option("models", models),
                   *flags(None, season, seed, time_zone, known_inputs, settings))
    result: Frame = frame.back(pa.Table.from_pylist(json.loads(text)["results"]))
    return result


ANOMALIES = ("series", "from", "to", "rows", "score", "view", "new_normal")
LEADING = ("observed", "expected", "lower", "upper")


def anomalies(
    data: Frame, *, model: str | None = None, season: int | None = None, seed: int | None = None, time_zone: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Frame:
    """Scores each row of a frame before learning from it, and returns a row for each anomaly.

    ``from`` and ``to`` are its first and last time, ``score`` the highest score (above 1: an alarm), ``view``
    the cause, ``variable`` the leading variable with the ``observed`` and the ``expected`` value.
    """
    frame = Data(data)
    with tempfile.TemporaryDirectory() as directory:
        text = run("anomalies", *frame.write(directory), "--top=0", "--output=json", *flags(model, season, seed, time_zone, False, settings))
    found = json.loads(text)["stretches"]
    leading = [(s["variables"] or [{}])[0] for s in found]
    columns: dict[str, Any] = {name: [s[name] for s in found] for name in ANOMALIES}
    stretches = {name: pa.array(columns[name], pa.string()).cast(pa.timestamp("ns", "UTC")) for name in ("from", "to")}
    frame.find_unit(stretches["from"])
    columns |= {name: frame.times(times) for name, times in stretches.items()}
    columns["variable"] = pa.array([v.get("name") for v in leading], pa.string())
    columns |= {name: pa.array([v.get(name) for v in leading], pa.float64()) for name in LEADING}
    result: Frame = frame.back(pa.table(columns))
    return result
