package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/describegroups"
	"github.com/segmentio/kafka-go/protocol/metadata"

	"github.com/orffvar/forecaster/stream/kafka/internal/retry"
)

// Right is an operation that a Kafka ACL allows. Its value is the number of its bit in the answer of a broker
// (KIP-430).
type Right int

// Rights. Each except DescribeConfigs implies the operation Describe.
const (
	Read            Right = 3
	Write           Right = 4
	DescribeConfigs Right = 10
)

// String returns the name used by kafka-acls.sh.
func (r Right) String() string {
	return map[Right]string{Read: "Read", Write: "Write", DescribeConfigs: "DescribeConfigs"}[r]
}

// RightsError reports rights that a client lacks.
type RightsError struct {
	Lacking []string
	User    string // principal of an ACL, or "this client"
}

// Error implements error.
func (e *RightsError) Error() string {
	return fmt.Sprintf("kafka: the brokers do not let %s %s", e.User, strings.Join(e.Lacking, ", "))
}

// CheckRights returns a *RightsError if the client lacks rights to topics, or the right Read to group (unless
// empty). Missing topics and silent brokers are other errors. Brokers before Kafka 2.3 do not report rights; the
// check then passes.
func (c *Connection) CheckRights(ctx context.Context, group string, topics map[string][]Right) error {
	ctx, cancel := context.WithTimeout(ctx, c.RequestTimeout())
	defer cancel()
	lacking := &RightsError{User: "User:" + c.SASL.Username}
	if c.SASL.Username == "" || c.SASL.Mechanism == OAuthBearer {
		lacking.User = "this client"
	}
	names := slices.Sorted(maps.Keys(topics))
	answer, err := c.describeTopics(ctx, names)
	if err != nil {
		return retry.ExplainFirst(err)
	}
	var unusable error
	for _, t := range answer {
		switch err := kafkago.Error(t.ErrorCode); {
		case errors.Is(err, kafkago.TopicAuthorizationFailed):
			t.TopicAuthorizedOperations = 0
		case t.ErrorCode != 0:
			unusable = retry.ExplainFirst(&TopicError{t.Name, err})
			continue
		}
		for _, r := range topics[t.Name] {
			if !allows(t.TopicAuthorizedOperations, r) {
				lacking.Lacking = append(lacking.Lacking, fmt.Sprintf("%s topic %s", r, t.Name))
			}
		}
	}
	if group != "" {
		operations, err := c.groupOperations(ctx, group)
		for backoff := (retry.Backoff{}); awaitsCoordinator(err) && backoff.Pause(ctx) == nil; {
			operations, err = c.groupOperations(ctx, group)
		}
		if err != nil {
			return retry.ExplainFirst(err)
		}
		if !allows(operations, Read) {
			lacking.Lacking = append(lacking.Lacking, fmt.Sprintf("%s group %s", Read, group))
		}
	}
	if len(lacking.Lacking) > 0 {
		return lacking
	}
	return unusable
}

// allows reports whether operations contains the right r. A broker that does not report rights allows everything.
func allows(operations int32, r Right) bool {
	const unknown = -1 << 31
	return operations == unknown || operations>>r&1 == 1
}

// describeTopics requests topics with their allowed operations. The pool of kafka-go answers such requests from its
// cache, without the operations. The request therefore uses a connection of its own, which kafka-go authenticates.
func (c *Connection) describeTopics(ctx context.Context, topics []string) ([]metadata.ResponseTopic, error) {
	var err error
	for _, broker := range c.Brokers {
		var list []metadata.ResponseTopic
		if list, err = c.describeTopicsAt(ctx, broker, topics); err == nil || retry.Refused(err) {
			return list, err
		}
	}
	return nil, err
}

func (c *Connection) describeTopicsAt(ctx context.Context, broker string, topics []string) ([]metadata.ResponseTopic, error) {
	dialer, err := c.Dialer()
	if err != nil {
		return nil, err
	}
	var raw net.Conn
	dialer.TLS = nil
	dialer.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		var err error
		if raw, err = (&net.Dialer{}).DialContext(ctx, network, address); err == nil && c.TLS != nil {
			raw, err = c.handshake(ctx, raw, address)
		}
		return raw, err
	}
	authenticated, err := dialer.DialContext(ctx, "tcp", broker)
	if err != nil {
		return nil, err
	}
	defer authenticated.Close()
	if deadline, ok := ctx.Deadline(); ok {
		if err := raw.SetDeadline(deadline); err != nil {
			return nil, err
		}
	}
	conn := protocol.NewConn(raw, c.ClientID)
	conn.SetVersions(map[protocol.ApiKey]int16{protocol.Metadata: 8})
	answer, err := conn.RoundTrip(&metadata.Request{TopicNames: topics, IncludeTopicAuthorizedOperations: true})
	if err != nil {
		return nil, err
	}
	return answer.(*metadata.Response).Topics, nil
}

// handshake starts TLS on a connection.
func (c *Connection) handshake(ctx context.Context, raw net.Conn, address string) (net.Conn, error) {
	settings := c.TLS.Clone()
	if settings.ServerName == "" {
		settings.ServerName, _, _ = net.SplitHostPort(address)
	}
	conn := tls.Client(raw, settings)
	if err := conn.HandshakeContext(ctx); err != nil {
		raw.Close()
		return nil, err
	}
	return conn, nil
}

// awaitsCoordinator reports whether the cluster still chooses or loads the coordinator of a group, as for a while after
// the first request of the first group.
func awaitsCoordinator(err error) bool {
	return errors.Is(err, kafkago.GroupCoordinatorNotAvailable) || errors.Is(err, kafkago.NotCoordinatorForGroup) || errors.Is(err, kafkago.GroupLoadInProgress)
}

// groupOperations requests the allowed operations of a group from its coordinator.
func (c *Connection) groupOperations(ctx context.Context, group string) (int32, error) {
	cl, err := c.NewClient([]string{})
	if err != nil {
		return 0, err
	}
	defer cl.Close()
	answer, err := cl.transport.RoundTrip(ctx, cl.Addr, &describegroups.Request{Groups: []string{group}, IncludeAuthorizedOperations: true})
	switch {
	case errors.Is(err, kafkago.GroupAuthorizationFailed):
		return 0, nil
	case err != nil:
		return 0, err
	}
	for _, g := range answer.(*describegroups.Response).Groups {
		switch err := kafkago.Error(g.ErrorCode); {
		case g.GroupID != group:
		case g.ErrorCode == 0:
			return g.AuthorizedOperations, nil
		case errors.Is(err, kafkago.GroupAuthorizationFailed):
			return 0, nil
		default:
			return 0, err
		}
	}
	return 0, errors.New("the answer lacks the group")
}
