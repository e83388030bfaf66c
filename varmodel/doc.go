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
// NewORFFVAR mixes three such components, see orffvarComponents, as the default model mixes its
// experts. They differ in the forecast without knowledge (no change, the local mean, the mean),
// in smoothness and in memory, and learn by mini-batch doubly stochastic steps from the first
// sample on: sgd.BlockNewton, and the most nonlinear one sgd.BlockDescent. An autoregression on 24
// own lags is among the inputs of the local component. The bandwidths come from the first 50 inputs,
// and again from 100, 200, 400 and 800 samples, with a refit each.
//
// # The default model
//
// NewAuto needs no parameter. It is a mixture of persistence, the season around its
// mean, and nine such regressions, the experts: three linear ones, which do most of the
// work on most data, and six ORFFVAR experts, which find nonlinear relations. var1, orff1,
// orff4 and orff1-additive learn by recursive least squares for their first thousands of
// samples and by block Newton steps from then on; ar6, orff3, orff3-local and orff1-mean by
// such steps, which are mini-batch doubly stochastic gradient descent, from the first
// sample on; ar96 solves the Yule-Walker equations. docs/model.md has what each kind is
// worth. The experts differ in their lags (1 to 96), their bandwidth (1/2 to 2 median
// distances, of one coordinate at a time, or linear), their memory, and the forecast they
// make without knowledge: no change, or a return to a mean. Their random features are
// orff.Adaptive. The forecasts of the longest autoregression are inputs of the others. For
// each coordinate the mixture forecasts
//
//	x^_{t+1} = x_t + sum_k w_k (x^k_{t+1} - x_t) + theta^T (deviations),
//
// with the weights w of ML-Poly, which have no learning rate. theta is a linear
// correction by the experts' deviations from the aggregate, learnt by ridge regression;
// a second ML-Poly decides how much of the correction is used. An expert learns in
// expert.learn, the weights in lanes.Mixture.Learn.
//
// At 50, 100, 400 and 3200 samples the experts are refitted one after the
// other: bandwidths are computed from the past as it is standardised by then, and the
// last 2000 samples are learnt again, some with each new sample. Early statistics
// change quickly, and with them the meaning of every feature.
//
// Penalties that suit noise make most of the error of coordinates with next to none. These
// are forecast by least squares on 48 own lags while that is better, see leastSquares. So are
// coordinates that follow another one after up to 125 samples, see crossSearch.
//
// # Seasons and many steps
//
// A season is a period of the clock, such as a day (seasons.clock), or is found by a search
// over lags (seasonSearch.proceed). Its cycle has a shape for each variable. The longest
// autoregression and all longer horizons work on the remainder, the series without its
// seasons; the seasons of the target are added at the end.
//
// At each anchor horizon h persistence, means, the iterated autoregression, the iterated mixture,
// which brings the random features, and linear regressions over h steps are mixed and shrunk.
// One of the regressions sees a coordinate's own past alone, 96 lags and the phase of the
// season, see lagRegression. A forecast is scored, and learnt from, when its target is observed.
// Between two anchors forecasts follow the iterated paths.
//
// Outliers: statistics and targets are winsorised at ten standard
// deviations. An odd sample counts as missing until the next one confirms it, and a confirmed
// level far outside of all so far is taken off, see gate.
//
// Tier selects a cheaper model: the light and the tiny tier have two experts and refit
// them on fewer samples.
//
// # Around a model
//
// WithIntervals adds prediction intervals to any model, NewQuantiles intervals that depend
// on the lags, WithJoint a region for the whole sample, WithDrift a drift detector,
// NewInfluence the mean Jacobian of the forecasts, NewLevelSets a score of how unusual the
// lags are; files around_*.go. Intervals are calibrated in Intervals.Observe. eval.As finds
// what each of them adds. InfluenceGraph separates influences from chance by shifts in time.
//
// # Kernels and relatives
//
// kernel.NewVAR takes any feature map of package orff and every option of Algorithm 4.
// kernel.NewKRLS and NewNystroem learn decomposable kernels exactly, NewNGRC has products of
// the lags as features, kernel.NewOKVAR and NewONORMA evaluate the kernel itself. All share the
// increments, the scaling and the lags of the regression above; only their inputs, units.Lags,
// are divided by the bandwidth, which gives every kernel one. The descent of kernel.NewVAR
// can start from a batch fit, draw blocks again, and learn from samples without a target.
//
// # Learning
//
// A sample is predicted before it is learnt from. Observe of a series calls Update of a
// learner of package sgd, which changes Theta: by block Newton steps on mini-batches
// (Algorithm 4 of Brault 2017 with its Hessian preconditioner), by recursive least squares,
// by one and then the other (sgd.HandOver), or by normalised stochastic gradient steps.
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
