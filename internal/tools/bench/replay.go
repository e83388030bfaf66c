package main

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/orffvar/forecaster/stream"
)

// writeTo writes the rows of f to a CSV file. A single series has no column for its name.
func (f fleet) writeTo(name string) {
	file, err := os.Create(name)
	check(err)
	w := bufio.NewWriter(file)
	named := f.series > 1
	fmt.Fprint(w, "time")
	if named {
		fmt.Fprint(w, ",series")
	}
	for j := range f.variables {
		fmt.Fprint(w, ",v", j)
	}
	source := f.source()
	var r stream.Record
	var line []byte
	for range f.series * f.rows {
		check(source.Decode(&r, nil))
		line = append(append(line[:0], '\n'), time.Unix(0, r.Time).UTC().Format(time.RFC3339)...)
		if named {
			line = append(append(line, ','), r.Series...)
		}
		for _, v := range r.Values {
			line = strconv.AppendFloat(append(line, ','), v, 'g', 6, 64)
		}
		_, err := w.Write(line)
		check(err)
	}
	check(w.Flush())
	check(file.Close())
}

// replayTable prints the speed of the program for replays of fleets from a file, on all processors.
func replayTable(*roofline) {
	dir, err := os.MkdirTemp("", "bench")
	check(err)
	defer os.RemoveAll(dir)
	program, data := filepath.Join(dir, "forecaster"), filepath.Join(dir, "fleet.csv")
	build := exec.Command("go", "build", "-o", program, "github.com/orffvar/forecaster/cmd/forecaster")
	build.Stderr = os.Stderr
	check(build.Run())
	table(fmt.Sprintf("forecaster replay of fleets, by the clock, on %d processors, the median of three runs in turns", runtime.GOMAXPROCS(0)),
		"series x rows", "tier", "rows per second:", "slowest:", "fastest:", "processor time, s:", "memory, MB:")
	tiers := []string{"full", "light", "tiny"}
	for _, f := range []fleet{{200, 3000, 7}, {2000, 300, 7}} {
		f.writeTo(data)
		runs := make([][]replayRun, len(tiers))
		for range 3 {
			for i, tier := range tiers {
				c := exec.Command(program, "replay", data, "--output", "json", "--set", "model.tier="+tier)
				begin := time.Now()
				_, err := c.Output()
				check(err)
				runs[i] = append(runs[i], replayRun{time.Since(begin), c.ProcessState})
			}
		}
		rate := func(r replayRun) string {
			return fmt.Sprintf("%.0f", float64(f.series*f.rows)/r.elapsed.Seconds())
		}
		for i, tier := range tiers {
			r := runs[i]
			slices.SortFunc(r, func(a, b replayRun) int { return cmp.Compare(a.elapsed, b.elapsed) })
			state := r[1].state
			row(f.String(), tier, rate(r[1]), rate(r[2]), rate(r[0]),
				fmt.Sprintf("%.1f", (state.UserTime()+state.SystemTime()).Seconds()), mostMemory(state))
		}
	}
}

// replayRun is one run of the program.
type replayRun struct {
	elapsed time.Duration
	state   *os.ProcessState
}
