package stream

// BudgetUsed returns the bytes that the series of e cost.
func BudgetUsed(e *Engine) int64 { return e.budget.used }

// Learnt returns the number of samples that the model of a series has learnt, -1 without it.
func Learnt(e *Engine, name string) int64 {
	for _, s := range e.series {
		if s.info.Name == name {
			return s.shared.samples
		}
	}
	return -1
}
