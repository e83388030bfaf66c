package main

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/config"
)

func (a *app) kernelCompareCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compare {FILE... | --made[=ROWS]}",
		Short: "Which kernel suits the data?",
		Long: `compare forecasts each file with every kernel, way of drawing features, operator
and way of learning, one step ahead, and prints the mean squared error of the last
three quarters in units of that of persistence: below 1 is better than nothing
changes. All else is as configured. A dash marks what the data forbid.

--made takes simulated series of so many rows in place of files, each with a law that
one kernel or operator was made for.`,
		Example: `  forecaster kernel compare data.csv
  forecaster kernel compare a.csv b.csv --order 1 --markdown
  forecaster kernel compare --made --order 1`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.kernelCompare(cmd, args) },
	}
	a.configFlags(cmd)
	modelFlags(cmd)
	_ = cmd.Flags().MarkHidden("model")
	cmd.Flags().Bool("markdown", false, "print a table in Markdown, the best of a column bold")
	cmd.Flags().Int("made", 0, "rows of simulated series, in place of files")
	cmd.Flags().Lookup("made").NoOptDefVal = "1000"
	return cmd
}

// variant is one line of kernel compare: settings besides those of the user.
type variant struct {
	Name string
	sets string // a.b=c, separated by blanks
	most int    // variables that its newton steps, cubic in them, take in reasonable time; then adagrad

	groups bool // as few groups as divide the variables
}

// variants are what kernel compare compares.
var variants = []variant{
	{Name: "VAR", sets: "model.type=var1"},
	{Name: "orffvar", sets: "model.type=orffvar"},
	{Name: "gaussian"},
	{Name: "laplacian", sets: "model.kernel.name=laplacian"},
	{Name: "sinc", sets: "model.kernel.name=sinc"},
	{Name: "matern12", sets: "model.kernel.name=matern12"},
	{Name: "matern32", sets: "model.kernel.name=matern32"},
	{Name: "matern52", sets: "model.kernel.name=matern52"},
	{Name: "skewed_chi2", sets: "model.kernel.name=skewed_chi2"},
	{Name: "angular", sets: "model.kernel.name=angular"},
	{Name: "polynomial", sets: "model.kernel.name=polynomial"},
	{Name: "exponential", sets: "model.kernel.name=exponential"},
	{Name: "dot_product 1 + t + t²/2 + t³/6", sets: "model.kernel.name=dot_product model.kernel.coefficients=1,1,.5,.1666667"},
	{Name: "compositional", sets: "model.kernel.name=compositional"},
	{Name: "semigroup_exponential", sets: "model.kernel.name=semigroup_exponential"},
	{Name: "semigroup_reciprocal", sets: "model.kernel.name=semigroup_reciprocal"},
	{Name: "gaussian + laplacian", sets: "model.kernel.plus.name=laplacian"},
	{Name: "gaussian x polynomial", sets: "model.kernel.times.name=polynomial model.kernel.times.parameter=1"},
	{Name: "sampling: phase", sets: "model.kernel.sampling=phase"},
	{Name: "sampling: orthogonal", sets: "model.kernel.sampling=orthogonal"},
	{Name: "sampling: fastfood", sets: "model.kernel.sampling=fastfood"},
	{Name: "sampling: sorf", sets: "model.kernel.sampling=sorf"},
	{Name: "sampling: halton", sets: "model.kernel.sampling=halton"},
	{Name: "sampling: sobol", sets: "model.kernel.sampling=sobol"},
	{Name: "polynomial, sampling: kakade", sets: "model.kernel.name=polynomial model.kernel.sampling=kakade"},
	{Name: "curl_free", sets: "model.kernel.operator.name=curl_free", most: 16},
	{Name: "curl_free, form: unbounded", sets: "model.kernel.operator.name=curl_free model.kernel.operator.form=unbounded", most: 16},
	{Name: "divergence_free", sets: "model.kernel.operator.name=divergence_free", most: 3},
	{Name: "divergence_free, reduced", sets: "model.kernel.operator.name=divergence_free model.kernel.operator.reduced=true", most: 3},
	{Name: "helmholtz", sets: "model.kernel.operator.name=helmholtz", most: 3},
	{Name: "transformable", sets: "model.kernel.operator.name=transformable", most: 16},
	{Name: "schur", sets: "model.kernel.operator.name=schur", most: 3},
	{Name: "tensor", sets: "model.kernel.operator.name=tensor", most: 16, groups: true},
	{Name: "gamma: positions", sets: "model.kernel.operator.gamma=positions"},
	{Name: "step: plain", sets: "model.optimiser.step=plain"},
	{Name: "step: adagrad", sets: "model.optimiser.step=adagrad"},
	{Name: "plain, warm: 1000", sets: "model.optimiser.step=plain model.optimiser.warm=1000"},
	{Name: "adagrad, warm: 1000", sets: "model.optimiser.step=adagrad model.optimiser.warm=1000"},
	{Name: "plain, manifold: 0.1", sets: "model.optimiser.step=plain model.optimiser.manifold=.1"},
	{Name: "plain, group_lasso: 0.01", sets: "model.optimiser.step=plain model.optimiser.group_lasso=.01 model.kernel.linear=false"},
	{Name: "plain, gamma: correlations", sets: "model.optimiser.step=plain model.kernel.operator.gamma=correlations"},
	{Name: "plain, gamma: residuals", sets: "model.optimiser.step=plain model.kernel.operator.gamma=residuals"},
	{Name: "loss: huber", sets: "model.loss.name=huber"},
	{Name: "5 blocks", sets: "model.optimiser.blocks=5"},
	{Name: "5 blocks, redraw: 500", sets: "model.optimiser.blocks=5 model.optimiser.redraw=500"},
	{Name: "krls", sets: "model.type=krls"},
	{Name: "nystroem", sets: "model.type=nystroem"},
	{Name: "ngrc", sets: "model.type=ngrc"},
	{Name: "okvar", sets: "model.type=okvar"},
	{Name: "onorma", sets: "model.type=onorma"},
}

// compared is a line of kernel compare: one figure a file.
type compared struct {
	Name   string   `json:"name"`
	Ratios []number `json:"mse_over_persistence"`
}

func (a *app) kernelCompare(cmd *cobra.Command, paths []string) error {
	markdown, _ := cmd.Flags().GetBool("markdown")
	rows, _ := cmd.Flags().GetInt("made")
	made := cmd.Flags().Changed("made")
	switch {
	case made == (len(paths) > 0):
		return &usageError{errors.New("give either files or --made")}
	case made && rows < 200:
		return &usageError{fmt.Errorf("--made: must be >= 200 rows, got %d", rows)}
	}
	lines := make([]compared, len(variants))
	for i, v := range variants {
		lines[i].Name = v.Name
	}
	var header []string
	compare := func(data *eval.Dataset, name string, forced []config.Setting, of int) error {
		header = append(header, name)
		for i, v := range variants {
			a.status("%d of %d series, %d of %d: %s", len(header), of, i+1, len(variants), v.Name)
			ratio, err := a.compareOne(cmd, v, forced, data)
			a.status("")
			if err != nil {
				return fmt.Errorf("%s: %s: %w", name, v.Name, err)
			}
			lines[i].Ratios = append(lines[i].Ratios, ratio)
		}
		return nil
	}
	for _, path := range paths {
		forced := onlyFile("compare", path)
		base, err := a.load(cmd, modelSettings, forced...)
		if err != nil {
			return err
		}
		data, _, err := readDataset(cmd.Context(), base)
		if err != nil {
			return err
		}
		name := filepath.Base(path)
		if err := compare(data, strings.TrimSuffix(name, filepath.Ext(name)), forced, len(paths)); err != nil {
			return err
		}
	}
	if made {
		for _, w := range worlds() {
			if err := compare(w.dataset(rows, 1), w.name, nil, len(worlds())); err != nil {
				return err
			}
		}
	}
	if a.output == "json" {
		return writeJSON(a.stdout, map[string]any{"series": header, "results": lines})
	}
	best := make([]string, len(header))
	for j := range best {
		least := math.Inf(1)
		for _, line := range lines {
			if v := float64(line.Ratios[j]); v < least {
				least, best[j] = v, line.Ratios[j].fixed(3)
			}
		}
	}
	t := newTable(1, append([]string{""}, header...)...)
	for _, line := range lines {
		row := []any{line.Name}
		for j, r := range line.Ratios {
			text := r.fixed(3)
			if markdown && text == best[j] {
				text = "**" + text + "**"
			}
			row = append(row, text)
		}
		t.AppendRow(row)
	}
	if markdown {
		fmt.Fprintln(a.stdout, t.RenderMarkdown())
	} else {
		fmt.Fprintln(a.stdout, t.Render())
	}
	return nil
}

// compareOne returns the error of a variant in units of that of persistence, NaN
// when the data or the other settings forbid it.
func (a *app) compareOne(cmd *cobra.Command, v variant, forced []config.Setting, data *eval.Dataset) (number, error) {
	forced = slices.Clone(forced)
	add := func(sets string) {
		for _, s := range strings.Fields(sets) {
			key, value, _ := strings.Cut(s, "=")
			forced = append(forced, config.Setting{Path: key, Value: value, From: "compare"})
		}
	}
	add("model.type=kernelvar model.horizon=1 model.levels=")
	add(v.sets)
	if v.most > 0 && data.Dim() > v.most {
		add("model.optimiser.step=adagrad")
	}
	if v.groups {
		n := 2
		for data.Dim()%n != 0 && n < data.Dim() {
			n++
		}
		add(fmt.Sprintf("model.kernel.operator.groups=%d", n))
	}
	cfg, err := a.load(cmd, modelSettings, forced...)
	if err != nil {
		return number(math.NaN()), nil //nolint:nilerr // no figure for this data; lint gives the reason
	}
	m, err := newModel(cfg.Model, data.Dim(), len(data.Series) > 1)
	if err != nil {
		return number(math.NaN()), nil //nolint:nilerr // likewise
	}
	r, err := eval.Prequential(m, data, eval.Options{
		Horizon: 1, From: data.Len() / len(data.Series) / 4,
		OnStep: func(eval.Step) error { return cmd.Context().Err() },
	})
	if err != nil {
		return 0, err
	}
	return number(1 - r.Score(eval.All, 0).SkillVsNaive), nil
}
