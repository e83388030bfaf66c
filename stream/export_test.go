package stream

// BudgetUsed returns the bytes that the series of e cost.
func BudgetUsed(e *Engine) int64 { return e.budget.used }
