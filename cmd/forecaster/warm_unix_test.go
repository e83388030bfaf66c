//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWarmStart: a replay leaves a state in a directory. A job on the same file, which has
// grown, a replay of it, a replay of another file, and a job on a topic go on from it: their
// forecasts are those of one replay of all rows.
func TestWarmStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	const rows, before = 420, 360
	writeFile(t, path("all.csv"), twoWaves(0, rows))
	writeFile(t, path("later.csv"), twoWaves(before, rows))
	writeFile(t, path("older.csv"), twoWaves(1, before/2))
	set := func(args ...string) []string {
		return append(args, "--set", "pipeline.interval=1m", "--set", "model.horizon=2", "--set", "input.time_zone=UTC")
	}
	mustCall(t, set("replay", path("all.csv"), "--series", "s", "--out", path("all.out.csv"))...)
	all := oneStepOf(t, path("all.out.csv"))
	// learn returns the directory of a state after the first rows of a file.
	learn := func(t *testing.T, name string) (state, file string) {
		state, file = path(name+".state"), path(name+".csv")
		writeFile(t, file, twoWaves(0, before))
		mustCall(t, set("replay", file, "--series", "s", "--state", state)...)
		writeFile(t, file, twoWaves(0, rows))
		return state, file
	}
	// check compares what came after a state: as many rows as there were in all.
	check := func(t *testing.T, out string) {
		t.Helper()
		got := oneStepOf(t, out)
		if len(got) != 2*(rows-before) {
			t.Errorf("%d forecasts of one step, want %d", len(got), 2*(rows-before))
		}
		for at, yhat := range got {
			if all[at] != yhat {
				t.Fatalf("%s: %s, and %s when all is replayed at once", at, yhat, all[at])
			}
		}
	}

	t.Run("replay of the same file", func(t *testing.T) {
		state, file := learn(t, "same")
		out := path("same.out.csv")
		mustCall(t, set("replay", file, "--series", "s", "--state", state, "--out", out)...)
		check(t, out)
		had := string(readFile(t, out))
		if said := mustCall(t, set("replay", file, "--series", "s", "--state", state, "--out", out)...); !strings.Contains(said, "0 rows in") {
			t.Errorf("a replay without new rows said\n%s", said)
		}
		if now := string(readFile(t, out)); now != had {
			t.Error("a replay without new rows changed its output")
		}
		startOver := "start over with: forecaster checkpoint reset " + state + " --yes"
		says := func(args []string, wanted int, texts ...string) {
			t.Helper()
			code, _, stderr := call(t, args...)
			for _, text := range texts {
				if code != wanted || !strings.Contains(stderr, text) {
					t.Errorf("exit code %d, and standard error lacks %q:\n%s", code, text, stderr)
				}
			}
		}
		again := set("replay", file, "--series", "s", "--state", state, "--out", out)
		says(again, exitDone, "no new rows: "+state+" has learnt all of "+file, startOver)
		says(append(again, "--horizon", "2", "--set", "model.levels=0.5"), exitDone, "model.levels was [0.9] in "+state+" and is [0.5] now, which holds for new rows alone")
		if err := os.Rename(out, out+".moved"); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the first one leaves no empty file
			says(again, exitFailed, "was cut, moved or removed since the checkpoint. Bring it back, or give the output another path. The other path gets the forecasts of new records alone", startOver)
		}
		says(set("replay", path("older.csv"), "--series", "s", "--state", state), exitFailed, "has learnt another file, or another beginning of this one", startOver)
		code, _, stderr := call(t, set("replay", file, "--series", "s", "--state", state, "--model", "var2")...)
		if code != exitFailed || !strings.Contains(stderr, "model.type: the checkpoint has auto, the configuration var2. Go back to what the checkpoint has, or start over with: forecaster checkpoint reset "+state+" --yes") {
			t.Errorf("another model: exit code %d\n%s", code, stderr)
		}
	})
	t.Run("replay of another file", func(t *testing.T) {
		state, _ := learn(t, "other")
		mustCall(t, set("replay", path("later.csv"), "--series", "s", "--state", state, "--out", path("other.out.csv"))...)
		check(t, path("other.out.csv"))
	})
	t.Run("job on the file", func(t *testing.T) {
		state, file := learn(t, "job")
		code, _, stderr := call(t, set("run", "--set", "input.file.path="+file, "--set", "input.file.series=s", "--set", "state.dir="+state,
			"--set", "output.file.path="+path("job.out.csv"))...)
		if code != exitDone || strings.Contains(stderr, "setting changed") {
			t.Errorf("exit code %d, or a change that nobody made\n%s", code, stderr)
		}
		check(t, path("job.out.csv"))
	})
	t.Run("job on a topic", func(t *testing.T) {
		state, _ := learn(t, "topic")
		broker := startBroker(t, "metrics")
		mustCall(t, "produce", path("later.csv"), "--series", "s", "--brokers", broker, "--topic", "metrics")
		out := path("topic-0.out.csv")
		live := start(t, "forecaster", set("run", "--set", "input.kafka.brokers="+broker, "--set", "input.kafka.topics=metrics",
			"--set", "output.file.path="+ofPartitions(out), "--set", "state.dir="+state)...)
		written := func() int {
			b, _ := os.ReadFile(out) // it is not there yet
			return bytes.Count(b, []byte("\n"))
		}
		if !poll(func() bool { return written() > 4*(rows-before) }) {
			t.Error("the job did not forecast")
		}
		if code := live.terminate(t); code != 0 {
			t.Errorf("SIGTERM: exit code %d", code)
		}
		if !strings.Contains(live.stderr.String(), "warm start: the models go on") {
			t.Error("the log does not say that the models go on")
		}
		check(t, out)
	})
}
