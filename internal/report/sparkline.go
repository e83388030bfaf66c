package report

// Sparkline draws values as characters of eight heights.
func Sparkline(v []float64) string {
	if len(v) == 0 {
		return ""
	}
	lo, hi := v[0], v[0]
	for _, x := range v {
		lo, hi = min(lo, x), max(hi, x)
	}
	levels := []rune("▁▂▃▄▅▆▇█")
	out := make([]rune, len(v))
	for i, x := range v {
		level := 0
		if hi > lo {
			level = int((x - lo) / (hi - lo) * 7.999)
		}
		out[i] = levels[level]
	}
	return string(out)
}
