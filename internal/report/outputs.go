package report

import (
	"fmt"
	"io"
	"os"

	"github.com/orffvar/forecaster/internal/plural"
)

// Outputs are the destinations of a Report; "": none.
type Outputs struct {
	Page  string // name of the HTML file
	Plots string // folder for the plots
	Made  string // Report.Made
}

// Wanted reports whether there is any output.
func (o Outputs) Wanted() bool { return o.Page != "" || o.Plots != "" }

// MakeFolder creates the folder for the plots. Called before the work, it fails before the work.
func (o Outputs) MakeFolder() error {
	if o.Plots == "" {
		return nil
	}
	if err := os.MkdirAll(o.Plots, 0o750); err != nil {
		return fmt.Errorf("--plots: %w; name a folder", err)
	}
	return nil
}

// Write writes the files, and prints their names to w.
func (o Outputs) Write(w io.Writer, r *Report) error {
	r.Made = o.Made
	if o.Page != "" {
		if err := r.WriteFile(o.Page); err != nil {
			return fmt.Errorf("--report: %w", err)
		}
		fmt.Fprintf(w, "report: %s\n", o.Page)
	}
	if o.Plots != "" {
		names, err := r.WriteFiles(o.Plots)
		if err != nil {
			return fmt.Errorf("--plots: %w", err)
		}
		fmt.Fprintf(w, "plots: %s in %s\n", plural.Count(len(names), "file"), o.Plots)
	}
	return nil
}
