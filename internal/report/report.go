package report

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Report is the content of a page.
type Report struct {
	Title  string
	Facts  []string // lines below the title
	Tables []Table
	Marked *Marked  // a series with its anomalies, or nil
	Traces []*Trace // traces of the compared models; the last one is the model of interest
	Made   string   // name and version of the program
}

// Table is a table of results.
type Table struct {
	Title   string
	Caption string
	More    string   // line below the rows: number of rows that are not listed, and the way to list them
	Numeric int      // columns from this one on are right-aligned
	Header  []string // header of each column; a newline begins another line
	Rows    [][]string
	Wide    []string // headers of columns that Narrow always removes
	Spare   []string // headers of columns that Narrow may remove, in this order
}

// leftOut names the variables that are not drawn. It notes if only the first series is drawn.
func leftOut(traces []*Trace) string {
	if len(traces) == 0 || len(traces[0].c.Variables) <= shownVariables {
		return ""
	}
	left := traces[0].c.Variables[shownVariables:]
	names := strings.Join(left[:min(len(left), mostNamed)], ", ")
	if len(left) > mostNamed {
		names += fmt.Sprintf(" and %d more", len(left)-mostNamed)
	}
	return fmt.Sprintf("The forecasts of the first %d variables are drawn; left out: %s. Scores and errors are of all variables.", shownVariables, names)
}

// mostNamed is the largest number of variables that leftOut names.
const mostNamed = 20

// WriteFiles writes each plot as NAME.svg and NAME.png into dir, and returns the names. It creates dir if it is missing.
func (r *Report) WriteFiles(dir string) (names []string, err error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, err
	}
	for _, f := range r.figures() {
		for _, kind := range []format{svgFile, pngFile} {
			name := filepath.Join(dir, f.name+"."+string(kind))
			if err := writeFile(name, func(w io.Writer) error { return f.write(w, kind) }); err != nil {
				return names, err
			}
			names = append(names, name)
		}
	}
	return names, nil
}

// WritePlot writes the first plot into a file: as SVG if the extension is .svg, otherwise as PNG.
func (r *Report) WritePlot(name string) error {
	all := r.figures()
	if len(all) == 0 {
		return errors.New("nothing to draw: there is no forecast")
	}
	kind := pngFile
	if strings.EqualFold(filepath.Ext(name), ".svg") {
		kind = svgFile
	}
	return writeFile(name, func(w io.Writer) error { return all[0].write(w, kind) })
}

// WriteFile writes the page into a file.
func (r *Report) WriteFile(name string) error { return writeFile(name, r.WriteHTML) }

func writeFile(name string, write func(io.Writer) error) (err error) {
	f, err := os.Create(name) // #nosec G304 -- the user has named it
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return write(f)
}
