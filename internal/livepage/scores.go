package livepage

import (
	"math"
	"slices"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/stream"
)

// maxPoints is the number of kept scores over time.
const maxPoints = 300

// scores has the newest scores of a series at the tracked horizons, and earlier scores over all variables.
type scores struct {
	version int64
	latest  [][]scoring.Score // tracked horizon x (all variables, then each variable); N = 0: none
	past    []scoreRing       // one per tracked horizon
}

// scoreRing is a ring of scores over time.
type scoreRing struct {
	end    int64
	points [maxPoints]scorePoint
}

type scorePoint struct {
	time                                     int64
	skillVsPersistence, skillVsVAR, coverage float64
}

func (s *scores) begin(tracked int) {
	s.latest = make([][]scoring.Score, tracked)
	s.past = make([]scoreRing, tracked)
}

// add stores the scores m of the series of h.
func (s *scores) add(h *history, m *stream.Metric) {
	k := slices.IndexFunc(h.tracks, func(t track) bool { return t.horizon == m.Horizon })
	target := 0
	if m.Target != stream.AllTargets {
		target = 1 + slices.Index(h.info.Variables[:len(h.variables)], m.Target)
		if target == 0 {
			return
		}
	}
	if k < 0 {
		return
	}
	if s.latest[k] == nil {
		s.latest[k] = make([]scoring.Score, 1+len(h.variables))
	}
	s.latest[k][target] = m.Score
	s.version++
	if target != 0 {
		return
	}
	ring := &s.past[k]
	point := scorePoint{m.Time, m.Score.SkillVsNaive, m.Score.SkillVsVAR, m.Score.Coverage}
	if ring.end > 0 && ring.points[(ring.end-1)%maxPoints].time == m.Time {
		ring.end-- // replaces the point at the same time
	}
	ring.points[ring.end%maxPoints] = point
	ring.end++
}

// message copies the scores at the horizon of v: over all variables, then of each of the given variables.
func (s *scores) message(h *history, v view, variables []int, c *Config) *metricsMessage {
	m := &metricsMessage{Series: h.name, Scores: []scoreMessage{}}
	if len(c.Levels) > 0 {
		m.Level = &c.Levels[0]
	}
	if c.ScoreEvery != nil {
		m.Every = c.ScoreEvery()
	}
	if v.track < 0 {
		return m
	}
	m.Horizon = h.tracks[v.track].horizon
	if latest := s.latest[v.track]; latest != nil {
		if latest[0].N > 0 {
			m.Scores = append(m.Scores, newScoreMessage(stream.AllTargets, &latest[0]))
		}
		for _, j := range variables {
			if latest[1+j].N > 0 {
				m.Scores = append(m.Scores, newScoreMessage(h.variables[j], &latest[1+j]))
			}
		}
	}
	ring := &s.past[v.track]
	for i := max(0, ring.end-maxPoints); i < ring.end; i++ {
		p := &ring.points[i%maxPoints]
		m.Past.Time = append(m.Past.Time, seconds(p.time))
		m.Past.SkillVsPersistence = append(m.Past.SkillVsPersistence, p.skillVsPersistence)
		m.Past.SkillVsVAR = append(m.Past.SkillVsVAR, p.skillVsVAR)
		m.Past.Coverage = append(m.Past.Coverage, p.coverage)
	}
	return m
}

func newScoreMessage(target string, s *scoring.Score) scoreMessage {
	return scoreMessage{
		Target: target, N: s.N, MSE: number(s.MSE), RMSE: number(s.RMSE), MAE: number(s.MAE), NMSE: number(s.NMSE), MASE: number(s.MASE),
		SkillVsPersistence: number(s.SkillVsNaive), SkillVsVAR: number(s.SkillVsVAR),
		SCVMSE: number(s.SCVMSE), SCVSD: number(s.SCVSD),
		Coverage: number(s.Coverage), Width: number(s.Width), Pinball: number(s.Pinball),
	}
}

// seconds converts a time in ns to seconds.
func seconds(ns int64) float64 { return float64(ns/1e9) + float64(ns%1e9)/1e9 }

// finite reports whether x can be written as JSON.
func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
