package usage

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestExplain: a mistake names the flag, the value given and the one expected, without a word of
// the Go library.
func TestExplain(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"replay x --horizon abc", `--horizon: must be a whole number, got "abc"`},
		{"replay x --horizon 99999999999999999999", `--horizon: must be a whole number, got "99999999999999999999"`},
		{"replay x --horizon 1,12", `--horizon: must be a whole number, got "1,12"; several are given with --horizons 1,12`},
		{"replay x --speed 1,5", `--speed: must be a number, got "1,5"`},
		{"influence x y", `forecaster influence takes one argument, {FILE | --network}, got "x" "y"`},
		{"lint my.yaml", `forecaster lint takes no argument, got "my.yaml"; a configuration is given with  forecaster lint -c my.yaml`},
		{"replay x --seed -1", `--seed: must be a whole number from 0 on, got "-1"`},
		{"replay x --speed fast", `--speed: must be a number, got "fast"`},
		{"replay x --sort=x", `--sort: must be true or false, got "x"`},
		{"replay x --every 5", `--every: must be a duration such as 10s or 5m, got "5"`},
		{"replay x --horizons 1,b", `--horizons: must be whole numbers with commas, such as 1,12, got "1,b"`},
		{"replay x --horizn 3", "unknown flag --horizn, did you mean --horizon?"},
		{"replay x --frobnicate", "unknown flag --frobnicate"},
		{"replay x -horizon 3", "unknown flag -orizon, did you mean --horizon?"},
		{"replay x --horizon", "--horizon: needs a value, a whole number"},
		{"replay", "FILE is missing: forecaster replay FILE"},
		{"replay my file", `forecaster replay takes one argument, FILE, got "my" "file"`},
		{"demo x", `forecaster demo takes no argument, got "x"`},
		{"repaly x", `unknown command "repaly", did you mean replay?`},
		{"frobnicate", `unknown command "frobnicate": it has `},
		{"help repaly", `unknown command "repaly", did you mean replay?`},
		{"help group frobnicate", `unknown command "frobnicate": it has inspect`},
		{"completion frobnicate", `unknown command "frobnicate": it has bash, fish, powershell, zsh`},
		{"group insp", `unknown command "insp", did you mean inspect?`},
		{"group inspct", `unknown command "inspct", did you mean inspect?`},
	} {
		root := &cobra.Command{Use: "forecaster", SilenceErrors: true, SilenceUsage: true}
		run := func(*cobra.Command, []string) error { return nil }
		replay := &cobra.Command{Use: "replay FILE", Args: cobra.ExactArgs(1), RunE: run}
		f := replay.Flags()
		f.Int("horizon", 1, "")
		f.Uint64("seed", 1, "")
		f.Float64("speed", 1, "")
		f.Bool("sort", false, "")
		f.Duration("every", 0, "")
		f.IntSlice("horizons", nil, "")
		group := &cobra.Command{Use: "group"}
		group.AddCommand(&cobra.Command{Use: "inspect", RunE: run})
		lint := &cobra.Command{Use: "lint", Args: cobra.NoArgs, RunE: run}
		lint.Flags().StringP("config", "c", "", "")
		root.AddCommand(replay, lint, &cobra.Command{Use: "influence {FILE | --network}", Args: cobra.MaximumNArgs(1), RunE: run}, &cobra.Command{Use: "demo", Args: cobra.NoArgs, RunE: run}, group)
		Explain(root)
		root.SetArgs(strings.Fields(c.args))
		if err := root.Execute(); err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "strconv") {
			t.Errorf("%s: got %v, want %s", c.args, err, c.want)
		}
	}
}
