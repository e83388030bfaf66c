package livepage

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unsafe"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/stream"
)

// Limits of the series of a Page.
const (
	MaxSeries = 1000    // largest number of series with a history, and of series in one list
	MaxListed = 250_000 // largest number of series that a search can find; about 150 bytes each

	defaultMemory = 256 << 20 // bytes for all histories
	rankedHalf    = 60        // number of samples; the highest score covers the last one or two halves
	alarm         = 1         // score above which a sample is anomalous
	mostPromoted  = 10        // number of series per batch that get a history because of an anomaly
)

// member is a series in the lists. Requested series and series with anomalies also have a history.
type member struct {
	id      int
	name    string // name for clients
	info    *stream.Series
	history *history // nil: none
	asked   int64    // value of Page.asks at the last request for the series; 0: never requested

	skill         float64 // skill at the shortest horizon
	highest, past float64 // highest anomaly score in the current half of the newest samples, and in the previous half
	samples       int64
}

// rank updates the values that clients can sort by.
func (m *member) rank(score float64) {
	if m.samples%rankedHalf == 0 {
		m.past, m.highest = m.highest, math.NaN()
	}
	m.samples++
	if finite(score) && !(score <= m.highest) {
		m.highest = score
	}
}

// anomaly returns the highest score of the newest samples; NaN: unknown.
func (m *member) anomaly() float64 {
	if m.past > m.highest || math.IsNaN(m.highest) {
		return m.past
	}
	return m.highest
}

// of returns a series, with a history if there is room. It returns nil if no more series can be listed.
func (p *Page) of(s *stream.Series) *member {
	m := p.byName[s.Name]
	if m != nil && (m.info == s || slices.Equal(m.info.Variables, s.Variables)) {
		m.info = s // the series of another engine, after the partition has moved
		if m.history != nil {
			m.history.info = s
		}
		return m
	}
	if m == nil {
		if len(p.series) == MaxListed {
			return nil
		}
		m = &member{id: len(p.series), name: valid(s.Name)}
		p.byName[s.Name] = m
		p.series = append(p.series, m)
	}
	m.info, m.samples, m.skill, m.highest, m.past = s, 0, math.NaN(), math.NaN(), math.NaN()
	if m.history != nil || len(p.kept) < MaxSeries && p.bytes+historyBytes(len(p.kept), s, len(p.tracked)) <= p.c.Memory {
		p.keep(m)
	}
	if m.history != nil || m.id < MaxSeries {
		p.version++
	}
	return m
}

// keep begins the history of a series, and removes others if there is no room. It removes first the
// least recently requested series, and among series without a request the least anomalous.
func (p *Page) keep(m *member) {
	p.forget(m)
	for len(p.kept) > 0 && (len(p.kept) >= MaxSeries || p.bytes+historyBytes(len(p.kept), m.info, len(p.tracked)) > p.c.Memory) {
		p.forget(p.leastMissed())
	}
	p.epochs++
	m.history = &history{id: len(p.kept), name: m.name, epoch: p.epochs, bytes: historyBytes(len(p.kept), m.info, len(p.tracked))}
	m.history.begin(m.info, p.tracked, min(len(p.c.Levels), maxLevels))
	if p.c.Limits != nil {
		m.history.limits = p.c.Limits(m.info.Variables)
	}
	p.kept = append(p.kept, m)
	p.bytes += m.history.bytes
}

func (p *Page) forget(m *member) {
	if m.history != nil {
		p.bytes -= m.history.bytes
		m.history = nil
		p.kept = slices.DeleteFunc(p.kept, func(o *member) bool { return o == m })
	}
}

// leastMissed returns the series whose history is removed first.
func (p *Page) leastMissed() *member {
	return slices.MinFunc(p.kept, func(a, b *member) int {
		return cmp.Or(cmp.Compare(a.asked, b.asked), cmp.Compare(a.anomaly(), b.anomaly()), cmp.Compare(b.id, a.id))
	})
}

// promote begins the history of a series with an anomaly, if it can replace the history of a series
// without an anomaly and without a request.
func (p *Page) promote(m *member) {
	if last := p.leastMissed(); last.asked == 0 && !(last.anomaly() > alarm) {
		p.keep(m)
	}
}

// ask records a request for a series. It begins its history, or keeps it longer.
func (p *Page) ask(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := p.find(name)
	if m == nil {
		return
	}
	p.asks++
	m.asked = p.asks
	if m.history == nil {
		p.keep(m)
	}
}

// find returns the series with the given name for clients, or nil.
func (p *Page) find(name string) *member {
	if m := p.byName[name]; m != nil && m.name == name {
		return m
	}
	for _, m := range p.series {
		if m.name == name {
			return m
		}
	}
	return nil
}

// historyBytes returns the memory of the n-th history, for the series s.
func historyBytes(n int, s *stream.Series, tracked int) int64 {
	variables := min(len(s.Variables), MaxVariables)
	return int64(unsafe.Sizeof(history{})) + capacityOf(n, variables, tracked)*int64(sampleBytes(variables, tracked)) +
		int64(tracked)*int64(unsafe.Sizeof(scoreRing{})+uintptr(1+variables)*unsafe.Sizeof(scoring.Score{})) + int64(8*variables*variables)
}

// orders are the orders of a list of series.
var orders = map[string]func(a, b *member) int{
	"":     func(a, b *member) int { return 0 }, // order of first appearance
	"name": func(a, b *member) int { return strings.Compare(a.name, b.name) },
	"anomaly": func(a, b *member) int {
		return cmp.Compare(b.anomaly(), a.anomaly()) // NaN is less than all numbers
	},
	"skill": func(a, b *member) int {
		if math.IsNaN(a.skill) || math.IsNaN(b.skill) {
			return cmp.Compare(b.skill, a.skill)
		}
		return cmp.Compare(a.skill, b.skill)
	},
}

// matching returns the first series, in the given order, whose names contain text. n is the number of all such series.
func (p *Page) matching(text, order string) (list []*member, n int) {
	text = strings.ToLower(text)
	for _, m := range p.series {
		if text == "" || strings.Contains(strings.ToLower(m.name), text) {
			if n++; order != "" || len(list) < MaxSeries {
				list = append(list, m)
			}
		}
	}
	slices.SortStableFunc(list, orders[order])
	return list[:min(len(list), MaxSeries)], n
}
