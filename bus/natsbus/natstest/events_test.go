package natstest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/cloudevents"
)

func sample() signals.Any {
	return signals.New(signals.Header{
		Seq: 7, ID: signals.MustID("sig_9m4e2mr0ui3e8a215n4g"), Source: "critic", Thread: "review", ReplyTo: signals.MustID("first"),
		Time: time.Unix(1763642400, 123456789).UTC(), TTL: 5 * time.Second, Confidence: 0.9, Recipients: signals.To("b", "a"),
		Trace: &signals.Trace{TraceID: [16]byte{1}, SpanID: [8]byte{2}, Flags: 1, State: "a=1"}, Round: 3, Priority: -2, CausalLevel: signals.Intervention,
	}, signals.Vote{ProposalID: "p", Stance: signals.Disagree, Reasoning: "because", Weight: 0.5})
}

func text(t testing.TB, s signals.Any, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	b, err := signals.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// checkEvent checks what the SDK of CloudEvents read.
func checkEvent(t *testing.T, e *event.Event) {
	t.Helper()
	if err := e.Validate(); err != nil {
		t.Error(err)
	}
	s := sample().Head()
	if e.ID() != s.ID.String() || e.Source() != "/critic" || e.Type() != "vote" || e.Subject() != "review" || !e.Time().Equal(s.Time) || e.DataContentType() != "application/json" {
		t.Errorf("%v", e)
	}
	if e.Extensions()["traceparent"] != s.Trace.String() || e.Extensions()["confidence"] != "0.9" || e.Extensions()["sequence"] != "7" {
		t.Errorf("%v", e.Extensions())
	}
	var v signals.Vote
	if err := json.Unmarshal(e.Data(), &v); err != nil || v.Weight != 0.5 {
		t.Errorf("%s: %v", e.Data(), err)
	}
}

func TestSDKReadsAndWritesStructuredEvents(t *testing.T) {
	t.Parallel()
	written, err := cloudevents.Structured(sample())
	if err != nil {
		t.Fatal(err)
	}
	var e event.Event
	if err := json.Unmarshal(written, &e); err != nil {
		t.Fatal(err)
	}
	checkEvent(t, &e)
	back, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	s, err := cloudevents.Codec{}.ReadStructured(back)
	if got, want := text(t, s, err), text(t, sample(), nil); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// In binary mode HTTP and NATS have the same headers, except that of the content type.
func TestSDKReadsAndWritesBinaryEvents(t *testing.T) {
	t.Parallel()
	header, data, err := cloudevents.Binary(sample())
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://example.com", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range header {
		request.Header.Set(name, v[0])
	}
	request.Header.Set("Content-Type", request.Header.Get("ce-datacontenttype"))
	request.Header.Del("ce-datacontenttype")
	e, err := cehttp.NewEventFromHTTPRequest(request)
	if err != nil {
		t.Fatal(err)
	}
	checkEvent(t, e)
	written, err := cehttp.NewHTTPRequestFromEvent(t.Context(), "http://example.com", *e)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(written.Body)
	if err != nil {
		t.Fatal(err)
	}
	s, err := cloudevents.Codec{}.ReadBinary(written.Header, body)
	if got, want := text(t, s, err), text(t, sample(), nil); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSDKReadsBatches(t *testing.T) {
	t.Parallel()
	written, err := cloudevents.Batch([]signals.Any{sample(), sample()})
	if err != nil {
		t.Fatal(err)
	}
	var all []event.Event
	if err := json.Unmarshal(written, &all); err != nil || len(all) != 2 {
		t.Fatalf("%d, %v", len(all), err)
	}
	for _, e := range all {
		checkEvent(t, &e)
	}
}
