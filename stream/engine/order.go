package engine

import "slices"

// Kinds of points that a scorer makes.
const (
	forecastKind = iota
	observationKind
	metricKind
	insightKind
	eventKind
	pointKinds
)

// counts returns the number of points of each kind.
func (b *Results) counts() [pointKinds]int {
	return [...]int{len(b.Forecasts), len(b.Observations), len(b.Metrics), len(b.Insights), len(b.Events)}
}

// order sorts the points of a batch. All slices are scratch.
type order struct {
	before [pointKinds]int     // points that the batch had before the first result; they stay first
	of     [pointKinds][]int32 // for each later point: the index of its result
	rank   []int32             // for each result: its place in the order of arrival
	next   []int32             // for each place: the index of the next point
	from   []int32             // for each point: its old index
}

// beginSort begins the points of the results of dst.
func (sc *scorer) beginSort(dst *Results) {
	o := &sc.order
	o.before = dst.counts()
	for k := range o.of {
		o.of[k] = o.of[k][:0]
	}
}

// note records that the new points of dst belong to the i-th result. If the results are in order, all points but the
// events of several stages are.
func (sc *scorer) note(dst *Results, i int) {
	o, first := &sc.order, 0
	if !dst.unsorted {
		first = eventKind
	}
	for k, n := range dst.counts() {
		for k >= first && o.before[k]+len(o.of[k]) < n {
			o.of[k] = append(o.of[k], int32(i))
		}
	}
}

// sort sorts the points of dst by the arrival of their samples. The points of one result keep their order.
func (sc *scorer) sort(dst *Results) {
	o := &sc.order
	if dst.unsorted {
		resize(&o.rank, len(dst.results))
		for i := range dst.results {
			o.rank[i] = dst.results[i].arrival
		}
		o.starts(int(dst.arrivals), o.rank)
		for i, arrival := range o.rank {
			o.rank[i] = o.next[arrival]
			o.next[arrival]++
		}
		for k := range o.of {
			for n, i := range o.of[k] {
				o.of[k][n] = o.rank[i]
			}
		}
	}
	sortKind(o, forecastKind, dst.Forecasts, len(dst.results))
	sortKind(o, observationKind, dst.Observations, len(dst.results))
	sortKind(o, metricKind, dst.Metrics, len(dst.results))
	sortKind(o, insightKind, dst.Insights, len(dst.results))
	sortKind(o, eventKind, dst.Events, len(dst.results))
}

// starts sets o.next[p] to the number of elements below p, for p < n: a stable counting sort puts the elements p from there on.
func (o *order) starts(n int, elements []int32) {
	resize(&o.next, n+1)
	clear(o.next)
	for _, place := range elements {
		o.next[place+1]++
	}
	for i := range n {
		o.next[i+1] += o.next[i]
	}
}

// sortKind sorts v, the points of kind k, by the places of their results.
func sortKind[T any](o *order, k int, v []T, results int) {
	of, before := o.of[k], o.before[k]
	if slices.IsSorted(of) {
		return
	}
	o.starts(results, of)
	resize(&o.from, len(v))
	for i := range before {
		o.from[i] = int32(i)
	}
	for n, place := range of {
		o.from[before+int(o.next[place])] = int32(before + n)
		o.next[place]++
	}
	permute(v, o.from)
}

// permute sets v[i] to the old v[from[i]] for all i. It works in place, cycle by cycle, because a copy would double
// the memory of the points. It overwrites from.
func permute[T any](v []T, from []int32) {
	for i := range v {
		if int(from[i]) == i {
			continue
		}
		first, at := v[i], i
		for int(from[at]) != i {
			next := int(from[at])
			v[at], from[at] = v[next], int32(at)
			at = next
		}
		v[at], from[at] = first, int32(at)
	}
}
