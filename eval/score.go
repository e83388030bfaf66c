package eval

// Score is what is known of the errors of one model at one horizon.
type Score struct {
	N               int64   // scored samples
	MSE, RMSE, MAE  float64 // in units of the data (squared for MSE)
	NMSE            float64 // MSE / variance of the target
	MASE            float64 // MAE / MAE of persistence
	SkillVsNaive    float64 // 1 - MSE / MSE of persistence
	SkillVsVAR      float64 // 1 - MSE / MSE of VAR(1)
	SCVMSE, SCVSD   float64 // mean and population standard deviation over the window of e = mean squared error of a sample over its coordinates
	Coverage, Width float64 // of the first interval level; NaN without intervals
	Pinball         float64
}
