package secret_test

import (
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/secret"
)

func TestCheckURL(t *testing.T) {
	for _, ok := range []string{"http://localhost:8086", "https://db.example.com", "https://db.example.com/influx/", "http://[::1]:8086"} {
		if err := secret.CheckURL(ok); err != nil {
			t.Errorf("%s: %v", ok, err)
		}
	}
	for _, text := range []string{
		"", "localhost:8086", "//" + canary, "http://", "http://:8086", "influx://" + canary, "http://a b" + canary, "http://u:%zz" + canary + "@h",
		"http://" + canary + "@h", "http://u:" + canary + "@h", "http://h?p=" + canary, "http://h/?", "http://h#" + canary,
	} {
		if err := secret.CheckURL(text); err == nil || strings.Contains(err.Error(), canary) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestCheckAddress(t *testing.T) {
	for _, ok := range []string{"localhost:9092", "kafka-1.example_x.com:9092", "127.0.0.1:1", "[::1]:9092", "[fe80::1%eth0]:9092", "müller:kafka"} {
		if err := secret.CheckAddress(ok); err != nil {
			t.Errorf("%s: %v", ok, err)
		}
	}
	for _, text := range []string{"", canary, ":9092", "h:", "sasl://u:" + canary + "@h:1", "u:" + canary + "@h:1", canary + "@h:1", "h:1?" + canary, "h:1/" + canary, "h h:1"} {
		if err := secret.CheckAddress(text); err == nil || strings.Contains(err.Error(), canary) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
