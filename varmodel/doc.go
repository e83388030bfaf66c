// Package varmodel has the forecasters: persistence, seasonal-naive, linear
// autoregressions and ORFFVAR, the nonlinear vector autoregression with
// operator-valued random Fourier features of Brault 2017, chapter 8, in a form
// that learns online.
//
// # The regression
//
// With x_t in R^d the sample at step t, every autoregression of this package
// predicts the increment of each coordinate in units of its typical step,
//
//	x^_{t+1} = x_t + s_t * Theta^T phi(z_t, …, z_{t-p+1}),
//
// where s_t is the root mean squared difference between consecutive samples and
// z_t = (x_t - m_t)/sd_t the standardised sample, both from the past alone and
// updated at every step. The increment is limited to four typical steps, a return
// to a mean to twenty, and the forecast to the range of the past samples, widened by two steps. For VAR(p)
//
//	phi = [1, z_t, z_{t-1} - z_t, …, z_{t-p+1} - z_{t-p+2}],
//
// and ORFFVAR appends cos(W z) and sin(W z), z = (z_t, …, z_{t-p+1}), where the
// rows of W are drawn from N(0, I/sigma^2): random Fourier features of a
// Gaussian kernel whose bandwidth sigma is the median distance between inputs.
// The kernel is decomposable with the identity as its operator, so that all
// coordinates share the features.
//
// # ORFFVAR
//
// auto.NewORFFVAR mixes three such components (auto/orffvar.go), as the default model mixes its experts. They differ in
// the forecast that they begin from (no change, the local mean, the mean), in smoothness and in memory. They learn by
// mini-batch doubly stochastic steps from the first sample on: by online.BlockNewton, the most nonlinear one by
// online.BlockDescent. The local component also has the forecasts of an autoregression on 24 own lags as inputs. The
// bandwidths come from the first 50 inputs, and again from 100, 200, 400 and 800 samples, with a refit each.
//
// # The default model
//
// auto.New needs no parameter. It returns a mixture of persistence, the season around its mean, and nine such
// regressions, the experts: three linear ones, which do most of the work on most data, and six ORFFVAR experts, which
// find nonlinear relations.
//
//   - var1, orff1, orff4 and orff1-additive learn by recursive least squares for their first thousands of samples, and
//     then by block Newton steps.
//   - ar6, orff3, orff3-local and orff1-mean learn by block Newton steps from the first sample on. These are mini-batch
//     doubly stochastic gradient descent.
//   - ar96 solves the Yule-Walker equations.
//
// docs/model.md has the gain of each kind. The experts differ in their lags (1 to 96), their bandwidth (1/2 to 2 median
// distances, one coordinate at a time, or linear), their memory, and the forecast that they begin from: no change, or a
// return to a mean. Their random features are orff.Adaptive. The forecasts of the longest autoregression are inputs of
// the others. For each coordinate the mixture forecasts
//
//	x^_{t+1} = x_t + sum_k w_k (x^k_{t+1} - x_t) + theta^T (deviations),
//
// with the weights w of ML-Poly, which need no learning rate. theta is a linear correction by the deviations of the
// experts from the aggregate, learnt by ridge regression. A second ML-Poly chooses the share of the correction that is
// used. An expert learns in expert.learn, the weights in lanes.Mixture.Learn.
//
// At 50, 100, 400 and 3200 samples the experts are refitted one after the other: bandwidths are computed with the current
// statistics, and the last 2000 samples are learnt again, some with each new sample. The reason: early statistics change
// quickly, and all features depend on them.
//
// Coordinates with little noise are forecast by least squares on 48 own lags while that is better (leastSquares): there,
// penalties that suit noise would cause most of the error. Coordinates that follow another one after up to 125 samples
// are forecast by least squares, too (crossSearch).
//
// # Seasons and many steps
//
// A season is a period of the clock, such as a day (seasons.clock), or is found by a search
// over lags (seasonSearch.proceed). Its cycle has a shape for each variable. The longest
// autoregression and all longer horizons work on the remainder, the series without its
// seasons; the seasons of the target are added at the end.
//
// At each anchor horizon h these forecasts are mixed and shrunk: persistence, means, the iterated autoregression, the
// iterated mixture, which contributes the random features, and linear regressions over h steps. One of the regressions has
// only a coordinate's own past as input, 96 lags and the phase of the season (lagRegression). A forecast is scored and
// learnt from when its target is observed. Between two anchors the forecasts follow the iterated paths.
//
// Outliers: statistics and targets are winsorised at ten standard deviations. An odd sample counts as missing until the
// next one confirms it. A confirmed level far outside of the range so far is subtracted (gate).
//
// auto.Tier selects a cheaper model: the light and the tiny tier have two experts, and refit them on fewer samples.
//
// # Around a model
//
// Package interval has the wrappers: WithIntervals adds prediction intervals to any model, NewQuantiles intervals that
// depend on the lags, WithJoint a region for the whole sample, WithDrift a drift detector, NewInfluence the mean Jacobian
// of the forecasts, and NewLevelSets an anomaly score of the lags. Intervals are calibrated in Intervals.Observe. eval.As
// finds the interface that a wrapper adds. InfluenceGraph distinguishes influences from chance by shifts in time.
//
// # Kernels and relatives
//
// kernel.NewVAR takes any feature map of package orff and every option of Algorithm 4. kernel.NewKRLS and
// kernel.NewNystroem learn decomposable kernels exactly, NewNGRC has products of the lags as features, and
// kernel.NewOKVAR and kernel.NewONORMA evaluate the kernel itself. All share the increments, the scaling and the lags of
// the regression above. Only their inputs, units.Lags, are divided by the bandwidth, so that any kernel has one. The
// descent of kernel.NewVAR can start from a batch fit, draw blocks again, and learn from samples without a target.
//
// # Learning
//
// A sample is predicted before it is learnt from. Observe of a series calls Update of a learner in package sgd/online,
// which changes Theta: by block Newton steps on mini-batches (Algorithm 4 of Brault 2017 with its Hessian
// preconditioner), by recursive least squares, by the latter and then the former (online.HandOver), or by normalised
// stochastic gradient steps.
//
// # Missing values
//
// A missing coordinate (NaN) is masked in the loss and in the statistics, and
// filled in the lags by the model's own one-step forecast. A sample may be
// missing altogether.
//
// # State
//
// A model owns the weights and the bandwidth; each series it makes owns its
// lags, its statistics and the feature vector that waits for its target. One
// model can therefore serve many series that share the weights.
package varmodel
