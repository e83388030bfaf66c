package engine

// limits are the values that the variables of a series cannot leave, -Inf and Inf where
// there are none. Nil: no variable has any.
type limits struct{ low, high []float64 }

func newLimits(c *Config, variables []string) *limits {
	if c.Limits == nil {
		return nil
	}
	low, high := c.Limits(variables)
	if low == nil {
		return nil
	}
	return &limits{low, high}
}

// clip moves forecasts, or ends of their intervals, into the limits: rows of one value per
// variable. NaN stays.
func (l *limits) clip(v []float64) {
	if l == nil {
		return
	}
	d := len(l.low)
	for i := range v {
		v[i] = min(max(v[i], l.low[i%d]), l.high[i%d])
	}
}
