package main

import (
	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/wire"
)

// reportFlags adds the flags for plots.
func reportFlags(cmd *cobra.Command) {
	cmd.Flags().String("report", "", "write a page with tables and plots to this .html file")
	cmd.Flags().String("plots", "", "write each plot as SVG and PNG into this folder")
}

// reportOutputs returns the outputs named by the flags of reportFlags. It fails if one of them cannot be written.
func reportOutputs(cmd *cobra.Command) (report.Outputs, error) {
	page, _ := cmd.Flags().GetString("report")
	plots, _ := cmd.Flags().GetString("plots")
	o := report.Outputs{Page: page, Plots: plots, Made: "forecaster " + wire.ReadInfo().Version}
	if err := wire.CheckOutput("--report", page, cmd.Flags().Arg(0), ".html", ".htm"); err != nil {
		return o, err
	}
	return o, o.MakeFolder()
}
