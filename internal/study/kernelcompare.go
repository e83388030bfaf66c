package study

import (
	"github.com/orffvar/forecaster/internal/report"
)

// Compared is a line of kernel compare: one figure a file.
type Compared struct {
	Name   string          `json:"name"`
	Ratios []report.Number `json:"mse_over_persistence"`
}
