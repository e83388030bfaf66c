package main

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/varmodel"
)

func (a *app) influenceCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "influence {FILE | --network[=ROWS]}",
		Short: "Find which variables drive which",
		Long: `influence learns a file and averages the derivatives of the one-step forecasts: by
how many standard deviations the next value of one variable changes with one
standard deviation of another. Edges are what exceeds the threshold: the 95 %
quantile of the influences that the same model finds when it learns, at each row, the
step of another, random row, once for each of --permutations.

Influence is predictive, given the other variables; it is no proof of a cause.
The models are orffvar (default), auto, varN, ngrc and those of a kernel: kernelvar, krls,
nystroem, okvar and onorma.

--network checks this on four simulated networks of ten variables, of so many rows,
whose edges are known: AUROC is the probability that an edge has a larger influence
than a pair of variables without one.`,
		Example: `  forecaster influence data.csv
  forecaster influence data.csv --model var2 --picture graph.svg
  forecaster influence data.csv --model kernelvar --set model.kernel.name=matern32 --output json
  forecaster influence --network --model kernelvar --order 1 --picture network.svg`,
		Args: cobra.MaximumNArgs(1),
		RunE: a.influence,
	}
	a.configFlags(cmd)
	modelFlags(cmd)
	cmd.Flags().Int("permutations", 20, "runs from which the threshold is taken; 0 = no threshold")
	cmd.Flags().String("picture", "", "SVG file to write the graph of the first series to")
	cmd.Flags().Int("network", 0, "rows of simulated networks, in place of FILE")
	cmd.Flags().Lookup("network").NoOptDefVal = "3000"
	return cmd
}

// influences are what influence prints for a series.
type influences struct {
	Series    string     `json:"series"`
	Variables []string   `json:"variables"`
	Influence [][]number `json:"influence"` // [i][j]: of variable j on variable i
	Threshold number     `json:"threshold"`
	Edges     []edge     `json:"edges"`
	AUROC     *number    `json:"auroc,omitempty"` // when the edges are known
}

// edge is an influence above the threshold.
type edge struct {
	From      string `json:"from"`
	To        string `json:"to"`
	Influence number `json:"influence"`
}

func (a *app) influence(cmd *cobra.Command, args []string) error {
	permutations, _ := cmd.Flags().GetInt("permutations")
	picture, _ := cmd.Flags().GetString("picture")
	rows, _ := cmd.Flags().GetInt("network")
	switch {
	case permutations < 0:
		return &usageError{fmt.Errorf("--permutations: must be >= 0, got %d", permutations)}
	case cmd.Flags().Changed("network") == (len(args) == 1):
		return &usageError{errors.New("give either a file or --network")}
	case cmd.Flags().Changed("network") && rows < 200:
		return &usageError{fmt.Errorf("--network: must be >= 200 rows, got %d", rows)}
	}
	var file []config.Setting
	if len(args) == 1 {
		file = onlyFile("influence", args[0])
	}
	cfg, err := a.load(cmd, modelSettings, file...)
	if err != nil {
		return err
	}
	c := cfg.Model
	if c.Type == "auto" && !cmd.Flags().Changed("model") { // auto takes minutes where this takes seconds
		c.Type = "orffvar"
	}
	c.Horizon = 1
	var (
		data    *eval.Dataset
		refused string
		truth   [][][]bool // a series
	)
	if len(args) == 1 {
		data, refused, err = readDataset(cmd.Context(), cfg)
	} else {
		data, truth = networks(rows, c.Seed)
	}
	if err != nil {
		return err
	}
	newModel := func() (eval.Model, error) {
		if err := cmd.Context().Err(); err != nil {
			return nil, err
		}
		m, err := newPlainModel(c, data.Dim(), false)
		if err != nil {
			return nil, err
		}
		return varmodel.NewInfluence(m, data.Dim(), 0)
	}
	if _, err := newModel(); err != nil {
		return &usageError{fmt.Errorf("%s: %w", c.Type, err)}
	}
	results := []influences{}
	for i, s := range data.Series {
		a.status("%d of %d: %s", i+1, len(data.Series), s.Name)
		g, err := varmodel.InfluenceGraph(newModel, s.Rows, permutations, c.Seed)
		a.status("")
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		r := describe(s.Name, data.Variables, g)
		if truth != nil {
			auroc := number(g.AUROC(truth[i]))
			r.AUROC = &auroc
		}
		results = append(results, r)
	}
	if picture != "" {
		if err := os.WriteFile(picture, svgGraph(&results[0]), 0o600); err != nil {
			return err
		}
	}
	if a.output == "json" {
		return writeJSON(a.stdout, results)
	}
	var mean float64
	for _, r := range results {
		r.print(a.stdout)
		if r.AUROC != nil {
			fmt.Fprintf(a.stdout, "AUROC %s\n", r.AUROC.fixed(3))
			mean += float64(*r.AUROC) / float64(len(results))
		}
	}
	if truth != nil {
		fmt.Fprintf(a.stdout, "mean AUROC of %d networks: %.3f\n", len(results), mean)
	}
	if refused != "" {
		fmt.Fprintf(a.stdout, "left out: %s\n", refused)
	}
	return nil
}

// networks returns four simulated networks of ten variables and their edges.
func networks(rows int, seed uint64) (*eval.Dataset, [][][]bool) {
	data := &eval.Dataset{Name: "network"}
	var truth [][][]bool
	for i := range uint64(4) {
		g := eval.NewNetwork(seed + i)
		one := eval.Collect(fmt.Sprintf("network %d", seed+i), g, rows)
		one.Series[0].Name = one.Name
		data.Variables = one.Variables
		data.Series = append(data.Series, one.Series[0])
		truth = append(truth, g.Edges())
	}
	return data, truth
}

// describe names the variables of a graph; the edges are sorted, strong ones first.
func describe(series string, variables []string, g *varmodel.Graph) influences {
	r := influences{Series: series, Variables: variables, Threshold: number(g.Threshold), Edges: []edge{}}
	for i := range g.Dim {
		row := make([]number, g.Dim)
		for j := range row {
			row[j] = number(g.Influence[i*g.Dim+j])
			if g.Edge(i, j) {
				r.Edges = append(r.Edges, edge{variables[j], variables[i], row[j]})
			}
		}
		r.Influence = append(r.Influence, row)
	}
	slices.SortStableFunc(r.Edges, func(a, b edge) int {
		switch x, y := math.Abs(float64(a.Influence)), math.Abs(float64(b.Influence)); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return r
}

func (r *influences) print(w io.Writer) {
	fmt.Fprintf(w, "%s: %d edges above %s\n", r.Series, len(r.Edges), r.Threshold.fixed(4))
	t := newTable(2, "from", "to", "influence")
	for _, e := range r.Edges {
		t.AppendRow([]any{e.From, e.To, e.Influence.fixed(4)})
	}
	fmt.Fprintln(w, t.Render())
}

// svgGraph draws the variables on a circle and the edges as arrows, their width by
// strength, blue where the variables move alike and red where they move apart.
func svgGraph(r *influences) []byte {
	const (
		size   = 800.
		radius = 300.
		node   = 8.
	)
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" font-family="sans-serif" font-size="14">`+"\n", size, size)
	b.WriteString(`<defs><marker id="tip" viewBox="0 0 10 10" refX="10" refY="5" markerWidth="10" markerHeight="10" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L10 5L0 10z" fill="context-stroke"/></marker></defs>` + "\n")
	b.WriteString(`<rect width="100%" height="100%" fill="white"/>` + "\n")
	place := make(map[string][2]float64)
	for i, v := range r.Variables {
		angle := 2*math.Pi*float64(i)/float64(len(r.Variables)) - math.Pi/2
		place[v] = [2]float64{size/2 + radius*math.Cos(angle), size/2 + radius*math.Sin(angle)}
	}
	var top float64
	for _, e := range r.Edges {
		top = max(top, math.Abs(float64(e.Influence)))
	}
	for _, e := range r.Edges {
		p, q := place[e.From], place[e.To]
		dx, dy := q[0]-p[0], q[1]-p[1]
		length := math.Hypot(dx, dy)
		if length == 0 {
			continue
		}
		dx, dy = dx/length, dy/length
		// A bow to the left, so that both directions are seen.
		bow := length / 10
		mx, my := (p[0]+q[0])/2+bow*dy, (p[1]+q[1])/2-bow*dx
		colour := "#1f5fa8"
		if e.Influence < 0 {
			colour = "#c0392b"
		}
		strength := math.Abs(float64(e.Influence)) / top
		fmt.Fprintf(&b, `<path d="M%.1f %.1fQ%.1f %.1f %.1f %.1f" fill="none" stroke="%s" stroke-width="%.2f" stroke-opacity="%.2f" marker-end="url(#tip)"><title>%s → %s: %s</title></path>`+"\n",
			p[0]+node*dx, p[1]+node*dy, mx, my, q[0]-(node+3)*dx, q[1]-(node+3)*dy, colour, 1+4*strength, .35+.6*strength,
			html.EscapeString(e.From), html.EscapeString(e.To), e.Influence.fixed(3))
	}
	for _, v := range r.Variables {
		p := place[v]
		anchor := "middle"
		switch dx := p[0] - size/2; {
		case dx > 30:
			anchor = "start"
		case dx < -30:
			anchor = "end"
		}
		x, y := size/2+(p[0]-size/2)*1.07, size/2+(p[1]-size/2)*1.07+5
		fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="%g" fill="#333"/><text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n",
			p[0], p[1], node, x, y, anchor, html.EscapeString(v))
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}
