package natstest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/cloudevents"
)

// A program without this library publishes to the subject of its signals.
func TestEventsOfOtherProgramsAreReadInEachMode(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	l := join(t, natsbus.Options{URL: url})
	conn, _ := rawClient(t, url)
	var want []string
	event := func(id string) signals.Any {
		want = append(want, id)
		return signals.New(signals.Header{ID: signals.MustID(id), Source: "ext", Thread: "t", Time: time.Now(), TTL: -1, Confidence: 1}, signals.Discovery{Finding: id, Relevance: 1})
	}
	send := func(kind string, header nats.Header, data []byte) {
		t.Helper()
		store(t, conn, &nats.Msg{Subject: natsbus.Subject("swarmbus", "t", kind, "ext"), Header: header, Data: data})
	}
	ok := func(data []byte, err error) []byte {
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for i, name := range []string{"Content-Type", "content-type"} {
		for j, more := range []string{"", "; charset=UTF-8"} {
			send("discovery", nats.Header{name: {cloudevents.StructuredType + more}}, ok(cloudevents.Structured(event(fmt.Sprint("structured-", i, j)))))
			send("%%", nats.Header{name: {cloudevents.BatchType + more}}, ok(cloudevents.Batch([]signals.Any{event(fmt.Sprint("batch-", i, j, "a")), event(fmt.Sprint("batch-", i, j, "b"))})))
		}
	}
	send("discovery", nats.Header{"Content-Type": {"Application/CloudEvents+JSON"}}, ok(cloudevents.Structured(event("in-capitals"))))
	send("discovery", nats.Header{"Content-Type": {cloudevents.StructuredType}, nats.MsgIdHdr: {"with-id"}}, ok(cloudevents.Structured(event("with-id"))))
	for range 2 { // without an id for the servers, the readers find the second one
		header, data, err := cloudevents.Binary(event("binary"))
		send("discovery", header, ok(data, err))
	}
	want = want[:len(want)-1]
	reach(t, l.Bus(), must(t, agent(t, l, "a"), found("t", "end")).Seq)
	var got []string
	for s := range l.Bus().History(bus.Filter{}) {
		if h := s.Head(); h.Source == "ext" {
			got = append(got, h.ID.String())
		}
	}
	if !slices.Equal(got, want) || l.Stats().Dead[natsbus.Duplicate] != 1 {
		t.Errorf("got %q, want %q, dead letters %v", got, want, l.Stats().Dead)
	}
}

func TestMalformedEventsSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	var told whisper
	l := join(t, natsbus.Options{URL: url, Tell: told.tell()})
	conn, _ := rawClient(t, url)
	for _, c := range []struct {
		header nats.Header
		data   string
		want   string
	}{
		{nats.Header{"Content-Type": {cloudevents.StructuredType}}, "x", "not a JSON object"},
		{nats.Header{"Content-Type": {cloudevents.StructuredType}}, `{"specversion":"1.0","type":"discovery","source":"/ext"}`, "id: required"},
		{nats.Header{"Content-Type": {"application/cloudevents+avro"}}, "x", "events of type application/cloudevents+avro are not read"},
		{nats.Header{"Content-Type": {"application/json"}}, `{}`, "specversion"},
		{nats.Header{"Content-Type": {cloudevents.StructuredType}, nats.MsgIdHdr: {"other"}}, `{"specversion":"1.0","type":"discovery","source":"/ext","id":"one","data":{"finding":"x","relevance":1}}`, `message id is "other", want one, or none`},
	} {
		store(t, conn, &nats.Msg{Subject: natsbus.Subject("swarmbus", "t", "discovery", "ext"), Header: c.header, Data: []byte(c.data)})
		reach(t, l.Bus(), must(t, agent(t, l, "a"), found("t", "next")).Seq)
		all := strings.Split(told.text(), "\n")
		if last := all[len(all)-1]; !strings.Contains(last, c.want) || !strings.Contains(last, "is malformed") {
			t.Errorf("%s\nwant %s", last, c.want)
		}
	}
}
