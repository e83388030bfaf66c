package delivery

import (
	"bytes"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/lineproto"
)

// chunks encodes a batch into consecutive requests. The next request is encoded while the previous one is under
// way.
type chunks struct {
	encoder lineproto.Encoder
	left    stream.Batch // points not encoded yet
	rest    []byte       // encoded lines beyond the last request
}

// pointsAtOnce is the number of points that are encoded before lines are counted.
const pointsAtOnce = 32

// largest is the size in bytes at which a request ends, even with fewer lines than allowed. A line can have a
// thousand variables, and a server rejects 25 MB.
const largest = 4 << 20

// next encodes the next request, of at most size lines, into buf. buf must not be the memory of the previous
// request. The result is empty after the last request.
func (c *chunks) next(buf []byte, size int) []byte {
	buf = append(buf[:0], c.rest...)
	for lines := bytes.Count(buf, newline); lines < size && len(buf) < largest; {
		part, ok := c.part()
		if !ok {
			break
		}
		from := len(buf)
		buf = c.encoder.AppendBatch(buf, &part)
		lines += bytes.Count(buf[from:], newline)
	}
	var request []byte
	request, c.rest = cut(buf, size)
	return request
}

// part removes some points of the first remaining kind. Kinds are in the order in which the encoder writes them.
func (c *chunks) part() (part stream.Batch, ok bool) {
	ok = take(&part.Forecasts, &c.left.Forecasts) || take(&part.Observations, &c.left.Observations) ||
		take(&part.Metrics, &c.left.Metrics) || take(&part.Insights, &c.left.Insights) ||
		take(&part.Events, &c.left.Events)
	return part, ok
}

func take[T any](dst, src *[]T) bool {
	n := min(len(*src), pointsAtOnce)
	*dst, *src = (*src)[:n], (*src)[n:]
	return n > 0
}

var newline = []byte("\n")

// cut splits lines after n lines, or earlier after the line that reaches largest bytes.
func cut(lines []byte, n int) (first, rest []byte) {
	end := 0
	for range n {
		if end >= largest {
			break
		}
		i := bytes.IndexByte(lines[end:], '\n')
		if i < 0 {
			return lines, nil
		}
		end += i + 1
	}
	return lines[:end], lines[end:]
}

// firstLine returns the first line, shortened for a log.
func firstLine(lines []byte) string {
	line, _, _ := bytes.Cut(lines, newline)
	return string(line[:min(len(line), 200)])
}
