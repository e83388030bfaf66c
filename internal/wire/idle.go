package wire

import (
	"fmt"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/internal/config"
)

// reads reports whether the model reads a key: its settings have the key, or a block with the key.
func (m model) reads(key string) bool {
	return slices.ContainsFunc(m.settings, func(s string) bool { return s == key || strings.HasPrefix(key, s+".") })
}

// besideSettings: every model reads keys, below model:, if one of the settings in with puts a wrapper around the model.
var besideSettings = struct{ keys, with []string }{
	[]string{"order", "seed"}, []string{"anomaly.level_sets=true", "intervals=quantile"},
}

// IdleSettings returns a line for each key that is set without effect: the model of c does not read it, others do.
func IdleSettings(c *config.Config) []string {
	row, err := modelNamed(c.Model.Type)
	if err != nil {
		return nil
	}
	around := c.Model.Anomaly.LevelSets || c.Model.Intervals == "quantile"
	byDefault := config.Default().Values("model")
	var idle []string
	for i, v := range c.Values("model") {
		key := strings.TrimPrefix(v.Key, "model.")
		switch {
		case v.Text == byDefault[i].Text || row.reads(key) || around && slices.Contains(besideSettings.keys, key):
		case slices.ContainsFunc(models, func(m model) bool { return m.reads(key) }):
			idle = append(idle, fmt.Sprintf("%s=%s has no effect: model.type %s does not read this key", v.Key, v.Text, c.Model.Type))
		}
	}
	return idle
}
