package testserver

import (
	"fmt"
	"strings"
	"testing"
)

// StartKafkaCluster starts a cluster of n brokers. Each topic has a replica on each broker, and takes messages while at
// least two brokers are alive.
func StartKafkaCluster(tb testing.TB, n int) []*Kafka {
	tb.Helper()
	ports := freePorts(tb, 3*n)
	var voters []string
	for i := range n {
		voters = append(voters, fmt.Sprintf("%d@127.0.0.1:%d", i+1, ports[3*i+1]))
	}
	var list []*Kafka
	for i := range n {
		k := newKafka(tb, ports[3*i:3*i+3], func(settings map[string]string) {
			settings["node.id"] = fmt.Sprint(i + 1)
			settings["controller.quorum.voters"] = strings.Join(voters, ",")
			settings["offsets.topic.replication.factor"] = fmt.Sprint(n)
			settings["transaction.state.log.replication.factor"] = fmt.Sprint(n)
			settings["default.replication.factor"] = fmt.Sprint(n)
			settings["min.insync.replicas"] = "2"
			settings["unclean.leader.election.enable"] = "false"
		})
		k.replicas = n
		k.launch()
		list = append(list, k)
	}
	for _, k := range list {
		k.ready()
	}
	return list
}
