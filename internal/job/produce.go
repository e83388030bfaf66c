package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file"
	"github.com/orffvar/forecaster/stream/kafka/kafkasink"
	"github.com/orffvar/forecaster/stream/refuse"
)

// Produce publishes a file to the topic of input.kafka, which must be one.
type Produce struct {
	Path         string
	Series       string // name of the series for rows without one; "": the name of the file
	Sort, Strict bool
	Rate         float64 // rows per second; 0: no limit
	Speed        float64 // multiple of real time, by the time stamps; 0: no limit
	Now          bool    // replace the time of each row by the current time
	Loop         bool    // start again at the end of the file
	Partitions   int     // number of partitions of a new topic; 0: the topic must exist

	Log   *slog.Logger
	Watch Watch // may be nil
}

// Produced is the result of Produce.
type Produced struct {
	Topic    string
	Messages int64
	Refusals wire.Refusals
	Elapsed  time.Duration
	Cut      bool // ctx ended before the end of the file, which was not to be published again and again
}

// Run publishes the file until its end, or until ctx ends.
func (p *Produce) Run(ctx context.Context, cfg *config.Config) (*Produced, error) {
	topics := wire.InputKafka(cfg).Topics
	if len(topics) > 1 {
		return nil, &config.UsageError{Err: fmt.Errorf("input.kafka.topics: produce publishes to one topic, and these are %d: %s; name one of them, such as --topic %s",
			len(topics), strings.Join(topics, ", "), topics[0])}
	}
	connection, err := wire.InputKafka(cfg).Connection()
	if err != nil {
		return nil, err
	}
	if err := p.tryFile(cfg); err != nil {
		return nil, err
	}
	if err := connection.Ping(ctx); err != nil {
		return nil, atBrokers(err)
	}
	done := &Produced{Topic: topics[0]}
	if p.Partitions > 0 {
		err = connection.CreateTopic(ctx, done.Topic, p.Partitions)
	} else if _, err = connection.Partitions(ctx, topics); err != nil { // the producer would try again and again
		err = fmt.Errorf("input.kafka.topics (--topic): %w: create it with --partitions 1 or more, or correct the name", err)
	}
	if err != nil {
		return nil, err
	}
	producer, err := kafkasink.NewProducer(connection, done.Topic, p.Log)
	if err != nil {
		return nil, err
	}
	defer producer.Close()
	start := time.Now()
	for {
		n, err := p.once(ctx, cfg, producer, &done.Refusals)
		done.Messages += n
		done.Elapsed = time.Since(start)
		switch {
		case ctx.Err() != nil:
			done.Cut = err != nil && !p.Loop
			return done, nil
		case err != nil:
			return nil, err
		case !p.Loop:
			return done, nil
		case n == 0:
			return nil, fmt.Errorf("%s: no usable rows", p.Path)
		}
	}
}

// atBrokers adds the setting to the error of unreachable brokers.
func atBrokers(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("input.kafka.brokers (--brokers): %w", wire.Unanswered(err))
}

func (p *Produce) open(cfg *config.Config) (*file.Source, error) {
	c := *cfg
	c.Input.Set(&wire.FileInput{Path: p.Path, Series: p.Series, Sort: p.Sort, Strict: p.Strict})
	return wire.OpenFile(&c)
}

// tryFile returns an error for an unreadable file before anything is published or created. It does not check standard
// input, which can be read only once.
func (p *Produce) tryFile(cfg *config.Config) error {
	if info, err := os.Stat(p.Path); err == nil && !info.Mode().IsRegular() || p.Path == "-" {
		return nil
	}
	src, err := p.open(cfg)
	if err != nil {
		return err
	}
	return src.Close()
}

// once publishes the file once.
func (p *Produce) once(ctx context.Context, cfg *config.Config, producer *kafkasink.Producer, refusals *wire.Refusals) (sent int64, err error) {
	src, err := p.open(cfg)
	if err != nil {
		return 0, err
	}
	defer src.Close()
	var (
		published atomic.Int64
		dec       = src.Decoder()
		source    = paced(src, src.Decoder(), p.Speed)
		in        = make([]stream.Message, 256)
		out       []stream.Message
		record    stream.Record
		pacer     = newPacer(p.Rate)
	)
	if p.Rate > 0 {
		in = in[:1]
	}
	defer p.Watch.start(src, published.Load)()
	for {
		n, err := source.Read(ctx, in)
		if err != nil && !errors.Is(err, io.EOF) {
			return sent, err
		}
		out = out[:0]
		for i := range n {
			derr := dec.Decode(&record, &in[i])
			if errors.Is(derr, stream.ErrDeleted) {
				continue
			}
			if derr != nil {
				var refusal *refuse.Error
				if !errors.As(derr, &refusal) {
					return sent, derr
				}
				refusals.Add(&in[i], refusal)
				continue
			}
			if p.Now {
				record.Time = time.Now().UnixNano()
			}
			out = append(out, stream.Message{Key: []byte(record.Series), Value: appendRecordJSON(nil, &record)})
		}
		if err := pacer.wait(ctx, len(out)); err != nil {
			return sent, err
		}
		if err := producer.Send(ctx, out); err != nil {
			return sent, err
		}
		sent += int64(len(out))
		published.Store(sent)
		if err != nil {
			return sent, nil
		}
	}
}
