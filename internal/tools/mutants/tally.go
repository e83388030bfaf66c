package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// score counts mutants: tried, killed, killed by an endless loop (a part of killed), and timed out, with tests that
// waited endlessly.
type score struct{ tried, killed, endless, timedOut int }

func (s *score) add(killer string) {
	s.tried++
	switch killer {
	case "":
	case timedOut:
		s.timedOut++
	case endless:
		s.endless++
		s.killed++
	default:
		s.killed++
	}
}

func (s *score) String() string {
	return fmt.Sprintf("%3d of %3d killed, %d of them by an endless loop; %d timed out", s.killed, s.tried, s.endless, s.timedOut)
}

// tally counts the drawn mutants.
type tally struct {
	score
	equivalent int
	packages   map[string]*score
	survivors  []*drawn
}

func (t *tally) add(m *drawn, killer string) {
	p := t.packages[m.pkg.ImportPath]
	if p == nil {
		p = new(score)
		t.packages[m.pkg.ImportPath] = p
	}
	t.score.add(killer)
	p.add(killer)
	if killer == "" || killer == timedOut {
		t.survivors = append(t.survivors, m)
		fmt.Printf("SURVIVED  %s, %s %s\n%s", m.File, m.Bug, killer, m.diff())
		return
	}
	fmt.Printf("killed    %s, %s (%s)\n", m.File, m.Bug, killer)
}

// diff returns the change as text.
func (m *drawn) diff() string {
	var b strings.Builder
	for _, part := range []struct{ sign, text string }{{"-", m.Old}, {"+", m.New}} {
		for line := range strings.Lines(part.text) {
			fmt.Fprintf(&b, "    %s %s\n", part.sign, strings.TrimSpace(line))
		}
	}
	return b.String()
}

func (t *tally) end(d *drawing) error {
	if len(t.survivors) > 0 {
		fmt.Println("\nSurvivors:")
		for _, m := range t.survivors {
			fmt.Printf("%s, %s\n%s", m.File, m.Bug, m.diff())
		}
	}
	fmt.Println()
	for _, name := range slices.Sorted(maps.Keys(t.packages)) {
		fmt.Printf("%s  %s\n", t.packages[name], name)
	}
	if t.tried == 0 {
		return fmt.Errorf("no mutant was tried")
	}
	share := float64(t.killed) / float64(t.tried)
	fmt.Printf("%s; %.0f %%, seed %d; %d known as equivalent\n", &t.score, 100*share, d.seed, t.equivalent)
	if share < d.least {
		return fmt.Errorf("fewer than %.0f %% of the mutants were killed; write tests, or say in equivalents.yaml why none can notice one", 100*d.least)
	}
	return nil
}
