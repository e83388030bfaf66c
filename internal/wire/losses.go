package wire

import (
	"fmt"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/sgd"
)

// loss is a row of the table of losses.
type loss struct {
	name   string // of model.loss.name
	trials []Trial
	newton bool // can take Newton steps, which have the curvature of the squared loss

	make func(l config.Loss) (sgd.Loss, error)
}

// losses is the table.
var losses = []loss{
	{name: "squared", newton: true, make: func(config.Loss) (sgd.Loss, error) { return sgd.Squared{}, nil }},
	{
		name: "huber", trials: []Trial{{Name: "loss: huber", Sets: "model.loss.name=huber"}}, newton: true,
		make: func(l config.Loss) (sgd.Loss, error) {
			if l.Parameter == 0 {
				l.Parameter = 1
			}
			return sgd.NewHuber(l.Parameter)
		},
	},
	{name: "pinball", make: func(l config.Loss) (sgd.Loss, error) { return sgd.NewPinball(l.Parameter) }},
	{name: "insensitive", make: func(l config.Loss) (sgd.Loss, error) { return sgd.NewInsensitive(l.Parameter) }},
}

func lossName(l loss) []string { return []string{l.name} }

func newLoss(l config.Loss) (sgd.Loss, error) {
	row, ok := find(losses, lossName, l.Name)
	if !ok {
		return nil, fmt.Errorf("model.loss.name: there is no loss %q", l.Name)
	}
	return row.make(l)
}
