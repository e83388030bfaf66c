package scoring

// Score summarises the errors of one model at one horizon, for one variable or over all variables. An undefined
// field (no sample, no interval, a constant target, no reference) is NaN.
//
// Relative scores compare the model with baselines on the same targets. Over all variables they are ratios of
// averages, with each variable in units of its standard deviation over the scored samples; constant variables are
// left out. Absolute scores (MSE, RMSE, MAE, SCVMSE, SCVSD, Width, Pinball) are plain averages over the variables.
// They are meaningful if the variables share a unit or were scaled before.
type Score struct {
	N               int64   // number of scored samples; over all variables: samples with at least one scored coordinate
	MSE, RMSE, MAE  float64 // in units of the data (squared for MSE)
	NMSE            float64 // MSE / variance of the target over the scored samples
	MASE            float64 // MAE / MAE of persistence at the same horizon
	SkillVsNaive    float64 // Skill in NMSE against persistence at the same horizon
	SkillVsVAR      float64 // Skill in NMSE against the reference, VAR(1), on the samples that both forecast
	SCVMSE, SCVSD   float64 // mean and population standard deviation of e, the squared error of a sample averaged over its coordinates
	SCVSE           float64 // standard error of SCVMSE; only in Scorer.Windowed
	Coverage, Width float64 // share of targets inside the interval, and its mean width
	Joint           float64 // share of samples inside the joint region; only over all variables
	Pinball         float64 // mean quantile loss of the two bounds of the interval
}

// NoScore returns the score without samples.
func NoScore() Score {
	var t tally
	return t.score(0)
}
