package signals

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// wire is a signal as JSON.
type wire struct {
	Seq         uint64          `json:"seq,omitempty"`
	ID          ID              `json:"id,omitzero"`
	Type        Kind            `json:"type"`
	Source      string          `json:"source"`
	Thread      string          `json:"thread,omitempty"`
	Payload     json.RawMessage `json:"payload"`
	Confidence  float64         `json:"confidence"`
	Timestamp   json.Number     `json:"timestamp,omitempty"`
	TTL         json.Number     `json:"ttl,omitempty"`
	ReplyTo     ID              `json:"replyTo,omitzero"`
	Recipients  Recipients      `json:"recipients,omitzero"`
	TraceParent string          `json:"traceparent,omitempty"`
	TraceState  string          `json:"tracestate,omitempty"`
	Metadata    metadata        `json:"metadata,omitzero"`
}

type metadata struct {
	Round       int32       `json:"round,omitempty"`
	Priority    int16       `json:"priority,omitempty"`
	CausalLevel CausalLevel `json:"causalLevel,omitzero"`
}

func newWire(k Kind, h Header, payload json.RawMessage) wire {
	w := wire{
		Seq: h.Seq, ID: h.ID, Type: k, Source: h.Source, Thread: h.Thread, Payload: payload,
		Confidence: h.Confidence, ReplyTo: h.ReplyTo, Recipients: h.Recipients,
		Metadata: metadata{h.Round, h.Priority, h.CausalLevel},
	}
	if !h.Time.IsZero() {
		w.Timestamp = millis(h.Time.UnixNano())
	}
	if h.TTL != 0 {
		w.TTL = millis(int64(h.TTL))
	}
	if h.Trace != nil {
		w.TraceParent, w.TraceState = h.Trace.String(), h.Trace.State
	}
	return w
}

func (w *wire) header() (Header, error) {
	h := Header{
		Seq: w.Seq, ID: w.ID, Source: w.Source, Thread: w.Thread, ReplyTo: w.ReplyTo,
		Confidence: w.Confidence, Recipients: w.Recipients,
		Round: w.Metadata.Round, Priority: w.Metadata.Priority, CausalLevel: w.Metadata.CausalLevel,
	}
	if w.Timestamp != "" {
		at, err := parseMillis("timestamp", w.Timestamp)
		if err != nil {
			return Header{}, err
		}
		h.Time = time.Unix(0, at).UTC()
	}
	if w.TTL != "" {
		ttl, err := parseMillis("ttl", w.TTL)
		if err != nil {
			return Header{}, err
		}
		h.TTL = time.Duration(ttl)
	}
	if w.TraceParent != "" {
		trace, err := ParseTrace(w.TraceParent, w.TraceState)
		if err != nil {
			return Header{}, err
		}
		h.Trace = &trace
	}
	return h, nil
}

// millis writes nanoseconds as a number of milliseconds with as many decimals
// as it takes to lose nothing.
func millis(ns int64) json.Number {
	sign, n := "", uint64(ns)
	if ns < 0 {
		sign, n = "-", -n
	}
	text := sign + strconv.FormatUint(n/1e6, 10)
	if fraction := n % 1e6; fraction != 0 {
		digits := strconv.FormatUint(1e6+fraction, 10)[1:]
		text += "." + strings.TrimRight(digits, "0")
	}
	return json.Number(text)
}

// parseMillis reads milliseconds as nanoseconds; what is below a nanosecond is
// cut off.
func parseMillis(field string, number json.Number) (int64, error) {
	text := string(number)
	refused := &FieldError{Field: field, Value: clip(text), Problem: "milliseconds that do not fit 64 bits of nanoseconds"}
	if strings.ContainsAny(text, "eE") {
		x, err := strconv.ParseFloat(text, 64)
		if x *= 1e6; err != nil || math.Abs(x) >= math.MaxInt64 {
			return 0, refused
		}
		return int64(x), nil
	}
	whole, fraction, _ := strings.Cut(text, ".")
	fraction = fraction[:min(len(fraction), 6)]
	ns, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", 6-len(fraction)), 10, 64)
	if err != nil {
		return 0, refused
	}
	return ns, nil
}
