package wire

import (
	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/varmodel"
)

func newPersistence(c config.Model, dim int, _ sharing) (eval.Model, error) {
	return varmodel.NewPersistence(varmodel.PersistenceConfig{Dim: dim, Horizon: c.Horizon})
}

func newSeasonal(c config.Model, dim int, _ sharing) (eval.Model, error) {
	return varmodel.NewSeasonal(varmodel.SeasonalConfig{Dim: dim, Horizon: c.Horizon, Period: c.Season})
}

func checkSeasonal(v *config.Checker, c *config.Config) {
	v.Need(c.Model.Season >= 1, "model.season", "seasonal needs the steps of a season, such as --season 24 for the day of hourly rows; evaluate prints those that auto finds; got %d", c.Model.Season)
}
