package testserver

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
)

func TestInfluxDBKeepsDataAcrossARestart(t *testing.T) {
	s := StartInfluxDB(t)
	bucket := s.CreateDatabase("check")
	write := func(line string) {
		resp, err := http.Post(s.URL+"/api/v2/write?org=any&bucket="+bucket, "text/plain", strings.NewReader(line))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusNoContent {
			t.Fatal(resp.Status)
		}
	}
	write("m,k=v f=1 1000000000")
	s.Stop()
	s.Start()
	write("m,k=v f=2 2000000000")
	rows := s.Query(`from(bucket:"` + bucket + `") |> range(start: 0) |> filter(fn: (r) => r._measurement == "m")`)
	if len(rows) != 2 || rows[0]["_value"] != "1" || rows[1]["_value"] != "2" || rows[0]["k"] != "v" {
		t.Errorf("rows %v", rows)
	}
	if _, err := s.TryQuery(`from(bucket:"nowhere") |> range(start: 0)`); err == nil {
		t.Error("a query of a missing bucket succeeded")
	}
}

func TestKafkaKeepsItsLogAcrossRestarts(t *testing.T) {
	k := StartKafka(t)
	k.CreateTopic("check", 2)
	transport := &kafka.Transport{}
	defer transport.CloseIdleConnections()
	w := &kafka.Writer{Addr: kafka.TCP(k.Addr), Topic: "check", RequiredAcks: kafka.RequireAll, BatchSize: 1, Transport: transport}
	defer w.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	for i, restart := range []func(){func() {}, func() { k.Kill(); k.Start() }} {
		restart()
		if err := w.WriteMessages(ctx, kafka.Message{Value: []byte{byte(i)}}); err != nil {
			t.Fatalf("write %d: %v", i, err)
		}
	}
	client := &kafka.Client{Addr: kafka.TCP(k.Addr), Transport: transport}
	resp, err := client.ListOffsets(ctx, &kafka.ListOffsetsRequest{Topics: map[string][]kafka.OffsetRequest{
		"check": {kafka.LastOffsetOf(0), kafka.LastOffsetOf(1)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var n int64
	for _, p := range resp.Topics["check"] {
		n += p.LastOffset
	}
	if n != 2 {
		t.Errorf("the log has %d messages, want 2", n)
	}
}

func TestProxyForwardsAndMisbehaves(t *testing.T) {
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer echo.Close()
	go func() {
		for {
			c, err := echo.Accept()
			if err != nil {
				return
			}
			go func() { io.Copy(c, c); c.Close() }()
		}
	}()
	p := StartProxy(t, echo.Addr().String())
	dial := func() (net.Conn, *bufio.Reader) {
		c, err := net.Dial("tcp", p.Addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		c.SetDeadline(time.Now().Add(time.Minute))
		return c, bufio.NewReader(c)
	}
	say := func(c net.Conn, r *bufio.Reader) error {
		if _, err := io.WriteString(c, "hello\n"); err != nil {
			return err
		}
		_, err := r.ReadString('\n')
		return err
	}
	c, r := dial()
	if err := say(c, r); err != nil {
		t.Fatal(err)
	}
	p.SetBlackHole(true)
	c.SetDeadline(time.Now().Add(100 * time.Millisecond))
	if err := say(c, r); err == nil {
		t.Error("the black hole answered")
	}
	p.SetBlackHole(false)
	c.SetDeadline(time.Now().Add(time.Minute))
	p.Reset()
	if err := say(c, r); err == nil {
		t.Error("a reset connection works")
	}
	p.SetRefuse(true)
	if err := say(dial()); err == nil {
		t.Error("a refused connection works")
	}
	p.SetRefuse(false)
	if err := say(dial()); err != nil {
		t.Error(err)
	}
}
