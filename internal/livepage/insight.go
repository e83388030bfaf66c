package livepage

import (
	"github.com/orffvar/forecaster/stream"
)

// maxExperts is the number of experts with their own weights; the weights of the others are summed.
const maxExperts = 16

// insight has the weights of the experts and the influences of one series.
type insight struct {
	version int64

	experts []string // names in the order of the weights; the last name may be "others"
	end     int64    // number of the next point in the ring
	time    [maxPoints]int64
	weights [maxPoints][maxExperts]float64 // means over the variables

	influence []float64 // kept variables x kept variables; nil: unknown
}

// add stores the weights and influences of the series of h.
func (s *insight) add(h *history, in *stream.Insight) {
	d, n := len(h.info.Variables), len(h.variables)
	s.version++
	if k := len(in.Experts); k > 0 {
		if len(s.experts) != min(k, maxExperts) {
			s.experts, s.end = nil, 0
			for _, name := range in.Experts[:min(k, maxExperts)] {
				s.experts = append(s.experts, valid(name))
			}
			if k > maxExperts {
				s.experts[maxExperts-1] = "others"
			}
		}
		i := s.end % maxPoints
		s.end++
		s.time[i] = in.Time
		s.weights[i] = [maxExperts]float64{}
		for j, w := range in.Weights {
			s.weights[i][min(j%k, maxExperts-1)] += w / float64(d)
		}
	}
	if in.Influence == nil {
		s.influence = nil
		return
	}
	if s.influence == nil {
		s.influence = make([]float64, n*n)
	}
	for i := range n {
		copy(s.influence[i*n:(i+1)*n], in.Influence[i*d:])
	}
}

// expertsMessage copies the weights; nil if the model is not a mixture.
func (s *insight) expertsMessage(h *history) *expertsMessage {
	if s.experts == nil {
		return nil
	}
	m := &expertsMessage{Series: h.name, Experts: s.experts, Weights: make([]column, len(s.experts))}
	for i := max(0, s.end-maxPoints); i < s.end; i++ {
		m.Time = append(m.Time, seconds(s.time[i%maxPoints]))
		for k := range m.Weights {
			m.Weights[k] = append(m.Weights[k], s.weights[i%maxPoints][k])
		}
	}
	return m
}

// influenceMessage copies the influences; nil if there are none.
func (s *insight) influenceMessage(h *history) *influenceMessage {
	if s.influence == nil {
		return nil
	}
	n := len(h.variables)
	m := &influenceMessage{Series: h.name, Variables: h.variables}
	for i := range n {
		m.Influence = append(m.Influence, append(column{}, s.influence[i*n:(i+1)*n]...))
	}
	return m
}
