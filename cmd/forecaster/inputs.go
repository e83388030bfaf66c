package main

import "github.com/spf13/cobra"

const knownFlag = "known-inputs"

// knownInputsFlag adds the flag that sets job.ReplayOptions.Known.
func knownInputsFlag(cmd *cobra.Command) {
	cmd.Flags().Bool(knownFlag, false, "read the exogenous inputs (model.exogenous) of later rows ahead")
}
