package retry

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	kafkago "github.com/segmentio/kafka-go"
)

// TestErrors: for each kind of error, whether it refuses the client or a message, and what explains it.
func TestErrors(t *testing.T) {
	const refuses, tls0 = "the broker refuses this client, or this client the broker: ", "the broker does not speak TLS on this port: "
	at := &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9092}, Err: syscall.ECONNREFUSED}
	for _, c := range []struct {
		err                             error
		refused, unacceptable, tooLarge bool
		explained, first                string // words before the error; first: where Explain has none
	}{
		{errors.New("x"), false, false, false, "", ""},
		{kafkago.SASLAuthenticationFailed, true, true, false, "the broker does not accept the SASL user name and password: ", ""},
		{kafkago.UnsupportedSASLMechanism, true, true, false, "the broker does not offer this SASL mechanism: ", ""},
		{kafkago.IllegalSASLState, true, true, false, refuses, ""},
		{kafkago.TopicAuthorizationFailed, true, true, false, refuses, ""},
		{kafkago.GroupAuthorizationFailed, true, true, false, refuses, ""},
		{kafkago.ClusterAuthorizationFailed, true, true, false, refuses, ""},
		{kafkago.InvalidTopic, true, true, false, refuses, ""},
		{kafkago.InvalidGroupId, true, true, false, refuses, ""},
		{kafkago.InvalidSessionTimeout, true, true, false, refuses, ""},
		{x509.UnknownAuthorityError{}, true, true, false, refuses, ""},
		{x509.HostnameError{Certificate: new(x509.Certificate), Host: "h"}, true, true, false, refuses, ""},
		{x509.CertificateInvalidError{Reason: x509.Expired}, true, true, false, refuses, ""},
		{&tls.CertificateVerificationError{Err: errors.New("x")}, true, true, false, refuses, ""},
		{tls.AlertError(42), true, true, false, refuses, ""},
		{tls.RecordHeaderError{Msg: "x"}, true, true, false, tls0, ""},
		{errors.New("broker is expecting TLS"), true, true, false, "the broker speaks TLS on this port, and TLS is not configured: ", ""},
		{kafkago.MessageSizeTooLarge, false, true, true, "", ""},
		{kafkago.RecordListTooLarge, false, true, true, "", ""},
		{kafkago.InvalidRecord, false, true, false, "", ""},
		{kafkago.LeaderNotAvailable, false, false, false, "", ""},
		{io.EOF, false, false, false, "", "the broker hangs up; a broker that always does so may expect TLS, no TLS, or other credentials: "},
		{io.ErrUnexpectedEOF, false, false, false, "", "the broker hangs up; a broker that always does so may expect TLS, no TLS, or other credentials: "},
		{syscall.ECONNRESET, false, false, false, "", "the broker hangs up; a broker that always does so may expect TLS, no TLS, or other credentials: "},
		{syscall.ECONNREFUSED, false, false, false, "", "no broker listens there: start it, or correct the address: "},
		{&net.DNSError{Err: "x", Name: "h"}, false, false, false, "", ""}, // a resolver that fails for now
	} {
		err := fmt.Errorf("a request: %w", c.err)
		if Refused(err) != c.refused || Unacceptable(err) != c.unacceptable || TooLarge(err) != c.tooLarge {
			t.Errorf("%v: refused %v, unacceptable %v, too large %v", err, Refused(err), Unacceptable(err), TooLarge(err))
		}
		if got := Explain(err); got.Error() != c.explained+err.Error() || !errors.Is(got, err) {
			t.Errorf("%v is explained as %v", err, got)
		}
		if got := ExplainFirst(err); got.Error() != c.explained+c.first+err.Error() || !errors.Is(got, err) {
			t.Errorf("%v is explained at first as %v", err, got)
		}
	}
	if err := Explain(nil); err != nil || Refused(nil) {
		t.Error(err)
	}
	if got := ExplainFirst(at).Error(); got != "no broker listens at 127.0.0.1:9092: start it, or correct the address: connection refused" {
		t.Error(got)
	}
	if got := Explain(kafkago.InvalidTimestamp); !strings.HasPrefix(got.Error(), "the broker takes the time of a message for wrong, by its own clock; the clock of this machine says 20") || !errors.Is(got, kafkago.InvalidTimestamp) ||
		!Unacceptable(kafkago.InvalidTimestamp) || Refused(kafkago.InvalidTimestamp) {
		t.Error(got)
	}
	for err, want := range map[error]string{at: "dial: connection refused", fmt.Errorf("x: %w", at): "dial: connection refused", io.EOF: "EOF"} {
		if got := Kind(err); got != want {
			t.Errorf("the kind of %v is %s", err, got)
		}
	}
}

// TestBackoff: a pause lasts between half and all of a step that doubles from 0.1 s to 10 s, until Reset or the end of the
// context.
func TestBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b Backoff
		for i, ms := range []int{100, 200, 400, 800, 1600, 3200, 6400, 10000, 10000, 0, 100} {
			if ms == 0 {
				b.Reset()
				continue
			}
			step, begun := time.Duration(ms)*time.Millisecond, time.Now()
			if err := b.Pause(t.Context()); err != nil {
				t.Fatal(err)
			}
			if d := time.Since(begun); d < step/2 || d >= step {
				t.Errorf("pause %d lasts %v, want %v to %v", i, d, step/2, step)
			}
		}
		stop := errors.New("stop")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(stop)
		if err := b.Pause(ctx); !errors.Is(err, stop) {
			t.Error(err)
		}
	})
}
