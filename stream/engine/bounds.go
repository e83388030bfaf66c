package engine

// bounds are the least and largest possible values of the variables; -Inf and Inf: none. Nil: no variable has a
// bound.
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

// clip clips v, rows of one value per variable, to the bounds. NaN stays NaN.
func (b *bounds) clip(v []float64) {
	if b == nil || b.low == nil {
		return
	}
	for ; len(v) > 0; v = v[len(b.low):] {
		for j, low := range b.low {
			if x, high := v[j], b.high[j]; !(low < x && x < high) {
				v[j] = min(max(x, low), high)
			}
		}
	}
}
