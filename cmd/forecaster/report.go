package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/internal/build"
	"github.com/orffvar/forecaster/internal/report"
)

// reportFlags adds the flags for plots.
func reportFlags(cmd *cobra.Command) {
	cmd.Flags().String("report", "", "write a page with tables and plots to this .html file, which needs no other file")
	cmd.Flags().String("plots", "", "write each plot as SVG and PNG into this folder")
}

// reporting has the paths of reportFlags; the zero value writes nothing.
type reporting struct{ input, page, plots string }

func reportingOf(cmd *cobra.Command) reporting {
	var r reporting
	r.input = cmd.Flags().Arg(0)
	r.page, _ = cmd.Flags().GetString("report")
	r.plots, _ = cmd.Flags().GetString("plots")
	return r
}

func (r reporting) wanted() bool { return r.page != "" || r.plots != "" }

// write writes the files and prints their names.
func (r reporting) write(w io.Writer, rep *report.Report) error {
	b := build.ReadInfo()
	rep.Made = "forecaster " + b.Version
	if r.page != "" && build.SameFile(r.page, r.input) {
		return fmt.Errorf("--report: %q is the input file; name another file", r.page)
	}
	if r.page != "" {
		if err := rep.WriteFile(r.page); err != nil {
			return fmt.Errorf("--report: %w", err)
		}
		fmt.Fprintf(w, "report: %s\n", r.page)
	}
	if r.plots != "" {
		names, err := rep.WriteFiles(r.plots)
		if err != nil {
			return fmt.Errorf("--plots: %w", err)
		}
		fmt.Fprintf(w, "plots: %d files in %s\n", len(names), r.plots)
	}
	return nil
}
