// Package lineproto writes points in InfluxDB's line protocol. The time of a
// point is its target time, so that a forecast lies over what was later observed. Each
// measurement has the tags of the series, and more:
//
//	forecast          horizon, [level,] model   VAR, VAR_lower, VAR_upper of each variable
//	observation                                 VAR of each, anomaly_score;
//	                                            in an anomaly is_anomaly, cause, VAR_score, VAR_share
//	forecast_metrics  horizon, model, target    mse, rmse, mae, ..., n
//	forecast_experts  model                     the weight of each expert
//	forecast_events   kind                      text
//
// With Encoder.Long a variable has a line of its own, with its name as the tag target.
// A field without a finite value is left out. The same batch gives the same
// lines, and a point written again overwrites the whole of itself.
package lineproto
