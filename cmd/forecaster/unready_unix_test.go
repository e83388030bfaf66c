//go:build unix

package main

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/segmentio/kafka-go"
)

// TestFault77_ReadyMeansWorking: a job that refuses everything, or cannot save its state, is not ready, and says why
// with the setting that helps; the log has one line about it.
func TestFault77_ReadyMeansWorking(t *testing.T) {
	t.Parallel()
	addr := startBroker(t, "metrics")
	client := &kafka.Client{Addr: kafka.TCP(addr)}
	send := func(values ...string) {
		t.Helper()
		var records []kafka.Record
		for _, v := range values {
			records = append(records, kafka.Record{Key: kafka.NewBytes([]byte("k")), Value: kafka.NewBytes([]byte(v))})
		}
		resp, err := client.Produce(context.Background(), &kafka.ProduceRequest{Topic: "metrics", RequiredAcks: kafka.RequireAll, Records: kafka.NewRecordReader(records...)})
		if err != nil || resp.Error != nil {
			t.Fatal(err, resp.Error)
		}
	}
	p := start(t, "forecaster", "run", "--set", "input.kafka.brokers="+addr, "--set", "input.kafka.topics=metrics", "--set", "input.kafka.session_timeout=6s",
		"--set", "output.discard={}", "--set", "state.topic=metrics-state", "--set", "state.interval=20ms", "--set", "model.type=var1", "--set", "log.format=json",
		"--set", "server.enabled=true", "--set", "server.listen=127.0.0.1:0")
	address := served(t, p)
	await := func(what string, code int, reason string) {
		t.Helper()
		var got int
		var text string
		if !poll(func() bool {
			got, text = readiness(address)
			return got == code && strings.Contains(text, reason)
		}) {
			t.Fatalf("%s: /readyz says %d %s, want %d with %q", what, got, text, code, reason)
		}
	}
	await("at the start", http.StatusOK, "ok")
	avro := "\x00\x00\x00\x00\x07\x02abc"
	send(avro, avro, avro, avro, avro, avro, avro, avro, avro, avro, avro, avro)
	await("everything is refused", http.StatusServiceUnavailable, "Confluent wire format, schema 7")
	send(`{"time":1767225600,"a":1}`)
	await("a record was learnt from", http.StatusOK, "ok")
	if n := strings.Count(p.stderr.String(), "records are refused"); n != 1 || !strings.Contains(p.stderr.String(), "--set input.data_format=avro") {
		t.Errorf("%d lines about refusals", n)
	}

	resp, err := client.DeleteTopics(context.Background(), &kafka.DeleteTopicsRequest{Topics: []string{"metrics-state"}})
	if err != nil || resp.Errors["metrics-state"] != nil {
		t.Fatal(err, resp)
	}
	send(`{"time":1767225601,"a":1}`)
	await("the state topic is gone", http.StatusServiceUnavailable, "write a checkpoint")
}
