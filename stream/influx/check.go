package influx

import (
	"context"
	"fmt"
)

// Check returns nil if the server accepts the token and the bucket. It sends a request with only a comment, which
// writes no point.
func (s *Sink) Check(ctx context.Context) error {
	err := s.writer.WriteRecord(ctx, "# is anybody there?")
	if err == nil {
		return nil
	}
	if text, passing := Classifier.Explain(err); !passing {
		return fmt.Errorf("influx: the token, the bucket or the request is not accepted: %s", text)
	}
	return fmt.Errorf("influx: %w", err)
}
