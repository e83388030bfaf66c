//go:build unix

package soak

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// live is the place that the processes under failures write to. A place is a database, or a topic.
const live = "live"

// output is one that a job under failures and a replay without write alike.
type output struct {
	name   string
	create func(w *world, place string)
	config func(w *world, place string) string
	read   func(w *world, place string) map[string]string // each value by its identity
}

var outputs = []output{
	influxOutput("wide"), influxOutput("long"), kafkaOutput("wide"), kafkaOutput("long"),
}

func influxOutput(layout string) output {
	return output{
		name:   "InfluxDB " + layout,
		create: func(w *world, place string) { w.influx.CreateDatabase(place) },
		config: func(w *world, place string) string {
			url := w.influx.URL
			if place == live {
				url = "http://" + w.toI.Addr
			}
			return fmt.Sprintf(`output: {influxdb: {url: %q, org: any, token: "a:b", bucket: %s/autogen, layout: %s}}`, url, place, layout)
		},
		read: queryAll,
	}
}

// queryAll returns everything in a database.
func queryAll(w *world, place string) map[string]string {
	got := make(map[string]string)
	rows := w.influx.Query(fmt.Sprintf(`from(bucket: "%s/autogen") |> range(start: 2000-01-01T00:00:00Z, stop: 2100-01-01T00:00:00Z)`, place))
	for _, r := range rows {
		at, err := time.Parse(time.RFC3339Nano, r["_time"])
		if err != nil {
			w.t.Fatal(err)
		}
		key := r["_measurement"]
		for _, tag := range slices.Sorted(maps.Keys(r)) {
			switch tag {
			case "result", "table", "_start", "_stop", "_time", "_value", "_field", "_measurement":
			default:
				if r[tag] != "" {
					key += "," + tag + "=" + r[tag]
				}
			}
		}
		got[fmt.Sprintf("%s %s %d", key, r["_field"], at.UnixNano())] = r["_value"]
	}
	return got
}

// kafkaOutput gets some messages twice. Both must be the same to the byte, or else there is
// one that the replay has not.
func kafkaOutput(layout string) output {
	return output{
		name:   "Kafka " + layout,
		create: func(w *world, place string) { w.kafka.CreateTopic(place, partitions) },
		config: func(w *world, place string) string {
			return fmt.Sprintf(`output: {kafka: {brokers: [%q], topic: %s, layout: %s}}`, w.toK.Addr, place, layout)
		},
		read: func(w *world, place string) map[string]string {
			got := make(map[string]string)
			for i, end := range w.ends(place) {
				if end == 0 {
					continue
				}
				for _, m := range w.messages(place, i, end) {
					got[string(m.Key)+" "+string(m.Value)] = "a message"
				}
			}
			return got
		},
	}
}
