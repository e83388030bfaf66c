package job

import (
	"encoding/json"
	"math"
	"strconv"
	"time"

	"github.com/orffvar/forecaster/stream"
)

// appendRecordJSON appends r in the layout that input.data_format: json reads. Numbers round-trip bit for bit.
func appendRecordJSON(dst []byte, r *stream.Record) []byte {
	dst = append(dst, `{"time":"`...)
	dst = time.Unix(0, r.Time).UTC().AppendFormat(dst, time.RFC3339Nano)
	dst = append(dst, `","values":`...)
	opening, closing := byte('['), byte(']')
	if r.Names != nil {
		opening, closing = '{', '}'
	}
	dst = append(dst, opening)
	for j, v := range r.Values {
		if j > 0 {
			dst = append(dst, ',')
		}
		if r.Names != nil {
			name, err := json.Marshal(r.Names[j])
			if err != nil {
				panic("produce: " + err.Error()) // strings always encode
			}
			dst = append(append(dst, name...), ':')
		}
		if math.IsNaN(v) {
			dst = append(dst, "null"...)
		} else {
			dst = strconv.AppendFloat(dst, v, 'g', -1, 64)
		}
	}
	return append(dst, closing, '}')
}
