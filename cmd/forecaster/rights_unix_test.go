//go:build unix

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/orffvar/forecaster/internal/tools/testserver"
)

// acl is a line of docs/howto/kafka-rights.md.
type acl struct{ operation, kind, name string }

var (
	aclLine     = regexp.MustCompile(`(?m)^    kafka-acls.sh --add --allow-principal User:forecaster --operation (\w+) --(topic|group) (\S+)$`)
	aclKinds    = map[string]kafka.ResourceType{"topic": kafka.ResourceTypeTopic, "group": kafka.ResourceTypeGroup}
	aclOperates = map[string]kafka.ACLOperationType{"Read": kafka.ACLOperationTypeRead, "Write": kafka.ACLOperationTypeWrite, "DescribeConfigs": kafka.ACLOperationTypeDescribeConfigs}
)

func (a acl) entry() kafka.ACLEntry {
	return kafka.ACLEntry{
		ResourceType: aclKinds[a.kind], ResourceName: a.name, ResourcePatternType: kafka.PatternTypeLiteral,
		Principal: "User:forecaster", Host: "*", Operation: aclOperates[a.operation], PermissionType: kafka.ACLPermissionTypeAllow,
	}
}

// TestRealRights: over TLS and SCRAM, a job with the rights of docs/howto/kafka-rights.md and no others
// works on topics that exist. Without any one of them, lint --connect and run name it.
func TestRealRights(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := testserver.Certificate(t, "127.0.0.1", 1, time.Now().Add(24*time.Hour))
	ca := filepath.Join(dir, "ca.pem")
	writeFile(t, ca, cert)
	k := testserver.StartKafka(t, testserver.KafkaSASL("forecaster", "pass"), testserver.KafkaTLS(cert, key), testserver.KafkaACLs())
	for _, topic := range []string{"metrics", "forecasts", "anomalies", "metrics-dead", "joined"} {
		k.CreateTopic(topic, 1)
	}
	k.CreateTopic("metrics-state", 1, "cleanup.policy", "compact")

	transport := &kafka.Transport{}
	defer transport.CloseIdleConnections()
	admin := &kafka.Client{Addr: kafka.TCP(k.Addr), Transport: transport}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	add := func(a acl) {
		t.Helper()
		resp, err := admin.CreateACLs(ctx, &kafka.CreateACLsRequest{ACLs: []kafka.ACLEntry{a.entry()}})
		if err != nil || resp.Errors[0] != nil {
			t.Fatal(err, resp)
		}
	}
	remove := func(a acl) {
		t.Helper()
		e := a.entry()
		resp, err := admin.DeleteACLs(ctx, &kafka.DeleteACLsRequest{Filters: []kafka.DeleteACLsFilter{{
			ResourceTypeFilter: e.ResourceType, ResourceNameFilter: e.ResourceName, ResourcePatternTypeFilter: e.ResourcePatternType,
			PrincipalFilter: e.Principal, HostFilter: e.Host, Operation: e.Operation, PermissionType: e.PermissionType,
		}}})
		if err != nil || len(resp.Results) != 1 || len(resp.Results[0].MatchingACLs) != 1 {
			t.Fatal(err, resp)
		}
	}
	var acls []acl
	for _, m := range aclLine.FindAllStringSubmatch(string(readFile(t, "../../docs/howto/kafka-rights.md")), -1) {
		acls = append(acls, acl{m[1], m[2], m[3]})
	}
	const plain = 8 // the others are for input.kafka.join
	if len(acls) != plain+3 {
		t.Fatalf("the page has %d lines for ACLs", len(acls))
	}
	for _, a := range acls[:plain] {
		add(a)
	}

	var settings []string
	for _, s := range []string{
		"input.kafka.brokers=" + k.SASLAddr, "input.kafka.topics=metrics", "input.kafka.session_timeout=6s", "input.kafka.tls_enable=true", "input.kafka.tls_ca=" + ca,
		"input.kafka.sasl_mechanism=SCRAM-SHA-256", "input.kafka.sasl_username=forecaster", "input.kafka.sasl_password=pass",
		"output.kafka.topic=forecasts", "output.kafka.anomaly_topic=anomalies", "output.dead_letters.topic=metrics-dead",
		"state.topic=metrics-state", "state.interval=20ms", "model.type=var1", "log.format=json",
	} {
		settings = append(settings, "--set", s)
	}
	lint := func() (int, string) {
		code, stdout, _ := call(t, append([]string{"lint", "--connect"}, settings...)...)
		return code, stdout
	}
	works := func() {
		t.Helper()
		var text string
		if !poll(func() bool { var code int; code, text = lint(); return code == exitDone }) {
			t.Fatalf("with all rights:\n%s", text)
		}
	}
	// needs takes rights away, one at a time.
	needs := func(acls []acl) {
		t.Helper()
		for _, a := range acls {
			remove(a)
			want := fmt.Sprintf("%s %s %s", a.operation, a.kind, a.name)
			var text string
			if !poll(func() bool {
				var code int
				code, text = lint()
				return code == exitFailed && strings.Contains(text, want)
			}) {
				t.Errorf("lint --connect without %q says\n%s", want, text)
			}
			if code, _, stderr := call(t, append([]string{"run"}, settings...)...); code != exitFailed || !strings.Contains(stderr, want) {
				t.Errorf("run without %q: exit code %d\n%s", want, code, stderr)
			}
			add(a)
		}
		works()
	}
	// job runs until something is in each topic.
	job := func(topics ...string) {
		t.Helper()
		live := start(t, "forecaster", append([]string{"run"}, settings...)...)
		for _, topic := range topics {
			if !poll(func() bool {
				resp, err := admin.ListOffsets(ctx, &kafka.ListOffsetsRequest{Topics: map[string][]kafka.OffsetRequest{topic: {kafka.LastOffsetOf(0)}}})
				return err == nil && resp.Topics[topic][0].LastOffset > 0
			}) {
				t.Fatalf("nothing was written to %s", topic)
			}
		}
		if code := live.terminate(t); code != exitDone {
			t.Errorf("the job ended with exit code %d", code)
		}
	}
	works()
	mustCall(t, "produce", writeSeries(t, dir), "--brokers", k.Addr, "--topic", "metrics")
	w := &kafka.Writer{Addr: kafka.TCP(k.Addr), Topic: "metrics", Transport: transport, RequiredAcks: kafka.RequireAll, BatchSize: 1}
	defer w.Close()
	if err := w.WriteMessages(ctx, kafka.Message{Value: []byte("no JSON")}); err != nil {
		t.Fatal(err)
	}
	job("forecasts", "metrics-dead", "metrics-state")
	needs(acls[:plain])

	k.CreateTopic("joined-state", 1, "cleanup.policy", "compact")
	for i := range acls {
		if acls[i].name == "metrics-state" {
			remove(acls[i])
			acls[i].name = "joined-state"
			add(acls[i])
		}
	}
	for _, a := range acls[plain:] {
		add(a)
	}
	settings = append(settings, "--set", "input.kafka.join=joined", "--set", "state.topic=joined-state")
	works()
	job("joined", "joined-state")
	needs(acls)
}
