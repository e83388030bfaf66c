"""Ridge maps and gradient-boosted trees on ETTm2 at single horizons, for docs/design/0003.

Errors are mean squares in standard deviations of rows 0:6000; origins are rows 7500 onwards. Each
model has learnt the targets that were known at its last refit.
"""
import sys

import lightgbm as lgb
import numpy as np

rows = np.genfromtxt(sys.argv[1], delimiter=",", skip_header=1)[:, 1:]
stamps = np.genfromtxt(sys.argv[1], delimiter=",", skip_header=1, usecols=0, dtype="datetime64[s]")
n, d = rows.shape
train, begin = 6000, 7500  # rows of the scale, first scored origin
x = rows / rows[:train].std(0)
seconds = stamps.astype("int64")
quarter, weekday = seconds % 86400 // 900, (seconds // 86400 + 3) % 7


def report(name, h, forecast):
    """forecast: origins begin .. n-h-1, d columns."""
    m = ((forecast - x[begin + h:]) ** 2).mean(0)
    print(f"{name:14s} h={h:2d}  without LULL {np.delete(m, 5).mean():.3f}  all {m.mean():.3f}", flush=True)


def ridge(lags, h, every=750, penalty=10.0):
    """One map of the lags of a column, shared by the columns, with the last value subtracted."""
    out = np.empty((n - h - begin, d))
    gram, prod, upto = np.zeros((lags, lags)), np.zeros(lags), lags - 1

    def inputs(lo, hi, j):  # origins lo .. hi-1
        w = np.lib.stride_tricks.sliding_window_view(x[lo - lags + 1:hi, j], lags)[:, ::-1]
        return w - w[:, :1]
    for start in range(begin, n - h, every):
        known = start - h + 1  # targets of the origins before it are known
        for j in range(d):
            a = inputs(upto, known, j)
            gram += a.T @ a
            prod += a.T @ (x[upto + h:known + h, j] - x[upto:known, j])
        upto = known
        w = np.linalg.solve(gram + penalty * np.eye(lags), prod)
        stop = min(start + every, n - h)
        for j in range(d):
            out[start - begin:stop - begin, j] = x[start:stop, j] + inputs(start, stop, j) @ w
    return out


LAGS = sorted(set(list(range(1, 25)) + [32, 40, 48, 56, 64, 72, 80, 88, 94, 95, 96, 97, 98, 144, 191, 192, 193, 288, 384, 480, 576, 672]))


def trees(h, every=5625):
    """120 trees of 31 leaves on lags and their means, quarter-hour, weekday and column; not tuned."""
    out = np.empty((n - h - begin, d))
    total = np.vstack([np.zeros(d), np.cumsum(x, 0)])

    def inputs(t, j):
        last = x[t, j]
        cols = [x[t - l, j] - last for l in LAGS]
        cols += [(total[t + 1, j] - total[t + 1 - k, j]) / k - last for k in (4, 24, 96, 672)]
        cols += [quarter[t], weekday[t], np.full(len(t), j)]
        return np.column_stack(cols)
    for start in range(begin, n - h, every):
        t = np.arange(672, start - h + 1, 2)
        a = np.vstack([inputs(t, j) for j in range(d)])
        y = np.concatenate([x[t + h, j] - x[t, j] for j in range(d)])
        m = lgb.LGBMRegressor(n_estimators=120, num_leaves=31, learning_rate=.05, n_jobs=1, random_state=1, verbose=-1).fit(a, y)
        stop = min(start + every, n - h)
        t = np.arange(start, stop)
        for j in range(d):
            out[start - begin:stop - begin, j] = x[t, j] + m.booster_.predict(inputs(t, j), num_threads=1)
    return out


for h in (24, 48, 96):
    report("last value", h, x[begin:n - h])
    report("ridge, 96", h, ridge(96, h))
    report("ridge, 336", h, ridge(336, h))
    report("trees", h, trees(h))
