package otel

import (
	"cmp"
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/consensus"
)

// meters are the instruments of an observer.
type meters struct {
	meter metric.Meter

	published metric.Int64Counter
	consumed  metric.Int64Counter
	dead      metric.Int64Counter
	latency   metric.Float64Histogram

	decisions metric.Int64Counter
	votes     metric.Int64Histogram
	duration  metric.Float64Histogram

	backlog   metric.Int64ObservableGauge
	conflicts metric.Int64ObservableGauge
}

var (
	secondsBounds = metric.WithExplicitBucketBoundaries(1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100)
	votesBounds   = metric.WithExplicitBucketBoundaries(1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 1000, 10000)
)

func newMeters(m metric.Meter) (*meters, error) {
	var errs [9]error
	k := &meters{meter: m}
	k.published, errs[0] = m.Int64Counter(metricSent, metric.WithUnit("{message}"), metric.WithDescription("Signals published."))
	k.consumed, errs[1] = m.Int64Counter(metricConsumed, metric.WithUnit("{message}"), metric.WithDescription("Signals delivered to readers."))
	k.dead, errs[2] = m.Int64Counter(metricDead, metric.WithUnit("{message}"), metric.WithDescription("Signals not delivered, by reason."))
	k.latency, errs[3] = m.Float64Histogram(metricLatency, metric.WithUnit("s"), secondsBounds,
		metric.WithDescription("From commit until a reader was done with the signal."))
	k.decisions, errs[4] = m.Int64Counter(metricDecisions, metric.WithUnit("{decision}"), metric.WithDescription("Decisions, by outcome and strategy."))
	k.votes, errs[5] = m.Int64Histogram(metricVotes, metric.WithUnit("{vote}"), votesBounds, metric.WithDescription("Votes to a decision."))
	k.duration, errs[6] = m.Float64Histogram(metricDuration, metric.WithUnit("s"), secondsBounds, metric.WithDescription("Of a solve."))
	k.backlog, errs[7] = m.Int64ObservableGauge(metricBacklog, metric.WithUnit("{message}"), metric.WithDescription("Signals that readers have not read."))
	k.conflicts, errs[8] = m.Int64ObservableGauge(metricConflicts, metric.WithUnit("{conflict}"), metric.WithDescription("Conflicts that are open."))
	return k, errors.Join(errs[:]...)
}

func (k *meters) sent(ctx context.Context, l *labels) {
	if k.published.Enabled(ctx) {
		k.published.Add(ctx, 1, l.sent)
	}
}

func (k *meters) settled(ctx context.Context, l *labels, fate bus.Fate, published time.Time) {
	if !k.consumed.Enabled(ctx) {
		return
	}
	if fate != bus.Delivered {
		k.dead.Add(ctx, 1, metric.WithAttributes(keyDestination.String(l.kind), keyFate.String(fate.String())))
		return
	}
	k.consumed.Add(ctx, 1, l.consumed)
	if !published.IsZero() {
		k.latency.Record(ctx, time.Since(published).Seconds(), l.waited)
	}
}

// decision counts a decision, with why the solve stopped if it was one.
func (k *meters) decision(ctx context.Context, began time.Time, stop string, d *consensus.Decision) {
	if !k.decisions.Enabled(ctx) {
		return
	}
	about := []attribute.KeyValue{keyOutcome.String(d.Outcome.String()), keyStrategy.String(d.Strategy)}
	votes := int64(0)
	for range d.Ballots().Votes() {
		votes++
	}
	k.votes.Record(ctx, votes, metric.WithAttributes(about...))
	k.decisions.Add(ctx, 1, metric.WithAttributes(append(about, keyStop.String(cmp.Or(stop, "none")))...))
	k.duration.Record(ctx, time.Since(began).Seconds(), metric.WithAttributes(keyStop.String(cmp.Or(stop, "none"))))
}

// gauges reports a bus's backlog and open conflicts whenever metrics are
// collected, until stop is called.
func (k *meters) gauges(b *bus.Bus) (stop func(), err error) {
	r, err := k.meter.RegisterCallback(func(_ context.Context, to metric.Observer) error {
		s := b.Stats()
		to.ObserveInt64(k.backlog, int64(s.Books.Pending))
		to.ObserveInt64(k.conflicts, int64(s.OpenConflicts))
		return nil
	}, k.backlog, k.conflicts)
	if err != nil {
		return nil, err
	}
	return func() { _ = r.Unregister() }, nil
}
