package report

import (
	"fmt"
	"io"
	"os"

	"github.com/orffvar/forecaster/internal/plural"
)

// Outputs are where a command writes a Report; "" = nowhere.
type Outputs struct {
	Page  string // HTML file
	Plots string // folder for the plots
	Made  string // Report.Made
}

// Wanted reports whether there is an output.
func (o Outputs) Wanted() bool { return o.Page != "" || o.Plots != "" }

// MakeFolder creates the folder for the plots, so that it fails before the work and not behind it.
func (o Outputs) MakeFolder() error {
	if o.Plots == "" {
		return nil
	}
	if err := os.MkdirAll(o.Plots, 0o750); err != nil {
		return fmt.Errorf("--plots: %w; name a folder", err)
	}
	return nil
}

// Write writes the files, and their names to w.
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
