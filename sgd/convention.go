package sgd

import "fmt"

// Convention is a way to write the ridge objective in the literature. SSE is
// sum_i ||h(x_i) - y_i||^2 over N samples. The learners of this package take the
// lambda of HalfMean; ToH converts.
type Convention int

const (
	HalfMean        Convention = iota // H: SSE/(2N) + lambda/2 ||h||^2 (Brault 2017, eq. 6.10)
	MeanFullPenalty                   // SSE/N + lambda ||h||^2 (Brault 2017, eq. 8.1)
	MeanHalfPenalty                   // SSE/N + lambda/2 ||h||^2 (Brault 2017, eq. 6.2)
	HalfMeanOverN                     // SSE/(2N) + lambda/(2N) ||h||^2 (the multi-task risk of Brault 2017, section 6.4)
	Sum                               // SSE + lambda ||h||^2, normal matrix Phi Phi^T + lambda I
)

// ToH returns the lambda of convention H that has the same minimiser over n
// samples.
func (c Convention) ToH(lambda float64, n int) float64 {
	switch c {
	case HalfMean, MeanFullPenalty:
		return lambda
	case MeanHalfPenalty:
		return lambda / 2
	case HalfMeanOverN, Sum:
		return lambda / float64(n)
	}
	panic(fmt.Sprintf("sgd: unknown convention %d", int(c)))
}
