package otel

import (
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
)

// patience is how long the span of a publish waits for the results of its
// deliveries, from the publish or from the end of its solve.
const patience = time.Second

// A row is the open span of one publish. It covers only the publish, but is kept
// open for the results of the deliveries.
type row struct {
	span   trace.Span
	about  []attribute.KeyValue // set at the end, all at once: a span reallocates each time
	signal signals.Any
	done   time.Time // the end of the span
	inside bool      // of a solve, whose readers wait for the next round rather than for each other
	late   bool      // its solve is over

	delivered, filtered, dead, behind int
	slowest                           time.Duration
	reader                            string // the slowest
}

// settled counts one delivery.
func (r *row) settled(e *bus.Settled, took time.Duration) {
	switch {
	case e.Disposition == bus.Filtered:
		r.filtered++
	case e.Disposition != bus.Delivered:
		r.dead++
	case r.late:
		r.behind++
	default:
		r.delivered++
	}
	if e.Disposition == bus.Delivered && took > r.slowest {
		r.slowest, r.reader = took, e.Reader
	}
}

// close ends the span.
func (r *row) close() {
	all := append(r.about, keyDelivered.Int(r.delivered))
	for _, n := range []struct {
		key   attribute.Key
		count int
	}{{keyFiltered, r.filtered}, {keyLate, r.behind}, {keyDead, r.dead}} {
		if n.count > 0 {
			all = append(all, n.key.Int(n.count))
		}
	}
	if r.reader != "" {
		all = append(all, keySlowest.Float64(r.slowest.Seconds()))
	}
	if r.reader != "" && !r.inside {
		all = append(all, keySlowestReader.String(r.reader))
	}
	r.span.SetAttributes(all...)
	if r.dead > 0 {
		fail(r.span, "dead_letter", "")
	}
	r.span.End(trace.WithTimestamp(r.done))
}

// fail marks a span as failed. The status of all others remains unset, as the
// conventions require of instrumentation. The failure is also an attribute,
// because a search for the status finds the wrong spans in some versions of
// Jaeger.
func fail(span trace.Span, sort, text string) {
	span.SetStatus(codes.Error, text)
	span.SetAttributes(keyError.String(sort), keyFailed.Bool(true))
}

// counts records for each vote among the rows whether the decision counted it.
func counts(rows []*row, d *consensus.Decision) {
	if len(rows) == 0 || d == nil {
		return
	}
	counted := map[uint64]bool{}
	for v := range d.Ballots().Votes() {
		counted[v.Seq] = true
	}
	type key struct{ voter, proposal string }
	causes := map[key]string{}
	for _, u := range d.Uncounted() {
		causes[key{u.Voter, u.ProposalID}] = u.Cause.String()
	}
	for _, r := range rows {
		v, ok := r.signal.(*signals.Signal[signals.Vote])
		if !ok {
			continue
		}
		r.about = append(r.about, keyCounted.Bool(counted[v.Seq]))
		if cause := causes[key{v.Source, v.Payload.ProposalID}]; !counted[v.Seq] && cause != "" {
			r.about = append(r.about, keyCause.String(cause))
		}
	}
}
