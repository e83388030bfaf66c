package retry

import (
	"errors"
	"net"
	"strings"
	"testing"
)

// TestUnknownName: the error for an unknown broker name tells the remedy, and still wraps the error of the
// resolver.
func TestUnknownName(t *testing.T) {
	unknown := &net.DNSError{Err: "no such host", Name: "nohost", IsNotFound: true}
	err := ExplainFirst(&net.OpError{Op: "dial", Net: "tcp", Err: unknown})
	if !strings.HasPrefix(err.Error(), "no machine has the name nohost: correct the address of the broker: ") || !errors.Is(err, unknown) {
		t.Errorf("got %v", err)
	}
}
