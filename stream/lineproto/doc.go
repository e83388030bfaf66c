// Package lineproto writes points in InfluxDB's line protocol. The time of a
// point is its target time, so that a forecast lies over the later observation. Each
// measurement has the tags of the series, and more:
//
//	forecast          horizon, [level,] model   VAR, VAR_lower, VAR_upper of each variable;
//	                                            with a joint region VAR_lower_joint, VAR_upper_joint
//	observation                                 VAR of each, anomaly_score, state_score, levelset_score;
//	                                            in an anomaly is_anomaly, cause, VAR_score, VAR_share
//	forecast_metrics  horizon, model, target    scv_mse, scv_mse_se, mse, ..., n
//	forecast_experts  model                     the weight of each expert
//	forecast_events   kind                      text
//
// With Encoder.Long each variable has lines of its own, with its name as the tag target, and
// each expert with its name as the tag expert:
//
//	forecast          horizon, [level,] model, target   yhat, yhat_lower, yhat_upper, yhat_joint_lower, yhat_joint_upper
//	observation       target                            y, residual; in an anomaly anomaly_score, anomaly_share
//	observation       target=_all                       anomaly_score, state_score, levelset_score; in an anomaly is_anomaly, cause
//	forecast_experts  expert, model                     weight
//
// Fields without a finite value are left out. The same batch gives the same lines, and a
// point written again overwrites the whole earlier point.
package lineproto
