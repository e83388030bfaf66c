"""Predict and update by stochastic gradient with random Fourier features, in numpy."""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import statistics
import time

import numpy as np

SAMPLES, BLOCK, MU = 512, 16, 0.5


def median(step, samples):
    """Median time of step in ns a sample, of nine runs of 10 ms or more."""

    def timed(calls):
        start = time.thread_time_ns()
        for _ in range(calls):
            step()
        return time.thread_time_ns() - start

    calls = 1
    while timed(calls) < 10e6:
        calls *= 2
    return statistics.median(timed(calls) / calls / samples for _ in range(9))


def measure(d, D, m):
    rng = np.random.default_rng(1)
    x = rng.standard_normal((SAMPLES, m))
    y = np.sin(x[:, np.arange(d) % m])
    w = rng.standard_normal((D, m))
    scale = 1 / np.sqrt(D)
    theta, phi = np.zeros((d, 2 * D)), np.empty(2 * D)
    t = 0

    def one():
        nonlocal t
        angle = w @ x[t]
        np.cos(angle, out=phi[:D])
        np.sin(angle, out=phi[D:])
        np.multiply(phi, scale, out=phi)
        e = y[t] - theta @ phi
        np.add(theta, np.outer(MU * e, phi), out=theta)
        t = (t + 1) % SAMPLES

    phis = np.empty((BLOCK, 2 * D))

    def many():
        nonlocal t
        angles = x[t : t + BLOCK] @ w.T
        np.cos(angles, out=phis[:, :D])
        np.sin(angles, out=phis[:, D:])
        np.multiply(phis, scale, out=phis)
        e = y[t : t + BLOCK] - phis @ theta.T
        np.add(theta, (MU / BLOCK) * (e.T @ phis), out=theta)
        t = (t + BLOCK) % SAMPLES

    single = median(one, 1)
    theta[:] = 0
    t = 0
    return single, median(many, BLOCK)


print(f"| outputs, frequencies, inputs | one by one, ns a sample | mini-batch of {BLOCK} |")
print("| --- | ---: | ---: |")
for shape in [(5, 100, 5), (18, 100, 18), (31, 100, 31), (3, 300, 3), (31, 100, 93), (100, 1000, 100)]:
    single, many = measure(*shape)
    print(f"| {shape[0]}, {shape[1]}, {shape[2]} | {single:.0f} | {many:.0f} |", flush=True)
