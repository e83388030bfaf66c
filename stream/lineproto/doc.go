// Package lineproto writes points in InfluxDB's line protocol. The time of a
// point is its target time, so that a forecast lies over what was later observed:
//
//	forecast          horizon, [level,] model, series, target   yhat, yhat_lower, yhat_upper
//	observation       series, target                            y, residual, anomaly_score, is_anomaly
//	forecast_metrics  horizon, model, series, target            mse, rmse, mae, ..., n
//	forecast_events   kind, series                              text
//
// A field without a finite value is left out. The same batch gives the same
// lines, and a point written again overwrites the whole of itself.
package lineproto
