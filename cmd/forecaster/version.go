package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/internal/wire"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version, the Go release and the platform",
		Example: "  forecaster version --output json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b := wire.ReadInfo()
			if a.output == "json" {
				return json.NewEncoder(a.stdout).Encode(b)
			}
			fmt.Fprintln(a.stdout, "forecaster", b)
			return nil
		},
	}
}
