package config

// renamed maps old names of keys to their current names.
var renamed = map[string]string{
	"pipeline.lineage": "pipeline.schema_change_after",
	"pipeline.several": "pipeline.aggregate",
	"pipeline.hold":    "pipeline.wait_for_late",
	"model.anomaly":    "model.anomaly.level_sets", // model.anomaly is a block now
}

// removed maps removed keys to the reason of their removal.
var removed = map[string]string{
	"model.precision":         "weights are float64",
	"pipeline.good_copy":      "a model whose forecasts are not finite begins again",
	"pipeline.rollback_every": "a model whose forecasts are not finite begins again",
}
