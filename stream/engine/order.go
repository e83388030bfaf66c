package engine

// mark holds the number of points of each kind in a batch: forecasts, observations, metrics,
// insights and events.
type mark [5]int32

func (b *Results) mark() mark {
	n := [...]int{len(b.Forecasts), len(b.Observations), len(b.Metrics), len(b.Insights), len(b.Events)}
	var m mark
	for k := range m {
		m[k] = int32(n[k])
	}
	return m
}

// sort sorts the points of dst by the arrival of their samples. The points of the i-th result
// lie between sc.marks[i] and sc.marks[i+1]. Results of one arrival are consecutive.
func (sc *scorer) sort(dst *Results) {
	const none = -1
	resize(&sc.first, int(dst.arrivals))
	for i := range sc.first {
		sc.first[i] = none
	}
	for i := len(dst.results) - 1; i >= 0; i-- {
		sc.first[dst.results[i].arrival] = int32(i)
	}
	for k := range sc.order {
		sc.order[k] = sc.order[k][:0]
	}
	sc.follow(mark{}, sc.marks[0])
	for arrival, first := range sc.first {
		if first == none {
			continue
		}
		i := int(first)
		for i < len(dst.results) && int(dst.results[i].arrival) == arrival {
			i++
		}
		sc.follow(sc.marks[first], sc.marks[i])
	}
	permute(dst.Forecasts, sc.order[0])
	permute(dst.Observations, sc.order[1])
	permute(dst.Metrics, sc.order[2])
	permute(dst.Insights, sc.order[3])
	permute(dst.Events, sc.order[4])
}

// follow appends the indices of the points between two marks to sc.order.
func (sc *scorer) follow(from, to mark) {
	for k := range sc.order {
		for i := from[k]; i < to[k]; i++ {
			sc.order[k] = append(sc.order[k], i)
		}
	}
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
