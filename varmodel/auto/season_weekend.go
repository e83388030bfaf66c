package auto

const (
	weekDays     = 7
	weekQuarters = 4 * weekDays // quarters of a day per week
	saturday     = 4 * 2        // quarters from the beginning of a week, Thursday 1970-01-01 00:00 UTC, to Saturday
	// A weekend begins between firstWeekend and lastWeekend, in quarters from Saturday 00:00 UTC: from the Friday of
	// West Asia to the Saturday of America.
	firstWeekend, lastWeekend = -5, 2

	weekendOdds   = 8  // smallest log likelihood ratio of a weekend
	weekendPrior  = .3 // prior weight of the share of a week with a weekend, in weeks of outcomes
	weekendShrink = .5 // weight of the mean days of weekend and work in the first shape of the week
)

// believeWeekends gives the week a share in its second period, for each variable with a weekend in the last seven days, and
// reports whether there is a new one. Without the weekend, the share would wait for outcomes of a second weekend. lag(i)
// is the sample i before the last sample, and inverse holds 1 / standard deviation.
func (c *cycle) believeWeekends(lag func(i int) []float64, inverse []float64) (changed bool) {
	if c.span != weekSpan || c.run < c.period || c.learnt >= 2*c.period || c.period%weekQuarters != 0 {
		return false
	}
	quarter, next := c.period/weekQuarters, c.phaseAfter(1)
	if quarter < 3 || next%quarter != 0 {
		return false
	}
	days, day := make([][weekDays]float64, len(inverse)), c.period/weekDays
	for i := range weekDays {
		for l := range day {
			for j, v := range lag((weekDays-1-i)*day + l) {
				days[j][i] += v
			}
		}
	}
	for j, v := range inverse {
		if c.share[j].value > 0 || c.share[j].prior > 0 || v == 0 {
			continue
		}
		if begin, found := findWeekend(days[j], next/quarter); found {
			c.shrinkToWeekend(j, begin*quarter)
			c.believe(j, v)
			changed = true
		}
	}
	return changed
}

// findWeekend looks for a weekend in the sums of the last seven days, and returns its first quarter of the week. The days
// end before the quarter next.
func findWeekend(days [weekDays]float64, next int) (begin int, found bool) {
	for start := saturday + firstWeekend; start <= saturday+lastWeekend; start++ {
		since := (next - start + weekQuarters) % weekQuarters
		first := weekDays - since/4 // index of the first day of the weekend
		// The first and the last jump of the weekend have to be between two of the days.
		if since%4 == 0 && first > 0 && first < weekDays && first != weekDays-2 && oddsOfWeekend(days, first) > weekendOdds {
			return start, true
		}
	}
	return 0, false
}

// oddsOfWeekend returns the log likelihood ratio of a model where the day with index first and the day after it, modulo
// seven, have another level, over a model without this level. The remainder is white noise or a random walk, whichever
// gives the smaller ratio.
func oddsOfWeekend(days [weekDays]float64, first int) float64 {
	var weekend [weekDays]float64
	weekend[first], weekend[(first+1)%weekDays] = 1, 1
	mean := 0.
	for _, v := range days {
		mean += v / weekDays
	}
	// Sums of x x, x y and y y, where x is the weekend and y the day: for white noise, both without their means, and for a
	// walk, their changes.
	var white, walk [3]float64
	add := func(sums *[3]float64, x, y float64) {
		sums[0], sums[1], sums[2] = sums[0]+x*x, sums[1]+x*y, sums[2]+y*y
	}
	for i, v := range days {
		add(&white, weekend[i]-2./weekDays, v-mean)
		if i > 0 {
			add(&walk, weekend[i]-weekend[i-1], v-days[i-1])
		}
	}
	return (weekDays - 1) / 2. * min(explained(white), explained(walk))
}

// explained returns the log ratio of the sum of squares of y to that of the residuals of a regression on x, from the sums of
// x x, x y and y y.
func explained(sums [3]float64) float64 {
	xx, xy, yy := sums[0], sums[1], sums[2]
	if yy <= 0 {
		return 0
	}
	return logRatio(yy, yy-xy*xy/xx)
}

// shrinkToWeekend moves the shape of variable j towards two mean days: of the weekend, which begins at the phase begin,
// and of the other days.
func (c *cycle) shrinkToWeekend(j, begin int) {
	day := c.period / weekDays
	for i := range day {
		var shape [weekDays]*float32
		var weekend, work float64
		for k := range shape {
			phase := (begin + k*day + i) % c.period
			shape[k] = &c.mean[phase*len(c.prior)+j]
			if v := float64(*shape[k]); k < 2 {
				weekend += v / 2
			} else {
				work += v / (weekDays - 2)
			}
		}
		for k, v := range shape {
			mean := work
			if k < 2 {
				mean = weekend
			}
			*v += float32(weekendShrink * (mean - float64(*v)))
		}
	}
}

// believe gives variable j a share before there are outcomes. inverse is 1 / standard deviation of the variable.
func (c *cycle) believe(j int, inverse float64) {
	squares, s := 0., &c.share[j]
	for i := j; i < len(c.mean); i += len(c.share) {
		v := float64(c.mean[i]) * c.unit[j] * inverse
		squares += v * v
	}
	s.prior = weekendPrior * squares
	s.refresh(c.count[c.phaseAfter(1)], c.given, c.soon())
}
