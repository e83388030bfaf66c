package sgd

// LossOf and LossGradTo are for the tests of another package.
var (
	LossOf     = lossOf
	LossGradTo = lossGradTo
)
