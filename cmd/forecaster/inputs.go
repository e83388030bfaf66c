package main

import "github.com/spf13/cobra"

const knownFlag = "known-inputs"

// knownInputsFlag adds the flag of job.ReplayOptions.Known.
func knownInputsFlag(cmd *cobra.Command) {
	cmd.Flags().Bool(knownFlag, false, "the inputs (model.exogenous) of later rows are known when a forecast is made, as those of a schedule are")
}
