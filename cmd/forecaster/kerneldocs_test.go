//go:build !race

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/study"
)

// kernelRows returns a file of n rows: dim variables that drive each other, and with state one
// more with the values 0, 1 and 2, which says in which third of a turn the first two are.
func kernelRows(n, dim int, state bool) []byte {
	rng := rand.New(rand.NewPCG(uint64(dim), 17))
	var b bytes.Buffer
	b.WriteString("row")
	for j := range dim {
		fmt.Fprintf(&b, ",v%d", j)
	}
	if state {
		b.WriteString(",state")
	}
	x := make([]float64, dim)
	for t := range n {
		last := append([]float64(nil), x...)
		for j := range x {
			x[j] = .5*last[j] + math.Sin(2*last[(j+1)%dim]) + .3*rng.NormFloat64()
		}
		fmt.Fprintf(&b, "\n%d", t)
		for _, v := range x {
			fmt.Fprintf(&b, ",%.6g", v)
		}
		if state {
			fmt.Fprintf(&b, ",%d", int(3*(math.Atan2(last[1], last[0])+math.Pi)/(2*math.Pi+1e-9)))
		}
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// Every example of the pages about kernels is a configuration that lint accepts, and with
// which its model forecasts a file.
func TestKernelExamplesForecast(t *testing.T) {
	const around = "input: {stdin: {}}\noutput: {discard: {}}\n"
	var configs []string
	for _, page := range []string{"kernels.md", "howto/own-kernel.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "docs", filepath.FromSlash(page)))
		if err != nil {
			t.Fatal(err)
		}
		n := len(configs)
		for _, m := range regexp.MustCompile("(?s)```yaml\n(model:\n.*?)```").FindAllStringSubmatch(string(text), -1) {
			configs = append(configs, around+m[1])
		}
		// The last cell of a row of a table.
		for _, m := range regexp.MustCompile("(?m)\\| `((?:type|kernel|optimiser|loss): [^`|]*)` \\|$").FindAllStringSubmatch(string(text), -1) {
			model := m[1]
			if !strings.HasPrefix(model, "type:") {
				model = "type: kernelvar, " + model
			}
			configs = append(configs, around+"model: {order: 1, "+model+"}\n")
		}
		if len(configs) == n {
			t.Errorf("%s has no examples", page)
		}
	}
	if len(configs) < 60 {
		t.Errorf("only %d examples were found", len(configs))
	}
	t.Chdir(t.TempDir())
	for _, c := range configs {
		writeFile(t, "forecaster.yaml", []byte(c))
		if code, stdout, stderr := call(t, "lint", "-c", "forecaster.yaml"); code != exitDone {
			t.Errorf("%s-> %s%s", c, stdout, stderr)
		}
		dim := 3
		if m := regexp.MustCompile(`(matrix|positions): \[(.*?)\]`).FindStringSubmatch(c); m != nil {
			if dim = len(strings.Split(m[2], ",")); m[1] == "matrix" {
				dim = int(math.Sqrt(float64(dim)))
			}
		} else if strings.Contains(c, "groups") {
			dim = 8
		} else if strings.Contains(c, "sorf") {
			dim = 32
		}
		writeFile(t, "data.csv", kernelRows(130, dim, false))
		kind := regexp.MustCompile(`type: (\w+)`).FindStringSubmatch(c)[1]
		if code, stdout, stderr := call(t, "evaluate", "data.csv", "-c", "forecaster.yaml", "--models", strings.Replace(kind, "varN", "var2", 1)); code != exitDone {
			t.Errorf("%s-> %s%s", c, stdout, stderr)
		}
	}
}

// Every command of the page about kernels, and of the list of methods, runs on a small file.
func TestMethodsOfThePapersRun(t *testing.T) {
	page := string(readFile(t, filepath.Join("..", "..", "docs", "kernels.md")))
	for _, m := range methods {
		page += "`forecaster " + m.command + "`\n"
	}
	t.Chdir(t.TempDir())
	writeFile(t, "data.csv", kernelRows(300, 3, true))
	writeFile(t, "flows.csv", []byte("variable,in,out\nv0,1,0\nv1,1,-1\nv2,0,-1\nstate,0,1\n"))
	writeFile(t, "covariance.csv", []byte("variable,v0,v1,v2,state\nv0,1,.5,0,0\nv1,.5,1,0,0\nv2,0,0,1,0\nstate,0,0,0,2\n"))
	done := make(map[string]bool)
	for _, m := range regexp.MustCompile("`forecaster ([a-z][^`]* [^`]*)`").FindAllStringSubmatch(page, -1) {
		line := strings.Replace(m[1], " FILE", " data.csv", 1)
		if done[line] {
			continue
		}
		done[line] = true
		args := strings.Fields(line)
		switch { // the last of two flags counts
		case args[0] == "tables":
			args = append(args, "--repeats", "2", "--most", "100", "--seeds", "1", "--models", "orffvar")
		case strings.Contains(line, "--synthetic"):
			args = append(args, "--synthetic=200")
		case strings.Contains(line, "--network"):
			args = append(args, "--network=300")
		case strings.Contains(line, "--picture"):
			args = append(args[:len(args)-1], "graph.svg")
		}
		if code, stdout, stderr := call(t, args...); code != exitDone {
			t.Errorf("forecaster %s: exit code %d\n%s%s", line, code, stdout, stderr)
		}
	}
	if len(done) < 30 {
		t.Errorf("only %d commands were found", len(done))
	}
}

// A rotation of two variables and their sum, which two flows move without noise: kernel fit
// --output-map finds the flows themselves. 1e-3: the ridge of 1e-9 leaves that much of the linear
// part to the features, relative to flows of size 1.
func TestFitFindsHiddenFlows(t *testing.T) {
	t.Chdir(t.TempDir())
	var b strings.Builder
	b.WriteString("row,x,y,sum\n")
	x, y, c, s := 1., 0., math.Cos(1), math.Sin(1)
	var flows [][2]float64
	for i := range 200 {
		fmt.Fprintf(&b, "%d,%.17g,%.17g,%.17g\n", i, x, y, x+y)
		flows = append(flows, [2]float64{(c-1)*x - s*y, s*x + (c-1)*y})
		x, y = c*x-s*y, s*x+c*y
	}
	writeFile(t, "data.csv", []byte(b.String()))
	writeFile(t, "flows.csv", []byte("variable,first,second\nsum,1,1\nx,1,0\ny,0,1\n"))
	args := []string{"kernel", "fit", "data.csv", "--iterations", "1", "--set", "model.order=1", "--output", "json"}
	fit := func(more ...string) (f study.Fits) {
		code, stdout, stderr := call(t, append(args, more...)...)
		if code != exitDone {
			t.Fatal(stderr)
		}
		if err := json.Unmarshal([]byte(stdout), &f); err != nil {
			t.Fatal(err)
		}
		return f
	}
	f := fit("--output-map", "flows.csv", "--set", "model.kernel.lambda=1e-9")
	for k, h := range f.Hidden {
		first := len(flows) - 1 - len(h.Test)
		for i, got := range h.Test {
			if want := flows[first+i][k]; !(math.Abs(float64(got)-want) <= 1e-3) {
				t.Fatalf("pair %d: flow %s is %g, want %g", i, h.Name, got, want)
			}
		}
	}
	if len(f.Hidden) != 2 || len(f.Hidden[0].Test) != 50 {
		t.Errorf("hidden functions %+v", f.Hidden)
	}

	// A covariance whose deviations are the typical steps, in any unit, is the Euclidean product.
	var square [3]float64 // of the increments that are learnt
	for _, h := range flows[:149] {
		for j, v := range []float64{h[0], h[1], h[0] + h[1]} {
			square[j] += 7 * v * v
		}
	}
	writeFile(t, "covariance.csv", fmt.Appendf(nil, "variable,x,y,sum\nx,%g,0,0\ny,0,%g,0\nsum,0,0,%g\n", square[0], square[1], square[2]))
	f = fit("--error-covariance", "covariance.csv", "--set", "model.kernel.lambda=0.1")
	if same := f.Results[1]; same.Method != "closed form, Mahalanobis" || !(same.Gap <= 1e-20) || !(f.Results[0].Test >= 1e-3) {
		t.Errorf("%+v, not the first line %+v", same, f.Results[0])
	}
}
