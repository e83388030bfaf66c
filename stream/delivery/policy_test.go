package delivery

import (
	"testing"
	"time"
)

func TestFault45_RetryAfterForms(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "0": 0, "7": 7 * time.Second, " 7 ": 7 * time.Second, "-1": 0, "1.5": 0, "soon": 0, "7 seconds": 0,
		"601": 10 * time.Minute, "9223372036854775807": 10 * time.Minute, "9223372036854775808": 0,
		"Thu, 01 Jan 2026 00:00:30 GMT": 30 * time.Second, "Wed, 31 Dec 2025 23:59:30 GMT": 0,
		"Thursday, 01-Jan-26 00:00:30 GMT": 30 * time.Second, "Thu, 01 Jan 2099 00:00:30 GMT": 10 * time.Minute,
	} {
		if got := retryAfter(header, now); got != want {
			t.Errorf("Retry-After %q is %v, want %v", header, got, want)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{"7", "-1", "Thu, 01 Jan 2026 00:00:30 GMT", "99999999999999999999", "\x00"} {
		f.Add(s)
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, s string) {
		if d := retryAfter(s, now); d < 0 || d > longestWait {
			t.Errorf("%q is %v", s, d)
		}
	})
}
