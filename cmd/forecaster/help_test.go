//go:build !race

package main

import (
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/wire"
)

// Every model of the table is in the help of --model, and the models with an influence
// graph in that of influence.
func TestHelpNamesEveryModel(t *testing.T) {
	for verb, names := range map[string][]string{"replay": wire.ModelNames(), "influence": wire.InfluenceModels()} {
		help := mustCall(t, verb, "-h")
		for _, name := range names {
			if !strings.Contains(help, name) {
				t.Errorf("%s -h does not name %s", verb, name)
			}
		}
	}
}
