package config_test

import (
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/wire"
)

// The brokers of an output can have different access settings from those of the input, and YAML keeps them.
func TestOutputAccess(t *testing.T) {
	set := func(pairs ...string) (*config.Config, error) {
		sources := config.Sources{Set: []config.Setting{{Path: "output.kafka.topic", Value: "forecasts", From: "--set"}}}
		for i := 0; i < len(pairs); i += 2 {
			sources.Set = append(sources.Set, config.Setting{Path: pairs[i], Value: pairs[i+1], From: "--set"})
		}
		return config.Load(sources)
	}
	c, err := set("output.kafka.brokers", "b:9093", "output.kafka.tls_enable", "true", "output.kafka.tls_server_name", "kafka",
		"output.kafka.sasl_mechanism", "PLAIN", "output.kafka.sasl_username", "u", "output.kafka.sasl_password", "p")
	if err != nil {
		t.Fatal(err)
	}
	if k := wire.OutputKafka(c); !k.TLSEnable || k.TLSServerName != "kafka" || k.SASLMechanism != "PLAIN" || k.SASLPassword.Reveal() != "p" {
		t.Errorf("%+v", k)
	}
	text, err := c.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if s := string(text); !strings.Contains(s, "\n    tls_server_name: kafka\n") || strings.Contains(s, "sasl_password: p\n") {
		t.Errorf("dumped as\n%s", text)
	}
	for _, bad := range []struct {
		pairs []string
		want  string
	}{
		{[]string{"output.kafka.brokers", "b:1", "output.kafka.sasl_username", "u"}, "output.kafka.sasl_mechanism: must be given"},
		{[]string{"output.kafka.brokers", "b:1", "output.kafka.sasl_mechanism", "OAUTHBEARER"}, "output.kafka.sasl_token_file: one of"},
		{[]string{"output.kafka.brokers", "b:1", "output.kafka.sasl_mechanism", "OAUTHBEARER", "output.kafka.sasl_token_file", "f", "output.kafka.sasl_username", "u"}, "output.kafka.sasl_username: and"},
		{[]string{"output.kafka.brokers", "b:1", "output.kafka.sasl_mechanism", "PLAIN", "output.kafka.sasl_token_command", "f"}, "output.kafka.sasl_mechanism: must be OAUTHBEARER with output.kafka.sasl_token_command"},
		{[]string{"output.kafka.brokers", "b:1", "output.kafka.sasl_mechanism", "OAUTHBEARER", "output.kafka.sasl_token_url", "http://idp"}, "output.kafka.sasl_token_url: must be an https URL"},
		{[]string{"input.kafka.brokers", "b:1", "input.kafka.topics", "t", "output.kafka.sasl_token_command", "[x]"}, "output.kafka.brokers: must be given with settings of SASL"},
		{[]string{"output.kafka.brokers", "b:1", "output.kafka.tls_ca", "x"}, "output.kafka.tls_ca: has no effect without tls_enable"},
		{[]string{"input.kafka.brokers", "b:1", "input.kafka.topics", "t", "output.kafka.tls_enable", "true"}, "output.kafka.brokers: must be given with settings of SASL or TLS"},
	} {
		if _, err := set(bad.pairs...); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%v: %v", bad.pairs, err)
		}
	}
}
