package accuracy

import "math"

// Bounds on the risk of a model that is learnt from N samples (Brault 2017, chapter 7). They are for reports only: no
// algorithm uses them.

// RidgeClass is the class of functions that ridge regression under the convention
// 1/(2N) SSE + (lambda/2) ||h||^2 can return, with half the squared error as loss.
type RidgeClass struct {
	Norm      float64 // M: bound of ||h||_K
	Lipschitz float64 // L of the loss in the prediction
	Range     float64 // C: the loss lies in [0, C]
}

// RidgeClassOf derives the class from sigmaY^2 = mean ||y||^2, maxY >= ||y|| and kappa = sup ||K(x, x)||. The objective
// of the minimiser is at most the objective of h = 0: lambda ||h||^2 <= sigmaY^2, and ||h(x)|| <= sqrt(kappa) M.
func RidgeClassOf(lambda, sigmaY, maxY, kappa float64) RidgeClass {
	m := sigmaY / math.Sqrt(lambda)
	l := math.Sqrt(kappa)*m + maxY
	return RidgeClass{Norm: m, Lipschitz: l, Range: l * l / 2}
}

// RademacherGap bounds the risk minus the empirical risk with probability
// 1-delta (Maurer 2016), for trace >= Tr K(x, x):
//
//	2 sqrt(2/N) (L M sqrt(T) + C sqrt(ln(2/delta)))
func (c RidgeClass) RademacherGap(n int, trace, delta float64) float64 {
	return 2 * math.Sqrt(2/float64(n)) * (c.Lipschitz*c.Norm*math.Sqrt(trace) + c.Range*math.Sqrt(math.Log(2/delta)))
}

// StabilityGap bounds the risk minus the empirical risk with probability 1-delta, by the uniform stability
// beta = L^2 kappa/(lambda N) of ridge regression (Bousquet and Elisseeff 2002):
//
//	2 beta + (4 N beta + C) sqrt(ln(1/delta)/(2N))
func (c RidgeClass) StabilityGap(n int, lambda, kappa, delta float64) float64 {
	beta := c.Lipschitz * c.Lipschitz * kappa / (lambda * float64(n))
	return 2*beta + (4*float64(n)*beta+c.Range)*math.Sqrt(math.Log(1/delta)/(2*float64(n)))
}

// ConsistencyGap bounds, with probability 1-2 delta, the risk of the empirical minimiser minus the least risk in the
// class (Brault 2017, proposition 7.3). The minimiser has D random features, and weights with ||theta_j|| <= M/sqrt(D)
// for each frequency j. trace >= Tr A(omega), u = sup sqrt(||A(omega)||). The map must be bounded.
func (c RidgeClass) ConsistencyGap(n, D int, trace, u, delta float64) float64 {
	sampling := 2 * c.RademacherGap(n, trace, delta)
	return sampling + u*c.Lipschitz*c.Norm/math.Sqrt(float64(D))*(1+math.Sqrt(2*math.Log(1/delta)))
}
