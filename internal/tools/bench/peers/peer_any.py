"""Other models on any file, with the origins of `forecaster evaluate` and its error measures beside them.

    python3 peer_any.py FILE.csv --forecaster ./forecaster --horizons 1,24 --score-rows 2000:2500

FILE has a time in the first column and a variable in each other. Each model has at each origin the rows up to it,
and no more. Maps and trees are refitted every --refit origins; the models of statsforecast and FLAIR have the last
--context rows, and their parameters are found again every --refit origins. The season is that which auto has found by the
end of the file, unless --season says another. The errors of persistence must be those of evaluate, else the script stops.
"""
import argparse
import json
import subprocess
import sys
import time
import warnings

import numpy as np
import pandas as pd

MODELS = ["persistence", "seasonal", "ridge", "lightgbm", "ets", "theta", "mstl", "flair"]
MOST_LAGS = 400  # of a ridge map
DAY = 86400
FREQUENCIES = {  # seconds between rows, by the names of FLAIR
    "S": 1, "10S": 10, "T": 60, "5T": 300, "10T": 600, "15T": 900, "30T": 1800, "H": 3600,
    "D": DAY, "W": 7 * DAY, "M": 30.4 * DAY, "Q": 91 * DAY, "A": 365 * DAY,
}


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("file")
    p.add_argument("--forecaster", default="forecaster", help="the binary")
    p.add_argument("--horizons", default="1,12", help="separated by commas")
    p.add_argument("--score-rows", required=True, help="targets A:B that count, counted from 0; B may be left out")
    p.add_argument("--models", default=",".join(MODELS))
    p.add_argument("--season", type=int, help="in rows; 1: none")
    p.add_argument("--refit", type=int, default=500)
    p.add_argument("--context", type=int, default=1000)
    a = p.parse_args()
    a.horizons = sorted({int(h) for h in a.horizons.split(",")})
    a.models = a.models.split(",")
    for name in a.models:
        if name not in MODELS:
            p.error(f"--models: {name} is none of {', '.join(MODELS)}")
    return a


def evaluate(a):
    """The report of the forecaster on the file."""
    command = [a.forecaster, "evaluate", a.file, "--models", "auto", "--horizons", ",".join(map(str, a.horizons)),
               "--score-rows", a.score_rows, "--output", "json"]
    if a.season:
        command += ["--season", str(a.season)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


class File:
    """The rows, each missing value replaced by the one before for the models, but never scored."""

    def __init__(self, a):
        table = pd.read_csv(a.file)
        self.truth = table.iloc[:, 1:].to_numpy(float)
        self.x = pd.DataFrame(self.truth).ffill().fillna(0).to_numpy()
        self.n, self.d = self.x.shape
        begin, end = a.score_rows.split(":")
        self.begin, self.end = int(begin or 0), min(int(end or self.n), self.n)
        self.calendar, self.frequency = np.zeros((self.n, 0)), "A"
        stamps = table.iloc[:, 0]
        if not pd.api.types.is_numeric_dtype(stamps):
            times = pd.to_datetime(stamps, utc=True, format="ISO8601")
            t = times.dt
            self.calendar = np.column_stack([t.hour * 60 + t.minute, t.dayofweek, t.dayofyear])
            step = times.diff().median().total_seconds()
            self.frequency = min(FREQUENCIES, key=lambda f: abs(np.log(FREQUENCIES[f] / step)))

    def origins(self, h):
        """The rows from which the scored targets are h steps ahead."""
        return np.arange(max(self.begin - h, 0), self.end - h)

    def measures(self, forecasts):
        """The errors of forecasts, {h: origins x d}, as evaluate counts them."""
        for h, f in forecasts.items():
            y = self.truth[self.origins(h) + h]
            scored = ~np.isnan(y)
            squares, sizes = np.where(scored, (y - f) ** 2, np.nan), np.where(scored, np.abs(y - f), np.nan)
            variances = np.nanvar(y, 0)
            moves = variances > 0
            yield h, {
                "n": int(scored.any(1).sum()), "mse": np.nanmean(np.nanmean(squares, 1)), "mae": np.nanmean(np.nanmean(sizes, 1)),
                "nmse": np.mean(np.nanmean(squares, 0)[moves] / variances[moves]) if moves.any() else np.nan,
            }


def persistence(file, a, h):
    return file.x[file.origins(h)]


def seasonal(file, a, h):
    back = -(-h // a.season) * a.season
    return file.x[np.maximum(file.origins(h) + h - back, 0)]


def lag_lists(a):
    short = range(1, min(max(24, a.season + 2), MOST_LAGS))
    around = [k * a.season + o for k in (1, 2, 7) for o in (-1, 0, 1) if a.season > 1]
    return sorted(set(short) | {lag for lag in around if lag > 0})


def refitted(file, a, h, inputs, fit, least):
    """Forecasts of a model that is refitted on the targets known at its first origin, for each column.

    inputs(t, j) are the features at the origins t, fit(features, targets) returns a function of features, least is the
    first row with all features. The last value is subtracted from the targets.
    """
    origins = file.origins(h)
    out = np.empty((len(origins), file.d))
    for at in range(0, len(origins), a.refit):
        t = origins[at:at + a.refit]
        past = np.arange(min(least, max(t[0] - h - 50, 0)), t[0] - h + 1)
        for j in range(file.d):
            out[at:at + a.refit, j] = file.x[t, j]
            if len(past) >= 20:
                past_j = past[~np.isnan(file.truth[past + h, j])]
                model = fit(inputs(past_j, j), file.x[past_j + h, j] - file.x[past_j, j])
                out[at:at + a.refit, j] += model(inputs(t, j))
    return out


def lagged(file, t, j, lags):
    last = file.x[t, j]
    return np.column_stack([file.x[np.maximum(t - lag, 0), j] - last for lag in lags])


def ridge(file, a, h, penalty=10.):
    before = max(-(-h // a.season) * a.season - h, 1)  # the lag one season before the target
    lags = sorted({*lag_lists(a), before})

    def inputs(t, j):
        return np.column_stack([lagged(file, t, j, lags), file.x[t, j]])

    def fit(features, targets):
        mean, size = features.mean(0), features.std(0) + 1e-12
        z = (features - mean) / size
        w = np.linalg.solve(z.T @ z + penalty * np.eye(z.shape[1]), z.T @ (targets - targets.mean()))
        return lambda f: targets.mean() + (f - mean) / size @ w
    return refitted(file, a, h, inputs, fit, max(lags))


def lightgbm(file, a, h):
    """120 trees of 31 leaves on lags and their means, phase, calendar and level; not tuned."""
    import lightgbm as lgb
    lags = lag_lists(a)
    total = np.vstack([np.zeros(file.d), np.cumsum(file.x, 0)])
    options = {"num_leaves": 31, "learning_rate": .05, "num_threads": 1, "seed": 1, "verbose": -1}

    def inputs(t, j):
        last = file.x[t, j]
        means = [(total[t + 1, j] - total[np.maximum(t + 1 - k, 0), j]) / np.minimum(k, t + 1) - last for k in (4, 24, max(a.season, 2))]
        return np.column_stack([lagged(file, t, j, lags), *means, last, (t + h) % a.season, file.calendar[t]])

    def fit(features, targets):
        booster = lgb.train(options, lgb.Dataset(features, targets), 120)
        return lambda f: booster.predict(f, num_threads=1)
    return refitted(file, a, h, inputs, fit, max(lags))


def statistical(make):
    """Forecasts of a model of statsforecast for all horizons: found every refit origins, filtered in between."""
    def run(file, a):
        first, last = file.origins(a.horizons[-1])[0], file.end - a.horizons[0]
        paths = np.empty((last - first, a.horizons[-1], file.d))
        for j in range(file.d):
            model = None
            for t in range(first, last):
                y = file.x[max(t + 1 - a.context, 0):t + 1, j]
                if len(y) < 10 or y.min() == y.max():
                    paths[t - first, :, j] = y[-1]
                    continue
                if (t - first) % a.refit == 0 or model is None:
                    model = make(1 if len(y) < 2 * a.season + 5 else a.season)
                    model.fit(y)
                paths[t - first, :, j] = model.forward(y, a.horizons[-1])["mean"]
        return {h: paths[file.origins(h) - first, h - 1] for h in a.horizons}
    return run


def ets(season):
    from statsforecast.models import AutoETS
    return AutoETS(season_length=season if season <= 24 else 1)  # longer ones it refuses


def theta(season):
    from statsforecast.models import AutoTheta
    return AutoTheta(season_length=season)


def mstl(season):
    from statsforecast.models import MSTL, AutoETS
    return MSTL(season_length=season) if season > 1 else AutoETS()


def flair(file, a):
    """FLAIR keeps nothing: each origin is fitted from scratch. The forecast is the mean of its 200 paths."""
    from flaircast import forecast
    first, last = file.origins(a.horizons[-1])[0], file.end - a.horizons[0]
    paths = np.empty((last - first, a.horizons[-1], file.d))
    for t in range(first, last):
        for j in range(file.d):
            y = file.x[max(t + 1 - a.context, 0):t + 1, j]
            paths[t - first, :, j] = y[-1] if len(y) < 10 else forecast(y, a.horizons[-1], file.frequency, seed=1).mean(0)
    return {h: paths[file.origins(h) - first, h - 1] for h in a.horizons}


SEVERAL = {"ets": statistical(ets), "theta": statistical(theta), "mstl": statistical(mstl), "flair": flair}


def main():
    warnings.filterwarnings("ignore")
    a = arguments()
    file, ours = File(a), evaluate(a)
    a.season = a.season or max(ours["baseline_season"], 1)
    print(f"{ours['dataset']}: season of {a.season}, targets {file.begin}:{file.end}\n")
    print("| model | horizon | n | mse | mae | nmse | nmse skill vs persistence | seconds |\n|---|---|---|---|---|---|---|---|")
    base = {s["horizon"]: s["nmse"] for s in ours["baselines"] if s["model"] == "persistence"}

    def line(name, h, m, seconds=""):
        skill = 1 - m["nmse"] / base[h] if m["nmse"] is not None and base[h] else np.nan
        print(f"| {name} | {h} | {m['n']} | {m['mse']:.5g} | {m['mae']:.5g} | {m['nmse']:.4f} | {skill:.3f} | {seconds} |", flush=True)

    for score in ours["results"]:
        line("forecaster", score["horizon"], score)
    for name in a.models:
        begun = time.process_time()
        if name in SEVERAL:
            forecasts = SEVERAL[name](file, a)
        else:
            forecasts = {h: globals()[name](file, a, h) for h in a.horizons}
        seconds = f"{time.process_time() - begun:.1f}"
        for h, m in file.measures(forecasts):
            line(name, h, m, seconds)
            if name == "persistence" and not np.isclose(m["nmse"], base[h], rtol=1e-9):
                sys.exit(f"persistence has the nmse {base[h]} in evaluate: the targets are others")


main()
