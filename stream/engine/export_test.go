package engine

import "github.com/orffvar/forecaster/stream"

// BudgetUsed returns the bytes that the series of e cost.
func BudgetUsed(e *Engine) int64 { return e.budget.used }

// Begin reports whether m is new, so that its records are to be learnt.
func Begin(e *Engine, b *Results, m *stream.Message) bool { return e.begin(b, m) }
