// Package retry computes the pause before a failed Kafka request is repeated. It also recognises errors that no
// repetition repairs, refusals of a client or of a message, and explains them.
package retry

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"syscall"
	"time"

	kafkago "github.com/segmentio/kafka-go"
)

const (
	firstPause = 100 * time.Millisecond
	lastPause  = 10 * time.Second
)

// Backoff is a pause that doubles with every failure. Jitter spreads the clients that reconnect to a broker after
// its restart.
type Backoff struct{ next time.Duration }

// Pause waits between half and all of the current step, or until ctx ends.
func (b *Backoff) Pause(ctx context.Context) error {
	d := max(b.next, firstPause)
	b.next = min(2*d, lastPause)
	t := time.NewTimer(d/2 + rand.N(d/2))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

func (b *Backoff) Reset() { b.next = 0 }

// Refused reports whether the broker refuses this client with its configuration. At the start such an error is
// permanent. Later it may be a change of credentials, and callers wait.
func Refused(err error) bool {
	for _, e := range []kafkago.Error{
		kafkago.SASLAuthenticationFailed, kafkago.UnsupportedSASLMechanism, kafkago.IllegalSASLState,
		kafkago.TopicAuthorizationFailed, kafkago.GroupAuthorizationFailed, kafkago.ClusterAuthorizationFailed,
		kafkago.InvalidTopic, kafkago.InvalidGroupId, kafkago.InvalidSessionTimeout,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	var (
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
		verify    *tls.CertificateVerificationError
		record    tls.RecordHeaderError
		alert     tls.AlertError
	)
	return errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &invalid) ||
		errors.As(err, &verify) || errors.As(err, &record) || errors.As(err, &alert) || expectsTLS(err)
}

// Unacceptable reports whether the broker refuses a message permanently.
func Unacceptable(err error) bool {
	return Refused(err) || TooLarge(err) ||
		errors.Is(err, kafkago.InvalidRecord) || errors.Is(err, kafkago.InvalidTimestamp)
}

// TooLarge reports whether err refuses a request above the size limit of the topic.
func TooLarge(err error) bool {
	return errors.Is(err, kafkago.MessageSizeTooLarge) || errors.Is(err, kafkago.RecordListTooLarge)
}

// expectsTLS recognises an error of kafka-go by its text, since it has no type.
func expectsTLS(err error) bool {
	return err != nil && strings.Contains(err.Error(), "expecting TLS")
}

// Explain adds the probable cause to an error that refuses a client.
func Explain(err error) error {
	var record tls.RecordHeaderError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, kafkago.SASLAuthenticationFailed):
		return fmt.Errorf("the broker does not accept the SASL user name and password: %w", err)
	case errors.Is(err, kafkago.UnsupportedSASLMechanism):
		return fmt.Errorf("the broker does not offer this SASL mechanism: %w", err)
	case errors.As(err, &record):
		return fmt.Errorf("the broker does not speak TLS on this port: %w", err)
	case expectsTLS(err):
		return fmt.Errorf("the broker speaks TLS on this port, and TLS is not configured: %w", err)
	case errors.Is(err, kafkago.InvalidTimestamp):
		return fmt.Errorf("the broker takes the time of a message for wrong, by its own clock; the clock of this machine says %s: "+
			"if that is wrong, set it (timedatectl, chronyc makestep), else the clock of the broker, or raise message.timestamp.after.max.ms and message.timestamp.before.max.ms of the topic: %w",
			time.Now().UTC().Format(time.RFC3339), err)
	case Refused(err):
		return fmt.Errorf("the broker refuses this client, or this client the broker: %w", err)
	}
	return err
}

// ExplainFirst is Explain for an error before the first answer of a broker.
func ExplainFirst(err error) error {
	if dial := new(net.OpError); errors.Is(err, syscall.ECONNREFUSED) && errors.As(err, &dial) && dial.Addr != nil {
		return fmt.Errorf("no broker listens at %s: start it, or correct the address: %w", dial.Addr, syscall.ECONNREFUSED)
	} else if errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("no broker listens there: start it, or correct the address: %w", err)
	}
	if unknown := new(net.DNSError); errors.As(err, &unknown) && unknown.IsNotFound {
		return fmt.Errorf("no machine has the name %s: correct the address of the broker: %w", unknown.Name, err)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) {
		return fmt.Errorf("the broker hangs up; a broker that always does so may expect TLS, no TLS, or other credentials: %w", err)
	}
	return Explain(err)
}

// Kind returns the text of an error without the ports of a connection, which makes the text equal for errors of one
// kind.
func Kind(err error) string {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Op + ": " + op.Err.Error()
	}
	return err.Error()
}
