package testserver

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
)

// kafkaVersion is also in install.sh and in kafka/pom.xml.
const kafkaVersion = "4.1.1"

// Kafka is a running Apache Kafka broker (a KRaft node) without authentication at Addr. Topics are not created
// automatically.
type Kafka struct {
	Addr     string // address of the plain listener, 127.0.0.1:port
	SASLAddr string // address of the listener with PLAIN, SCRAM-SHA-256 or OAUTHBEARER; see KafkaSASL

	tb       testing.TB
	dir      string
	libs     string
	java     string
	replicas int
	process  *process
}

// KafkaOption changes the settings of a broker before its start.
type KafkaOption func(settings map[string]string)

// KafkaSetting sets a broker property.
func KafkaSetting(key, value string) KafkaOption {
	return func(settings map[string]string) { settings[key] = value }
}

// KafkaAdvertised makes the broker advertise another address to its clients, for example the address of a Proxy.
func KafkaAdvertised(addr string) KafkaOption {
	return KafkaSetting("advertised.listeners", "PLAINTEXT://"+addr)
}

// KafkaSASL adds a listener that authenticates a user.
func KafkaSASL(user, password string) KafkaOption {
	return func(settings map[string]string) {
		settings["sasl.enabled.mechanisms"] = "PLAIN,SCRAM-SHA-256,OAUTHBEARER"
		// This module of Kafka for tests accepts unsigned tokens.
		settings["listener.name.sasl.oauthbearer.sasl.jaas.config"] =
			"org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;"
		settings["listener.name.sasl.plain.sasl.jaas.config"] = fmt.Sprintf(
			"org.apache.kafka.common.security.plain.PlainLoginModule required user_%s=%q;", user, password)
		settings["listener.name.sasl.scram-sha-256.sasl.jaas.config"] =
			"org.apache.kafka.common.security.scram.ScramLoginModule required;"
		settings[scramUser] = fmt.Sprintf("SCRAM-SHA-256=[name=%s,password=%s]", user, password)
	}
}

// KafkaTLS encrypts the listener of KafkaSASL, with a certificate and its key in PEM.
func KafkaTLS(cert, key []byte) KafkaOption {
	escaped := func(pem []byte) string { return strings.ReplaceAll(string(pem), "\n", `\n`) }
	return func(settings map[string]string) {
		settings["listener.security.protocol.map"] = strings.Replace(settings["listener.security.protocol.map"], "SASL:SASL_PLAINTEXT", "SASL:SASL_SSL", 1)
		settings["listener.name.sasl.ssl.keystore.type"] = "PEM"
		settings["listener.name.sasl.ssl.keystore.certificate.chain"] = escaped(cert)
		settings["listener.name.sasl.ssl.keystore.key"] = escaped(key)
	}
}

// KafkaACLs restricts clients to the operations that an ACL allows. Anonymous clients at Addr have all rights.
func KafkaACLs() KafkaOption {
	return func(settings map[string]string) {
		settings["authorizer.class.name"] = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
		settings["super.users"] = "User:ANONYMOUS"
	}
}

// scramUser is the key of a setting for the metadata of the broker; it is not a broker property.
const scramUser = "scram user"

// StartKafka starts a broker, and stops it at the end of the test.
func StartKafka(tb testing.TB, options ...KafkaOption) *Kafka {
	tb.Helper()
	k := newKafka(tb, freePorts(tb, 3), options...)
	k.Start()
	return k
}

// newKafka prepares a broker that will listen on the ports.
func newKafka(tb testing.TB, ports []int, options ...KafkaOption) *Kafka {
	tb.Helper()
	libs := filepath.Join(cacheDir(), "kafka-"+kafkaVersion)
	if _, err := os.Stat(libs); err != nil {
		missing(tb, "Apache Kafka", "kafka")
	}
	java, err := exec.LookPath("java")
	if err != nil {
		missing(tb, "Java", "kafka")
	}
	k := &Kafka{
		Addr:     fmt.Sprintf("127.0.0.1:%d", ports[0]),
		SASLAddr: fmt.Sprintf("127.0.0.1:%d", ports[2]),
		tb:       tb, replicas: 1, dir: tb.TempDir(), libs: filepath.Join(libs, "*"), java: java,
	}
	controller := fmt.Sprintf("127.0.0.1:%d", ports[1])
	settings := map[string]string{
		"process.roles":                                    "broker,controller",
		"node.id":                                          "1",
		"controller.quorum.voters":                         "1@" + controller,
		"listeners":                                        "PLAINTEXT://" + k.Addr + ",SASL://" + k.SASLAddr + ",CONTROLLER://" + controller,
		"advertised.listeners":                             "PLAINTEXT://" + k.Addr,
		"controller.listener.names":                        "CONTROLLER",
		"listener.security.protocol.map":                   "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL:SASL_PLAINTEXT",
		"log.dirs":                                         filepath.Join(k.dir, "data"),
		"auto.create.topics.enable":                        "false",
		"num.network.threads":                              "2",
		"num.io.threads":                                   "2",
		"offsets.topic.replication.factor":                 "1",
		"offsets.topic.num.partitions":                     "1",
		"transaction.state.log.replication.factor":         "1",
		"transaction.state.log.num.partitions":             "1",
		"transaction.state.log.min.isr":                    "1",
		"share.coordinator.state.topic.replication.factor": "1",
		"share.coordinator.state.topic.min.isr":            "1",
		"group.initial.rebalance.delay.ms":                 "0",
		"group.min.session.timeout.ms":                     "500",
	}
	for _, o := range options {
		o(settings)
	}
	scram := settings[scramUser]
	delete(settings, scramUser)
	if scram == "" {
		settings["listeners"] = strings.Replace(settings["listeners"], "SASL://"+k.SASLAddr+",", "", 1)
	} else {
		settings["advertised.listeners"] += ",SASL://" + k.SASLAddr
	}
	var properties strings.Builder
	for key, value := range settings {
		fmt.Fprintf(&properties, "%s=%s\n", key, value)
	}
	if err := os.WriteFile(k.properties(), []byte(properties.String()), 0o600); err != nil {
		tb.Fatal(err)
	}
	args := k.program("kafka.tools.StorageTool", "format", "-t", "Zm9yZWNhc3Rlci10ZXN0cw", "-c", k.properties())
	if scram != "" {
		args = append(args, "--add-scram", scram)
	}
	format := exec.Command(java, args...)
	if out, err := format.CombinedOutput(); err != nil {
		tb.Fatalf("formatting the Kafka log: %v\n%s", err, out)
	}
	tb.Cleanup(func() {
		if k.process != nil {
			k.process.kill()
		}
	})
	return k
}

func (k *Kafka) properties() string { return filepath.Join(k.dir, "server.properties") }

// program returns the arguments of Java for a program of Kafka. Java starts twice as fast with the class archive of
// install.sh. It ignores the archive if it is missing or from another version of Java.
func (k *Kafka) program(class string, args ...string) []string {
	return append([]string{
		"-Xms128m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
		"-XX:SharedArchiveFile=" + filepath.Join(filepath.Dir(k.libs), "classes.jsa"), "-cp", k.libs, class,
	}, args...)
}

// Start starts the broker again after Stop or Kill, with its old log.
func (k *Kafka) Start() {
	k.tb.Helper()
	k.launch()
	k.ready()
}

func (k *Kafka) launch() {
	k.tb.Helper()
	p, err := startProcess(filepath.Join(k.dir, "kafka.log"), append([]string{k.java}, k.program("kafka.Kafka", k.properties())...)...)
	if err != nil {
		k.tb.Fatal(err)
	}
	k.process = p
}

// ready waits until the broker answers.
func (k *Kafka) ready() {
	k.tb.Helper()
	err := k.process.wait(4*time.Minute, func() error {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		conn, err := kafka.DialContext(ctx, "tcp", k.Addr)
		if err != nil {
			return err
		}
		defer conn.Close()
		if err := conn.SetDeadline(time.Now().Add(time.Second)); err != nil {
			return err
		}
		_, err = conn.Brokers()
		return err
	})
	if err != nil {
		k.tb.Fatal(err)
	}
}

// Stop shuts the broker down in order.
func (k *Kafka) Stop() {
	k.process.terminate(20 * time.Second)
	k.process = nil
}

// Kill kills the broker with SIGKILL.
func (k *Kafka) Kill() {
	k.process.kill()
	k.process = nil
}

// Pause freezes the broker with SIGSTOP, until Resume.
func (k *Kafka) Pause() { freeze(k.process.pid) }

// Resume ends a Pause with SIGCONT.
func (k *Kafka) Resume() { thaw(k.process.pid) }

// CreateTopic creates a topic and waits until every partition has a leader. settings are pairs of name and value.
func (k *Kafka) CreateTopic(topic string, partitions int, settings ...string) {
	k.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	transport := &kafka.Transport{}
	defer transport.CloseIdleConnections()
	client := &kafka.Client{Addr: kafka.TCP(k.Addr), Transport: transport}
	config := kafka.TopicConfig{Topic: topic, NumPartitions: partitions, ReplicationFactor: k.replicas}
	for i := 0; i+1 < len(settings); i += 2 {
		config.ConfigEntries = append(config.ConfigEntries, kafka.ConfigEntry{ConfigName: settings[i], ConfigValue: settings[i+1]})
	}
	resp, err := client.CreateTopics(ctx, &kafka.CreateTopicsRequest{Topics: []kafka.TopicConfig{config}})
	if err == nil {
		err = resp.Errors[topic]
	}
	if err != nil {
		k.tb.Fatalf("creating topic %s: %v", topic, err)
	}
	for {
		parts, err := kafka.DefaultDialer.LookupPartitions(ctx, "tcp", k.Addr, topic)
		led := 0
		for _, p := range parts {
			if p.Leader.Port != 0 {
				led++
			}
		}
		if err == nil && led == partitions {
			return
		}
		select {
		case <-ctx.Done():
			k.tb.Fatalf("topic %s has %d of %d leaders: %v", topic, led, partitions, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
