//go:build !race

package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/internal/job"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/event"
	"github.com/orffvar/forecaster/stream/lineproto"
)

const references = "../../docs/reference"

// TestReference compares the pages of docs/reference with the program. UPDATE_DOCS=1 writes them.
func TestReference(t *testing.T) {
	for name, text := range map[string]string{
		"cli.md":      cliReference(t),
		"metrics.md":  metricsReference(),
		"influxdb.md": influxReference(t),
	} {
		path := filepath.Join(references, name)
		if os.Getenv("UPDATE_DOCS") != "" {
			if err := os.MkdirAll(references, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("%s is out of date: UPDATE_DOCS=1 go test ./cmd/forecaster -run Reference", path)
		}
	}
}

// cliReference lists the verbs as their help does.
func cliReference(t *testing.T) string {
	var b strings.Builder
	b.WriteString("# Commands\n\nFor users of the command line. Made from the program's own help; do not edit. `forecaster VERB -h` explains each verb in full, with more examples, `forecaster completion SHELL` prints completions for bash, zsh, fish and PowerShell.\n")
	root := new(app).root()
	shared, common := sharedFlags(root)
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c != root && c.IsAvailableCommand() && c.Name() != "help" && c.Name() != "completion" {
			fmt.Fprintf(&b, "\n## %s\n\n%s.\n", c.CommandPath(), strings.TrimSuffix(c.Short, "."))
			if c.Long != "" {
				fmt.Fprintf(&b, "\n%s\n", summary(c.Long))
			}
			if c.Runnable() {
				fmt.Fprintf(&b, "\n    %s\n", c.UseLine())
			}
			writeFlags(&b, c.NonInheritedFlags(), shared)
			if c.Example != "" {
				fmt.Fprintf(&b, "\nExamples:\n\n%s\n", indented(firstLines(c.Example, 2)))
			} else if c.Runnable() {
				t.Errorf("%s has no example", c.CommandPath())
			}
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	b.WriteString("\n## Flags of all commands\n")
	writeFlags(&b, root.PersistentFlags(), nil)
	b.WriteString("\n## Flags of several commands\n\n*Those of files* are " + strings.Join(flagsOfFiles, ", ") + ".\n")
	writeFlags(&b, common, nil)
	walk(root)
	return b.String()
}

// summary returns the first paragraph of a help text, without what introduces the list behind it.
func summary(long string) string {
	first, _, _ := strings.Cut(long, "\n\n")
	first = strings.Join(strings.Fields(first), " ")
	if intro, ok := strings.CutSuffix(first, ":"); ok {
		if i := strings.LastIndex(intro, ". "); i >= 0 {
			return intro[:i+1]
		}
		return intro + "."
	}
	return first
}

// flagText is a flag as its line in a list.
func flagText(f *pflag.Flag) string { return f.Name + "\x00" + f.DefValue + "\x00" + f.Usage }

// sharedFlags returns the lines of the flags that three commands or more have alike, and the flags.
func sharedFlags(root *cobra.Command) (lines map[string]bool, flags *pflag.FlagSet) {
	const several = 3
	lines, flags = make(map[string]bool), pflag.NewFlagSet("", pflag.ContinueOnError)
	counts := make(map[string]int)
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			if c == root || f.Hidden || f.Name == "help" {
				return
			}
			if counts[flagText(f)]++; counts[flagText(f)] == several {
				lines[flagText(f)] = true
				flags.AddFlag(f)
			}
		})
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	return lines, flags
}

// writeFlags writes a list, and a line of the flags that are in shared.
func writeFlags(b *strings.Builder, set *pflag.FlagSet, shared map[string]bool) {
	var own strings.Builder
	var elsewhere []string
	set.VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Hidden || f.Name == "help":
			return
		case shared[flagText(f)]:
			elsewhere = append(elsewhere, "`--"+f.Name+"`")
			return
		}
		name := "`--" + f.Name + "`"
		if f.Shorthand != "" {
			name = "`-" + f.Shorthand + "`, " + name
		}
		fmt.Fprintf(&own, "- %s: %s", name, f.Usage)
		if f.DefValue != "" && f.DefValue != "[]" && f.Value.Type() != "bool" && !strings.Contains(f.Usage, "(default") {
			fmt.Fprintf(&own, " (default `%s`)", strings.Trim(f.DefValue, "[]"))
		}
		own.WriteByte('\n')
	})
	if len(elsewhere) > 0 {
		fmt.Fprintf(&own, "- [also](#flags-of-several-commands): %s\n", strings.Join(grouped(elsewhere), ", "))
	}
	if own.Len() > 0 {
		b.WriteString("\n" + own.String())
	}
}

// flagsOfFiles are the flags of the verbs that read a file. In a line they have one name.
var flagsOfFiles = []string{"`--last`", "`--max-refused`", "`--since`", "`--sort`", "`--strict`", "`--time-zone`"}

// grouped returns the flags with one name for all of flagsOfFiles.
func grouped(flags []string) []string {
	rest := slices.DeleteFunc(slices.Clone(flags), func(f string) bool { return slices.Contains(flagsOfFiles, f) })
	if len(flags)-len(rest) < len(flagsOfFiles) {
		return flags
	}
	return append(rest, "*those of files*")
}

// firstLines returns at most n lines of a text.
func firstLines(text string, n int) string {
	lines := strings.SplitAfterN(text, "\n", n+1)
	return strings.Join(lines[:min(n, len(lines))], "")
}

// indented is an example as a block of Markdown.
func indented(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, l := range lines {
		lines[i] = "    " + strings.TrimPrefix(l, "  ")
	}
	return strings.Join(lines, "\n")
}

// metricsReference lists what /metrics has.
func metricsReference() string {
	var b strings.Builder
	b.WriteString("# Prometheus metrics\n\nFor operators. Made from the code; do not edit. `/metrics` also has those of the Go runtime (`go_*`) and of the process (`process_*`). What to watch, and when to act: [operations](../operations.md), [runbook](../runbook.md).\n\n")
	all := slices.Clone(job.Metrics)
	slices.SortFunc(all, func(a, b job.Metric) int { return cmp.Compare(a.Name, b.Name) })
	for _, m := range all {
		labels := ""
		if len(m.Labels) > 0 {
			labels = "{" + strings.Join(m.Labels, ",") + "}"
		}
		fmt.Fprintf(&b, "- `%s%s`: %s\n", m.Name, labels, m.Help)
	}
	return b.String()
}

// meanings says what the tags and fields in InfluxDB are.
var meanings = map[string]string{
	"host":                  "each tag of the series under its own name, see [tags](../formats.md#tags). Series without tags, and points over all series (`_all`), have the tag `id` with the name",
	"target":                "variable, or `_all` for the whole sample",
	"model":                 "name of the model",
	"horizon":               "steps ahead",
	"level":                 "coverage level of the interval; only with several `model.levels`",
	"kind":                  "kind of the event: " + kinds(),
	"VAR":                   "value of the variable: forecast, or observed",
	"VAR_lower":             "lower bound",
	"VAR_upper":             "upper bound",
	"VAR_lower_joint":       "lower bound of the joint region; with `model.joint`",
	"VAR_upper_joint":       "upper bound of the joint region; with `model.joint`",
	"VAR_score":             "anomaly score of the variable by itself; only in an anomaly",
	"VAR_share":             "share of the variable in the score of the sample; only in an anomaly",
	"VAR_limit_probability": "probability that the variable has reached its limit by then (of an observation: within the horizon); with `model.limits`",
	"VAR_time_to_limit":     "seconds until the limit is more likely than not to be reached, if within the horizon; with `model.limits`",
	"limit_probability":     "as VAR_limit_probability",
	"time_to_limit":         "as VAR_time_to_limit",
	"y":                     "observed value",
	"residual":              "observed minus forecast, one step ahead",
	"anomaly_score":         "anomaly score, an alarm above 1; in the long layout also of each variable in an anomaly",
	"state_score":           "distance of the sample from the normal ones, for as long as that lasts; above 1 as rare as an alarm",
	"is_anomaly":            "`true` for samples that are odd enough for an alarm; absent otherwise",
	"anomaly_share":         "as VAR_share",
	"cause":                 "cause of an alarm: `level`, `noise`, `jump`, `correlation`, `flat` or `state`; only in an anomaly",
	"levelset_score":        "rank in [0, 1] by level sets; with `model.anomaly.level_sets`",
	"yhat":                  "forecast",
	"yhat_lower":            "lower bound",
	"yhat_upper":            "upper bound",
	"yhat_joint_lower":      "as VAR_lower_joint",
	"yhat_joint_upper":      "as VAR_upper_joint",
	"scv_mse":               "sequential cross-validation: mean squared error of the last `evaluate.window` samples",
	"scv_mse_se":            "standard error of `scv_mse`; absent while the window is less than half full, and for horizons above half of it",
	"mse":                   "mean squared error",
	"rmse":                  "root of `mse`",
	"mae":                   "mean absolute error",
	"mase":                  "MAE / MAE of persistence",
	"nmse":                  "MSE / variance of the target",
	"skill_vs_var":          "1 - NMSE / NMSE of VAR(1)",
	"skill_vs_persistence":  "1 - NMSE / NMSE of persistence",
	"coverage":              "share of the targets inside of the interval",
	"joint_coverage":        "share of the samples inside of the joint region",
	"width":                 "mean width of the interval",
	"pinball":               "mean quantile loss of the bounds of the interval",
	"n":                     "number of scored samples",
	"text":                  "description of the event",
	"EXPERT":                "weight of the expert in the one-step forecast, mean over the variables",
	"expert":                "name of the expert",
	"weight":                "as EXPERT",
}

func kinds() string {
	return "`" + strings.Join(event.Kinds, "`, `") + "`"
}

// influxIntroduction is what the page says before the tables.
const influxIntroduction = `# Measurements in InfluxDB

For users who query the database. Made from the code; do not edit. The time of a forecast is that of its target, so that it lies over the value observed later; all others have the time of the sample. An unknown field is left out. [Your own Grafana panel](../howto/grafana-panel.md) shows queries.

VAR stands for the name of each variable, ` + "`host`" + ` for the tags of the series. A variable or tag whose name the output uses itself, such as cpu_lower or model, gets an underscore behind it. Numbers are floats of %d significant digits unless a type is given. ` + "`output.influxdb.include`" + ` chooses the parts to write.
`

// influxReference encodes points that have everything and lists the tags and fields
// of both layouts.
func influxReference(t *testing.T) string {
	tags := []stream.Tag{{Key: "host", Value: "h"}}
	series := &stream.Series{Name: "host=h", Variables: []string{"VAR"}, Tags: tags}
	one := []float64{1}
	batch := &stream.Batch{
		Forecasts: []stream.Forecast{{
			Series: series, Model: "m", Time: 1, Horizon: 1, Yhat: one, Lower: []float64{1, 1}, Upper: []float64{1, 1}, JointLower: one, JointUpper: one, Reach: one,
		}},
		Observations: []stream.Observation{{
			Series: series, Time: 1, Y: one, Residual: one, AnomalyScore: 2, StateScore: 2, Share: one, VariableScores: one, Anomalous: true, LevelSetScore: .5, Reach: one, TimeToLimit: one,
		}},
		Metrics:  []stream.Metric{{Series: series, Target: stream.AllTargets, Horizon: 1, Model: "m", Time: 1, Score: scoring.Score{N: 1}}},
		Insights: []stream.Insight{{Series: series, Model: "m", Time: 1, Experts: []string{"EXPERT"}, Weights: one}},
		Events:   []stream.Event{{Series: series.Name, Tags: tags, Time: 1, Kind: event.Gap, Text: "t"}},
	}
	var b strings.Builder
	fmt.Fprintf(&b, influxIntroduction, lineproto.Digits)
	used := make(map[string]bool)
	e := lineproto.Encoder{Levels: []float64{.9, .5}}
	wide := describe(t, &b, string(e.AppendBatch(nil, batch)), "", used)
	e.Long = true
	b.WriteString("\n# The long layout\n\nWith `output.influxdb.layout: long` a variable has a point of its own, with its name as the tag `target`. These measurements differ; the others are as above.\n")
	describe(t, &b, string(e.AppendBatch(nil, batch)), wide, used)
	for n := range meanings {
		if !used[n] {
			t.Errorf("%s is described and not written", n)
		}
	}
	return b.String()
}

// describe writes what each measurement in the lines has, unless except has it, and returns all of it.
func describe(t *testing.T, b *strings.Builder, text, except string, used map[string]bool) string {
	type measurement struct{ tags, fields []string }
	all := make(map[string]*measurement)
	var order []string
	types := make(map[string]string)
	for line := range strings.Lines(text) {
		parts := strings.Fields(line)
		if len(parts) != 3 {
			t.Fatalf("line %q", line)
		}
		keys := strings.Split(parts[0], ",")
		m := all[keys[0]]
		if m == nil {
			m = new(measurement)
			all[keys[0]] = m
			order = append(order, keys[0])
		}
		add := func(to *[]string, pairs []string) {
			for _, p := range pairs {
				name, value, _ := strings.Cut(p, "=")
				if !slices.Contains(*to, name) {
					*to = append(*to, name)
				}
				types[name] = typeOf(value)
			}
		}
		add(&m.tags, keys[1:])
		add(&m.fields, strings.Split(parts[1], ","))
	}
	var tables string
	for _, name := range order {
		explained := maps.Clone(used)
		text := measurementText(t, name, all[name].tags, all[name].fields, types, used)
		if strings.Contains(except, text) {
			continue
		}
		tables += text
		b.WriteString(measurementText(t, name, all[name].tags, all[name].fields, types, explained))
	}
	return tables
}

// measurementText lists the tags and fields of a measurement, and explains those that are not in explained.
func measurementText(t *testing.T, name string, tags, fields []string, types map[string]string, explained map[string]bool) string {
	var text, list strings.Builder
	fmt.Fprintf(&text, "\n## %s\n", name)
	for _, k := range []struct {
		kind  string
		names []string
	}{{"Tags", tags}, {"Fields", fields}} {
		fmt.Fprintf(&text, "\n%s: `%s`.\n", k.kind, strings.Join(k.names, "`, `"))
		for _, n := range k.names {
			if meanings[n] == "" {
				t.Errorf("%s of %s has no description", n, name)
			}
			if explained[n] {
				continue
			}
			explained[n] = true
			kind := ""
			if k.kind == "Fields" && types[n] != "float" {
				kind = " (" + types[n] + ")"
			}
			fmt.Fprintf(&list, "- `%s`%s: %s\n", n, kind, meanings[n])
		}
	}
	if list.Len() > 0 {
		text.WriteString("\n" + list.String())
	}
	return text.String()
}

func typeOf(value string) string {
	switch {
	case value == "true" || value == "false":
		return "boolean"
	case strings.HasPrefix(value, `"`):
		return "string"
	case strings.HasSuffix(value, "i"):
		return "integer"
	}
	return "float"
}
