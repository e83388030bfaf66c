package secret_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/orffvar/forecaster/internal/secret"
)

const canary = "canary-7f3a"

func TestNoWayOfPrintingRevealsTheValue(t *testing.T) {
	type block struct {
		Token  secret.Text `json:"token" yaml:"token"`
		hidden secret.Text
	}
	v := block{secret.New(canary), secret.New(canary)}
	if v.hidden.IsZero() {
		t.Fatal("the secret is empty")
	}
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&out, verb+"\n", v)
		fmt.Fprintf(&out, verb+"\n", &v)
		fmt.Fprintf(&out, verb+"\n", v.Token)
	}
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "token", v.Token, "block", v)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "token", v.Token, "block", v)
	for _, marshal := range []func(any) ([]byte, error){json.Marshal, yaml.Marshal} {
		b, err := marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(b), secret.Redacted) {
			t.Errorf("%s does not say that a value was redacted", b)
		}
		out.Write(b)
	}
	if strings.Contains(out.String(), canary) || strings.Contains(out.String(), fmt.Sprintf("%x", canary)) {
		t.Errorf("the secret was printed:\n%s", out.String())
	}
}

func TestEmptyPrintsNothing(t *testing.T) {
	if got := fmt.Sprint(secret.Text{}); got != "" {
		t.Errorf("got %q, want nothing, so that a missing secret can be seen", got)
	}
	if !secret.New("").IsZero() || secret.New("x").IsZero() || secret.New("x").Reveal() != "x" {
		t.Error("IsZero or Reveal is wrong")
	}
}
