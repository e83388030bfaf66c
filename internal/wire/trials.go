package wire

import "slices"

// combined are trials that combine several rows of the tables.
var combined = []Trial{
	{Name: "gaussian + laplacian", Sets: "model.kernel.plus.name=laplacian"},
	{Name: "gaussian x polynomial", Sets: "model.kernel.times.name=polynomial model.kernel.times.parameter=1"},
}

// learning are trials of model.optimiser.
var learning = []Trial{
	{Name: "step: plain", Sets: "model.optimiser.step=plain"},
	{Name: "step: adagrad", Sets: "model.optimiser.step=adagrad"},
	{Name: "plain, warm: 1000", Sets: "model.optimiser.step=plain model.optimiser.warm=1000"},
	{Name: "adagrad, warm: 1000", Sets: "model.optimiser.step=adagrad model.optimiser.warm=1000"},
	{Name: "plain, manifold: 0.1", Sets: "model.optimiser.step=plain model.optimiser.manifold=.1"},
	{Name: "plain, group_lasso: 0.01", Sets: "model.optimiser.step=plain model.optimiser.group_lasso=.01 model.kernel.linear=false"},
	{Name: "5 blocks", Sets: "model.optimiser.blocks=5"},
	{Name: "5 blocks, redraw: 500", Sets: "model.optimiser.blocks=5 model.optimiser.redraw=500"},
}

// Trials returns the trials of kernel compare, from all rows of the tables.
func Trials() []Trial {
	return slices.Concat(
		trialsOf(models, func(m model) []Trial { return m.trials }),
		trialsOf(kernels, func(k kernelRow) []Trial { return k.trials }),
		combined,
		trialsOf(samplings, func(s sampling) []Trial { return s.trials }),
		trialsOf(operators, func(o operator) []Trial { return o.trials }),
		trialsOf(gammas, func(g gamma) []Trial { return g.trials }),
		learning,
		trialsOf(lossKinds, func(l loss) []Trial { return l.trials }),
	)
}

func trialsOf[Row any](rows []Row, trials func(Row) []Trial) []Trial {
	var all []Trial
	for _, r := range rows {
		all = append(all, trials(r)...)
	}
	return all
}
