//go:build unix && !race

package main

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"
)

// TestFault62_RefusedSecretsAreNotEchoed: settings that hold a secret where it does not
// belong are refused by every command without repeating them.
func TestFault62_RefusedSecretsAreNotEchoed(t *testing.T) {
	const kafka = "input: {kafka: {brokers: [%s], topics: [t]}}\noutput: {discard: {}}\n"
	const influx = "input: {simulated: {rows: 10}}\noutput: {influxdb: {url: '%s', bucket: b}}\n"
	secret := func(format, value string) string { return fmt.Sprintf(format, value) }
	dir := t.TempDir()
	files := map[string]string{
		"user info":          secret(influx, "http://admin:"+secretMark+"@localhost:8086"),
		"user only":          secret(influx, "http://"+secretMark+"@localhost:8086"),
		"query":              secret(influx, "http://localhost:8086?u=admin&p="+secretMark),
		"query of a path":    secret(influx, "http://localhost:8086/write?p="+secretMark),
		"empty host":         secret(influx, "http://admin:"+secretMark+"@"),
		"fragment":           secret(influx, "http://localhost:8086#"+secretMark),
		"bad escape":         secret(influx, "http://admin:%zz"+secretMark+"@localhost:8086"),
		"bad port":           secret(influx, "http://admin:"+secretMark+"@localhost:80x"),
		"other scheme":       secret(influx, "influx://admin:"+secretMark+"@localhost:8086"),
		"no scheme":          secret(influx, "admin:"+secretMark+"@localhost:8086"),
		"space":              secret(influx, "http://admin:"+secretMark+" @localhost:8086"),
		"sasl URL":           secret(kafka, "'sasl://user:"+secretMark+"@localhost:9092'"),
		"broker with user":   secret(kafka, "'user:"+secretMark+"@localhost:9092'"),
		"broker with token":  secret(kafka, "'"+secretMark+"@localhost:9092'"),
		"broker with query":  secret(kafka, "'localhost:9092?password="+secretMark+"'"),
		"second broker":      secret(kafka, "'localhost:9092', 'sasl://user:"+secretMark+"@localhost:9092'"),
		"output broker":      "input: {simulated: {rows: 10}}\noutput: {kafka: {brokers: ['u:" + secretMark + "@b:9092'], topic: t}}\n",
		"no space":           "output:\n  influxdb:\n    token:" + secretMark + "\n    url: http://localhost:8086\n",
		"open quote":         "output:\n  influxdb:\n    token: \"" + secretMark + "\n    url: http://localhost:8086\n",
		"open single quote":  "output:\n  influxdb:\n    token: '" + secretMark + "\n    url: http://localhost:8086\n",
		"colon":              "output:\n  influxdb:\n    token: admin: " + secretMark + "\n",
		"tab":                "output:\n\tinfluxdb:\n\t\ttoken: " + secretMark + "\n",
		"percent":            "output:\n  influxdb:\n    token: %" + secretMark + "\n",
		"at":                 "output:\n  influxdb:\n    token: @" + secretMark + "\n",
		"backtick":           "output:\n  influxdb:\n    token: `" + secretMark + "\n",
		"alias":              "output:\n  influxdb:\n    token: *" + secretMark + "\n",
		"tag":                "output:\n  influxdb:\n    token: !" + secretMark + " x\n",
		"anchor":             "output:\n  influxdb:\n    token: &" + secretMark + "\n    url: *none\n",
		"list":               "output:\n  influxdb:\n    token: [" + secretMark + "]\n",
		"mapping":            "output:\n  influxdb:\n    token: {" + secretMark + ": 1}\n",
		"open list":          "output:\n  influxdb:\n    token: [" + secretMark + "\n",
		"open mapping":       "output:\n  influxdb: {token: " + secretMark + ", url: 'http://x\n",
		"indentation":        "output:\n  influxdb:\n    url: http://localhost:8086\n   token: " + secretMark + "\n",
		"block scalar":       "output:\n  influxdb:\n    token: |x" + secretMark + "\n      a\n",
		"default":            "output:\n  influxdb:\n    token: ${" + "a b:" + secretMark + "}\n",
		"value as a key":     "output:\n  influxdb:\n    " + secretMark + "\n",
		"value beside a key": "output:\n  influxdb: " + secretMark + "\n",
		"twice":              "output:\n  influxdb:\n    token: " + secretMark + "\n    token: " + secretMark + "2\n",
	}
	all := verbs(t, dir)
	for name, text := range files {
		file := filepath.Join(dir, "c.yaml")
		writeFile(t, file, []byte(text))
		refused := false
		for _, args := range all {
			if !takesConfig(args) {
				continue
			}
			for _, extra := range [][]string{nil, {"--output", "json"}} {
				if extra != nil && args[0] != "lint" {
					continue
				}
				code, stdout, stderr := callFor(t, time.Minute, append(append([]string{}, args...), append(extra, "-c", file)...)...)
				showsSecret(t, fmt.Sprintf("%s: %v", name, args), stdout+stderr)
				refused = refused || args[0] == "lint" && code != exitDone
			}
		}
		if !refused {
			t.Errorf("%s: lint accepts\n%s", name, text)
		}
	}
	for _, set := range []string{"output.influxdb.token:" + secretMark, "output.influxdb.tokn=" + secretMark, "output.influxdb.token.x=" + secretMark,
		"output.influxdb.url=http://u:" + secretMark + "@h", "output.influxdb=" + secretMark, "input.kafka.brokers=" + secretMark + "@b:1,sasl://" + secretMark} {
		code, stdout, stderr := call(t, "lint", "--set", set)
		showsSecret(t, "--set "+set, stdout+stderr)
		if code == exitDone {
			t.Errorf("--set %s is accepted", set)
		}
	}
}
