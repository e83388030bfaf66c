package losses

// The Moreau envelopes of the two losses with a kink, as the function-valued
// models use them. They agree with the loss up to width/2, have a derivative for
// width > 0 and are the loss itself for width 0.

// PinballEnvelope returns the loss rho_tau of r = y - f and its derivative in f, which
// is 0 at r = 0.
func PinballEnvelope(tau, r, width float64) (value, slope float64) {
	switch {
	case r > tau*width:
		return tau * (r - tau*width/2), -tau
	case r < (tau-1)*width:
		return (tau - 1) * (r - (tau-1)*width/2), 1 - tau
	case r == 0:
		return 0, 0
	}
	return r * r / (2 * width), -r / width
}

// HingeEnvelope returns max(0, u) and its derivative, which is 0 at u = 0.
func HingeEnvelope(u, width float64) (value, slope float64) {
	switch {
	case u <= 0:
		return 0, 0
	case u >= width:
		return u - width/2, 1
	}
	return u * u / (2 * width), u / width
}
