package wire

import (
	"fmt"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/sgd/losses"
)

// loss is a row of the table of losses.
type loss struct {
	name   string // value of model.loss.name
	trials []Trial
	newton bool // allows Newton steps, which use the curvature of the squared loss

	make func(l config.Loss) (losses.Loss, error)
}

// lossKinds is the table.
var lossKinds = []loss{
	{name: "squared", newton: true, make: func(config.Loss) (losses.Loss, error) { return losses.Squared{}, nil }},
	{
		name: "huber", trials: []Trial{{Name: "loss: huber", Sets: "model.loss.name=huber"}}, newton: true,
		make: func(l config.Loss) (losses.Loss, error) {
			if l.Parameter == 0 {
				l.Parameter = 1
			}
			return losses.NewHuber(l.Parameter)
		},
	},
	{name: "pinball", make: func(l config.Loss) (losses.Loss, error) { return losses.NewPinball(l.Parameter) }},
	{name: "insensitive", make: func(l config.Loss) (losses.Loss, error) { return losses.NewInsensitive(l.Parameter) }},
}

func lossName(l loss) []string { return []string{l.name} }

func newLoss(l config.Loss) (losses.Loss, error) {
	row, ok := find(lossKinds, lossName, l.Name)
	if !ok {
		return nil, fmt.Errorf("model.loss.name: there is no loss %q", l.Name)
	}
	return row.make(l)
}
