package engine

// bounds are the values that the variables of a series cannot leave, -Inf and Inf where
// there are none. Nil: no variable has any.
type bounds struct{ low, high []float64 }

func newBounds(c *Config, variables []string) *bounds {
	if c.Bounds == nil {
		return nil
	}
	low, high := c.Bounds(variables)
	if low == nil {
		return nil
	}
	return &bounds{low, high}
}

// clip moves forecasts, or ends of their intervals, into the bounds: rows of one value per
// variable. NaN stays.
func (b *bounds) clip(v []float64) {
	if b == nil || b.low == nil {
		return
	}
	d := len(b.low)
	for i := range v {
		v[i] = min(max(v[i], b.low[i%d]), b.high[i%d])
	}
}
