"""Runs in a clean environment with the wheel, in a folder with macrodata.csv; see wheel_test.go."""

import json
import subprocess
import unittest
from datetime import date

import orffvar
import pandas as pd
import polars as pl

WIDE = pd.read_csv("macrodata.csv", index_col=0, parse_dates=True)


class Frames(unittest.TestCase):
    def test_digits_are_those_of_the_command(self) -> None:
        out = subprocess.run(["env/bin/forecaster", "forecast", "macrodata.csv", "--horizon=3", "--output=json"], capture_output=True, check=True).stdout
        points = json.loads(out)["forecasts"]
        f = orffvar.forecast(WIDE, 3)
        self.assertEqual(list(f.yhat), [p["yhat"] for p in points])
        self.assertEqual(list(f["yhat-lo-90"]), [p["intervals"][0]["yhat_lower"] for p in points])
        self.assertEqual(list(f["yhat-hi-90"]), [p["intervals"][0]["yhat_upper"] for p in points])
        self.assertEqual(list(f.target), [p["target"] for p in points])
        self.assertEqual([t.isoformat().replace("+00:00", "Z") for t in f.time], [p["time"] for p in points])

    def test_rows_are_those_of_replay(self) -> None:
        columns = ["target", "yhat", "yhat-lo-50", "yhat-hi-50", "yhat-lo-90", "yhat-hi-90"]
        want = orffvar.replay(WIDE, 2, levels=[0.5, 0.9])
        self.assertTrue(want.y.notna().any() and (want.cutoff < want.time).all())
        for history in (None, WIDE[:100]):
            rows = []
            with orffvar.Forecaster(2, levels=[0.5, 0.9], history=history) as forecaster:
                for time, row in WIDE[len(history) if history is not None else 0:].iterrows():
                    rows += [(f.target, f.yhat, *f.intervals[0.5], *f.intervals[0.9]) for f in forecaster.update(row, time)]
            tail = want[columns].tail(len(rows)).reset_index(drop=True)
            pd.testing.assert_frame_equal(pd.DataFrame(rows, columns=columns), tail, check_exact=True)
            self.assertGreaterEqual(len(rows), 103 * 12 * 2)

    def test_state_goes_on(self) -> None:
        with orffvar.Forecaster(state="kept", history=WIDE[:100]):
            pass
        with orffvar.Forecaster(state="kept") as forecaster:
            got = forecaster.update(WIDE.iloc[100], WIDE.index[100])
        want = orffvar.forecast(WIDE[:101])
        self.assertEqual([f.yhat for f in got], list(want.yhat))

    def test_frames_come_back_as_they_went_in(self) -> None:
        naive = WIDE[["unemp"]].tz_localize(None)
        self.assertEqual(orffvar.forecast(naive).time.dtype, "datetime64[ns]")
        berlin = WIDE[["unemp"]].tz_convert("Europe/Berlin")
        self.assertEqual(str(orffvar.forecast(berlin).time.iloc[0]), "2009-10-01 02:00:00+02:00")
        for ids in ([1, 2], ["a", "b"], [1.0, 2.0]):
            ds = [date(2026, 1, d) for d in range(1, 11)]
            long = pl.DataFrame({"unique_id": [i for i in ids for _ in ds], "ds": ds * 2, "y": list(range(20))})
            f = orffvar.forecast(long, 2, model="persistence", levels=[])
            self.assertEqual(f.schema, {"unique_id": long.schema["unique_id"], "ds": pl.Date(), "yhat": pl.Float64()})
            self.assertEqual(f.rows(), [(i, date(2026, 1, 10 + h), y) for i, y in zip(ids, (9.0, 19.0)) for h in (1, 2)])
        for first, want in ((0, [60, 61]), (1700000000, [1700000060, 1700000061]), (1960, [pd.Timestamp("2020"), pd.Timestamp("2021")])):
            steps = pd.DataFrame({"unique_id": "a", "ds": range(first, first + 60), "y": 1.0})
            self.assertEqual(list(orffvar.forecast(steps, 2, model="persistence").ds), want)
            wide = steps.rename(columns={"ds": "time", "y": "a"}).drop(columns="unique_id").assign(count=[i % 5 for i in range(60)])
            self.assertEqual(list(orffvar.forecast(wide, 2, model="persistence").time), [t for t in want for _ in ("a", "count")])
        wide = pd.DataFrame({"step": range(400), "a": [100.0 * (i == 300) + i % 7 for i in range(400)]})
        self.assertEqual([(t.dtype, t[0] // 100) for name, t in orffvar.anomalies(wide).items() if name in ("from", "to")], [("int64", 3)] * 2)
        table = orffvar.evaluate(naive.reset_index(), models=["persistence", "auto"])
        self.assertEqual(list(table.model), ["persistence", "auto"])
        self.assertIsInstance(orffvar.anomalies(pl.from_pandas(WIDE.reset_index())), pl.DataFrame)

    def test_errors(self) -> None:
        with self.assertRaisesRegex(orffvar.UsageError, r"--horizon: model.horizon: must lie in \[1, 10000\], got 0"):
            orffvar.forecast(WIDE, 0)
        with self.assertRaisesRegex(orffvar.UsageError, 'unknown key "ordr", did you mean "order"'):
            orffvar.Forecaster(settings={"model.ordr": 3}).update({"a": 1}, 0)
        with self.assertRaisesRegex(orffvar.ForecasterError, "no rows"):
            orffvar.forecast(WIDE[:0])
        with self.assertRaisesRegex(orffvar.ForecasterError, "202 late"):
            orffvar.forecast(pd.concat([WIDE, WIDE]))
        with self.assertRaisesRegex(TypeError, "not list"):
            orffvar.forecast([1, 2])
        with self.assertWarnsRegex(orffvar.ForecasterWarning, "refused: 1 duplicate"):
            orffvar.forecast(pd.concat([WIDE, WIDE[-1:]]))
        with orffvar.Forecaster(model="persistence") as forecaster:
            forecaster.update({"a": 1.5}, 60, series="x")
            with self.assertRaisesRegex(orffvar.RefusedError, "duplicate"):
                forecaster.update({"a": 1}, 60, series="x")
            with self.assertRaisesRegex(orffvar.RefusedError, "non_finite: inf"):
                forecaster.update({"a": float("inf")}, 90, series="x")
            for row, time in (([1], 90), ({"a": 1}, date(2026, 1, 1))):
                with self.assertRaises(orffvar.UsageError):
                    forecaster.update(row, time, series="x")
            (f,) = forecaster.update({"a": None}, 120, series="x")
            self.assertEqual((f.series, f.yhat), ("x", 1.5))
        with self.assertRaisesRegex(ValueError, "closed"):
            forecaster.update({"a": 1}, 180)


if __name__ == "__main__":
    unittest.main()
