package main

import (
	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/job"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file"
)

const knownFlag = "known-inputs"

// knownInputsFlag adds the flag of InputsAhead.
func knownInputsFlag(cmd *cobra.Command) {
	cmd.Flags().Bool(knownFlag, false, "the inputs (model.exogenous) of later rows are known when a forecast is made, as those of a schedule are")
}

// ahead returns what makes the inputs of a file known, if the flag says so.
func ahead(cmd *cobra.Command, c *config.Config) func(*file.Source) (stream.Source, stream.Decoder) {
	known, _ := cmd.Flags().GetBool(knownFlag)
	return func(s *file.Source) (stream.Source, stream.Decoder) {
		if !known || len(c.Model.Exogenous) == 0 {
			return s, s.Decoder()
		}
		return &job.InputsAhead{Source: s, Rows: max(job.AheadRows, c.Model.Horizon)}, &job.InputsAlone{Decoder: s.Decoder(), Exogenous: c.Model.Exogenous}
	}
}
