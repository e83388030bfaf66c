package stream

import "slices"

// mark is how many points of each kind a batch has.
type mark struct{ forecasts, observations, metrics, insights, events int }

func (b *Batch) mark() mark {
	return mark{len(b.Forecasts), len(b.Observations), len(b.Metrics), len(b.Insights), len(b.Events)}
}

// sort brings the points of dst into the order in which their samples came. The i-th result
// made those between sc.marks[i] and the next mark, and the results of one arrival follow one
// another.
func (sc *scorer) sort(dst *Batch) {
	const none = -1
	resize(&sc.first, int(dst.arrivals))
	for i := range sc.first {
		sc.first[i] = none
	}
	for i := len(dst.results) - 1; i >= 0; i-- {
		sc.first[dst.results[i].arrival] = i
	}
	begin, to := sc.marks[0], &sc.spare
	to.Forecasts = append(slices.Grow(to.Forecasts[:0], len(dst.Forecasts)), dst.Forecasts[:begin.forecasts]...)
	to.Observations = append(slices.Grow(to.Observations[:0], len(dst.Observations)), dst.Observations[:begin.observations]...)
	to.Metrics = append(slices.Grow(to.Metrics[:0], len(dst.Metrics)), dst.Metrics[:begin.metrics]...)
	to.Insights = append(to.Insights[:0], dst.Insights[:begin.insights]...)
	to.Events = append(to.Events[:0], dst.Events[:begin.events]...)
	for arrival, i := range sc.first {
		if i == none {
			continue
		}
		from := sc.marks[i]
		for i < len(dst.results) && int(dst.results[i].arrival) == arrival {
			i++
		}
		end := sc.marks[i]
		to.Forecasts = append(to.Forecasts, dst.Forecasts[from.forecasts:end.forecasts]...)
		to.Observations = append(to.Observations, dst.Observations[from.observations:end.observations]...)
		to.Metrics = append(to.Metrics, dst.Metrics[from.metrics:end.metrics]...)
		to.Insights = append(to.Insights, dst.Insights[from.insights:end.insights]...)
		to.Events = append(to.Events, dst.Events[from.events:end.events]...)
	}
	dst.Forecasts, to.Forecasts = to.Forecasts, dst.Forecasts
	dst.Observations, to.Observations = to.Observations, dst.Observations
	dst.Metrics, to.Metrics = to.Metrics, dst.Metrics
	dst.Insights, to.Insights = to.Insights, dst.Insights
	dst.Events, to.Events = to.Events, dst.Events
}
