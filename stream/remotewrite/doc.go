// Package remotewrite writes samples to Prometheus, VictoriaMetrics and others by Prometheus
// remote write 1.0.
//
// The samples are the points of package lineproto: a field of a measurement is a metric,
// MEASUREMENT_FIELD, and its tags are labels. Package delivery repeats requests, cuts them, or
// gives points up.
//
// Reference: Prometheus Remote-Write 1.0 specification,
// https://prometheus.io/docs/specs/prw/remote_write_spec/
package remotewrite
