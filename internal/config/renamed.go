package config

// renamed has the present name of every key that had another one.
var renamed = map[string]string{
	"pipeline.lineage": "pipeline.schema_change_after",
	"pipeline.several": "pipeline.aggregate",
	"pipeline.hold":    "pipeline.wait_for_late",
	"model.anomaly":    "model.anomaly.level_sets", // now a block
}

// removed has the reason for every key that is gone.
var removed = map[string]string{
	"model.precision":         "weights are float64",
	"pipeline.good_copy":      "a model whose forecasts are not finite begins again",
	"pipeline.rollback_every": "a model whose forecasts are not finite begins again",
}
