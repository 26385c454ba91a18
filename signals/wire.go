package signals

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// wire is the JSON form of a signal. It has plain types only, so that
// encoding/json can name the member of the wrong type.
type wire struct {
	Seq         uint64          `json:"seq,omitempty"`
	ID          string          `json:"id,omitempty"`
	Type        Kind            `json:"type"`
	Source      string          `json:"source"`
	Thread      string          `json:"thread,omitempty"`
	Confidence  float64         `json:"confidence"`
	Timestamp   json.RawMessage `json:"timestamp,omitempty"`
	TTL         json.RawMessage `json:"ttl,omitempty"`
	ReplyTo     string          `json:"replyTo,omitempty"`
	Recipients  []string        `json:"recipients,omitempty"`
	TraceParent string          `json:"traceparent,omitempty"`
	TraceState  string          `json:"tracestate,omitempty"`
	Metadata    metadata        `json:"metadata,omitzero"`
	Payload     json.RawMessage `json:"payload,omitempty"` // for reading only
}

type metadata struct {
	Round       int32  `json:"round,omitempty"`
	Priority    int16  `json:"priority,omitempty"`
	CausalLevel string `json:"causalLevel,omitempty"`
}

func newWire(k Kind, h Header) *wire {
	w := &wire{
		Seq: h.Seq, ID: h.ID.String(), Type: k, Source: h.Source, Thread: h.Thread,
		Confidence: h.Confidence, ReplyTo: h.ReplyTo.String(), Recipients: h.Recipients.Names(),
		Metadata: metadata{h.Round, h.Priority, h.CausalLevel.String()},
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
		Seq: w.Seq, Source: w.Source, Thread: w.Thread,
		Confidence: w.Confidence, Recipients: To(w.Recipients...),
		Round: w.Metadata.Round, Priority: w.Metadata.Priority,
	}
	var err error
	if h.ID, err = optionalID("id", w.ID); err != nil {
		return Header{}, err
	}
	if h.ReplyTo, err = optionalID("replyTo", w.ReplyTo); err != nil {
		return Header{}, err
	}
	if level := w.Metadata.CausalLevel; level != "" {
		if err := h.CausalLevel.UnmarshalText([]byte(level)); err != nil {
			return Header{}, err
		}
	}
	if !isNull(w.Timestamp) {
		at, err := parseMillis("timestamp", w.Timestamp)
		if err != nil {
			return Header{}, err
		}
		h.Time = time.Unix(0, at).UTC()
	}
	if !isNull(w.TTL) {
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

func optionalID(field, text string) (ID, error) {
	if text == "" {
		return ID{}, nil
	}
	return parseID(field, text)
}

// millis writes nanoseconds as a number of milliseconds, with as many decimals
// as are needed to be exact.
func millis(ns int64) json.RawMessage {
	n := uint64(ns)
	var b []byte
	if ns < 0 {
		b, n = append(b, '-'), -n
	}
	b = strconv.AppendUint(b, n/1e6, 10)
	if fraction := n % 1e6; fraction != 0 {
		digits := strconv.FormatUint(1e6+fraction, 10)
		b = append(b, '.')
		b = append(b, strings.TrimRight(digits[1:], "0")...)
	}
	return b
}

// parseMillis reads a JSON number of milliseconds as nanoseconds; fractions of
// a nanosecond are cut off.
func parseMillis(field string, number json.RawMessage) (int64, error) {
	ns, ok := shiftMillis(string(number))
	if !ok {
		return 0, &FieldError{Field: field, Value: clipBytes(number), Problem: "not milliseconds that fit 64 bits of nanoseconds"}
	}
	return ns, nil
}

// shiftMillis moves the decimal point in the text, because a float64 would lose
// the nanoseconds of a timestamp.
func shiftMillis(number string) (int64, bool) {
	digits, negative := strings.CutPrefix(number, "-")
	if digits == "" || digits[0] < '0' || digits[0] > '9' {
		return 0, false // JSON of another type
	}
	digits, exponent, _ := strings.Cut(strings.ToLower(digits), "e")
	whole, fraction, _ := strings.Cut(digits, ".")
	point := len(whole) + 6
	if exponent != "" {
		e, err := strconv.ParseInt(exponent, 10, 24) // far beyond use, far from overflow
		if err != nil {
			return 0, false
		}
		point += int(e)
	}
	digits = strings.TrimLeft(whole+fraction, "0")
	point -= len(whole) + len(fraction) - len(digits)
	switch {
	case digits == "" || point <= 0:
		return 0, true
	case point > 19: // more digits than 1<<63 has
		return 0, false
	}
	digits += strings.Repeat("0", max(0, point-len(digits)))
	digits = digits[:point]
	if negative {
		digits = "-" + digits
	}
	ns, err := strconv.ParseInt(digits, 10, 64)
	return ns, err == nil
}
