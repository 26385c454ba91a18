package cloudevents

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

const (
	version     = "1.0"
	contentType = "application/json"
)

// An attribute of an event.
type attribute struct{ name, value string }

// attributesOf returns the attributes of the event of a signal, in the order of their
// names in the documentation.
func attributesOf(s signals.Any) ([]attribute, error) {
	h := s.Head()
	if h.ID.IsZero() {
		return nil, &signals.FieldError{Kind: s.Kind(), Field: "id", Problem: "required"}
	}
	all := make([]attribute, 0, 12)
	put := func(name, value string) {
		if value != "" {
			all = append(all, attribute{name, value})
		}
	}
	put("specversion", version)
	put("id", h.ID.String())
	put("source", "/"+url.PathEscape(h.Source))
	put("type", string(s.Kind()))
	put("subject", h.Thread)
	if !h.Time.IsZero() {
		put("time", h.Time.UTC().Format(time.RFC3339Nano))
	}
	put("datacontenttype", contentType)
	put("sequence", number(h.Seq))
	if h.Confidence != 0 {
		put("confidence", strconv.FormatFloat(h.Confidence, 'g', -1, 64))
	}
	if h.TTL != 0 {
		put("ttl", h.TTL.String())
	}
	put("replyto", h.ReplyTo.String())
	put("recipients", escapeAll(h.Recipients))
	put("round", number(h.Round))
	put("priority", number(h.Priority))
	put("causallevel", h.CausalLevel.String())
	if h.Trace != nil {
		put("traceparent", h.Trace.String())
		put("tracestate", h.Trace.State)
	}
	return all, nil
}

func number[T uint64 | int32 | int16](n T) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func escapeAll(r signals.Recipients) string {
	var all []string
	for name := range r.All() {
		all = append(all, url.PathEscape(name)) // which escapes commas
	}
	return strings.Join(all, ",")
}

// headerOf returns the kind and the header of the signal of an event, whose attributes
// get returns; "" for one that is absent.
func headerOf(get func(name string) string) (k signals.Kind, h signals.Header, err error) {
	r := reader{get: get}
	if v := get("specversion"); v != version {
		r.fail("specversion", v, "not "+version)
	}
	if t := get("datacontenttype"); t != "" && t != contentType {
		r.fail("datacontenttype", t, "not "+contentType)
	}
	k = signals.Kind(get("type"))
	h = signals.Header{
		Seq: uint64(r.number("sequence", 64, false)), ID: r.id("id"), Source: r.source(), Thread: get("subject"),
		ReplyTo: r.id("replyto"), Time: r.time(), TTL: r.ttl(), Confidence: r.confidence(), Recipients: r.recipients(), Trace: r.trace(),
		Round: int32(r.number("round", 32, true)), Priority: int16(r.number("priority", 16, true)), CausalLevel: r.causalLevel(),
	}
	if h.ID.IsZero() {
		r.fail("id", "", "required")
	}
	return k, h, r.err
}

// A reader reads attributes until one is wrong.
type reader struct {
	get func(name string) string
	err error
}

func (r *reader) fail(field, value, problem string) {
	if r.err == nil {
		r.err = &signals.FieldError{Field: field, Value: value[:min(len(value), 64)], Problem: problem}
	}
}

func (r *reader) keep(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) number(name string, bits int, signed bool) (n int64) {
	text := r.get(name)
	if text == "" {
		return 0
	}
	var err error
	if signed {
		n, err = strconv.ParseInt(text, 10, bits)
	} else {
		var u uint64
		u, err = strconv.ParseUint(text, 10, bits)
		n = int64(u)
	}
	if err != nil {
		r.fail(name, text, fmt.Sprintf("not a number of %d bits", bits))
	}
	return n
}

func (r *reader) id(name string) (id signals.ID) {
	if text := r.get(name); id.UnmarshalText([]byte(text)) != nil {
		r.fail(name, text, "not an id")
	}
	return id
}

func (r *reader) source() string {
	escaped, ok := strings.CutPrefix(r.get("source"), "/")
	name, err := url.PathUnescape(escaped)
	if !ok || err != nil {
		r.fail("source", r.get("source"), "not a slash and an escaped name")
	}
	return name
}

func (r *reader) time() (at time.Time) {
	if text := r.get("time"); text != "" {
		var err error
		if at, err = time.Parse(time.RFC3339Nano, text); err != nil {
			r.fail("time", text, "not a time of RFC 3339")
		}
	}
	return at.UTC()
}

func (r *reader) ttl() (ttl time.Duration) {
	if text := r.get("ttl"); text != "" {
		var err error
		if ttl, err = time.ParseDuration(text); err != nil {
			r.fail("ttl", text, "not a duration")
		}
	}
	return ttl
}

func (r *reader) confidence() (c float64) {
	if text := r.get("confidence"); text != "" {
		var err error
		if c, err = strconv.ParseFloat(text, 64); err != nil {
			r.fail("confidence", text, "not a number")
		}
	}
	return c
}

func (r *reader) recipients() signals.Recipients {
	text := r.get("recipients")
	if text == "" {
		return signals.Recipients{}
	}
	names := strings.Split(text, ",")
	for i, escaped := range names {
		name, err := url.PathUnescape(escaped)
		if err != nil {
			r.fail("recipients", text, "not escaped names")
		}
		names[i] = name
	}
	return signals.To(names...)
}

func (r *reader) causalLevel() (c signals.CausalLevel) {
	if text := r.get("causallevel"); text != "" {
		r.keep(c.UnmarshalText([]byte(text)))
	}
	return c
}

func (r *reader) trace() *signals.Trace {
	parent := r.get("traceparent")
	if parent == "" {
		return nil
	}
	t, err := signals.ParseTrace(parent, r.get("tracestate"))
	r.keep(err)
	return &t
}
