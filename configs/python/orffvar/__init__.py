"""Online forecasts of multivariate time series: data frames in, data frames out.

The functions run the command ``forecaster`` of this package on a Parquet file, and return what it
writes, to the last digit. Frames are those of pandas or polars, or any object with the Arrow
PyCapsule interface (``__arrow_c_stream__``), in one of two forms:

- wide: times in a column, or in a DatetimeIndex of pandas, and a column for each variable;
- long: the columns ``unique_id``, ``ds`` and ``y`` of Nixtla's libraries, one series for each ``unique_id``.

What the command refuses is a :class:`ForecasterError` with its text.
"""

from ._command import ForecasterError, ForecasterWarning, UsageError
from ._frames import anomalies, evaluate, forecast, replay
from ._session import Forecast, Forecaster, RefusedError

__all__ = [
    "Forecast", "Forecaster", "ForecasterError", "ForecasterWarning", "RefusedError", "UsageError",
    "anomalies", "evaluate", "forecast", "replay",
]
