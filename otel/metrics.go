package otel

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/swarm/solves"
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
	tokens    metric.Int64Histogram
	first     metric.Float64Histogram
	durations map[hooks.OpName]metric.Float64Histogram

	backlog   metric.Int64ObservableUpDownCounter
	conflicts metric.Int64ObservableUpDownCounter
}

var (
	secondsBounds = metric.WithExplicitBucketBoundaries(1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100)
	genAIBounds   = metric.WithExplicitBucketBoundaries(0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92) // of the conventions
	votesBounds   = metric.WithExplicitBucketBoundaries(1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 1000, 10000)
	tokensBounds  = metric.WithExplicitBucketBoundaries(1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864)
)

// durationsOf are the ops whose duration is a metric.
var durationsOf = map[hooks.OpName]struct{ name, about string }{
	hooks.OpSolve: {metricWorkflow, "Of a solve."},
	hooks.OpTurn:  {metricAgent, "Of a turn."},
	hooks.OpModel: {metricModel, "Of a call of a model."},
	hooks.OpTool:  {metricTool, "Of a call of a tool."},
}

func newMeters(m metric.Meter) (*meters, error) {
	var errs [9]error
	k := &meters{meter: m, durations: map[hooks.OpName]metric.Float64Histogram{}}
	k.published, errs[0] = m.Int64Counter(metricSent, metric.WithUnit("{message}"), metric.WithDescription("Signals published."))
	k.consumed, errs[1] = m.Int64Counter(metricConsumed, metric.WithUnit("{message}"), metric.WithDescription("Signals delivered to readers."))
	k.dead, errs[2] = m.Int64Counter(metricDead, metric.WithUnit("{message}"), metric.WithDescription("Signals not delivered, by reason."))
	k.latency, errs[3] = m.Float64Histogram(metricLatency, metric.WithUnit("s"), secondsBounds,
		metric.WithDescription("From commit until a reader was done with the signal."))
	k.decisions, errs[4] = m.Int64Counter(metricDecisions, metric.WithUnit("{decision}"), metric.WithDescription("Decisions, by outcome and strategy."))
	k.votes, errs[5] = m.Int64Histogram(metricVotes, metric.WithUnit("{vote}"), votesBounds, metric.WithDescription("Votes to a decision."))
	k.tokens, errs[6] = m.Int64Histogram(metricTokens, metric.WithUnit("{token}"), tokensBounds, metric.WithDescription("Tokens of a call of a model."))
	k.first, errs[8] = m.Float64Histogram(metricFirst, metric.WithUnit("s"), genAIBounds, metric.WithDescription("Until the answer of a model began to arrive."))
	for op, of := range durationsOf {
		var err error
		k.durations[op], err = m.Float64Histogram(of.name, metric.WithUnit("s"), genAIBounds, metric.WithDescription(of.about))
		errs[7] = errors.Join(errs[7], err)
	}
	return k, errors.Join(errs[:]...)
}

func (k *meters) sent(ctx context.Context, l *labels) {
	if k.published.Enabled(ctx) {
		k.published.Add(ctx, 1, l.sent)
	}
}

func (k *meters) settled(ctx context.Context, l *labels, disposition bus.Disposition, took time.Duration) {
	switch {
	case !k.consumed.Enabled(ctx), disposition == bus.Filtered, disposition == bus.DeadClosed:
		// There was no reader, or no reader left.
	case disposition != bus.Delivered:
		k.dead.Add(ctx, 1, metric.WithAttributes(keyDestination.String(l.kind), keyFate.String(disposition.String())))
	default:
		k.consumed.Add(ctx, 1, l.consumed)
		if took > 0 {
			k.latency.Record(ctx, took.Seconds(), l.waited)
		}
	}
}

// took records a finished op, with its error type if it failed.
func (k *meters) took(p *op, result any, failed string) {
	duration := k.durations[p.Name]
	if duration == nil || !duration.Enabled(p.ctx) {
		return
	}
	s := styleOf(p.Name)
	about := []attribute.KeyValue{s.target[len(s.target)-1].String(p.Target)}
	if p.Name == hooks.OpModel {
		about = append(about, keyGenAI.String(s.verb))
		about = k.called(p, about, result)
	}
	if failed != "" {
		about = append(about, keyError.String(failed))
	}
	duration.Record(p.ctx, time.Since(p.began).Seconds(), metric.WithAttributes(about...))
	switch r := result.(type) {
	case *solves.Result:
		k.decision(p.ctx, r.Stop.String(), &r.Decision)
	case solves.Evaluation:
		k.decision(p.ctx, "none", &r.Decision)
	case consensus.Decision:
		k.decision(p.ctx, "none", &r)
	}
}

// called counts the tokens of a call and adds its provider to the attributes.
func (k *meters) called(p *op, about []attribute.KeyValue, result any) []attribute.KeyValue {
	all, _ := result.([]slog.Attr)
	for _, a := range slices.Concat(all, p.Attributes) {
		if a.Key == hooks.AttrProvider {
			about = append(about, keyProvider.String(p.observer.words.few(a.Value.String())))
		}
	}
	for _, a := range all {
		if sort := tokenTypes[a.Key]; sort != "" && a.Value.Kind() == slog.KindInt64 {
			k.tokens.Record(p.ctx, a.Value.Int64(), metric.WithAttributes(append(about, keyTokenType.String(sort))...))
		}
	}
	return about
}

// noted records how long a model took until its answer began to arrive.
func (k *meters) noted(ctx context.Context, all []slog.Attr) {
	p, _ := ctx.Value(modelOpKey{}).(*op)
	for _, a := range all {
		if p == nil || a.Key != hooks.AttrFirstChunk || !k.first.Enabled(ctx) {
			continue
		}
		s := styleOf(p.Name)
		about := k.called(p, []attribute.KeyValue{s.target[0].String(p.Target), keyGenAI.String(s.verb)}, nil)
		k.first.Record(ctx, a.Value.Duration().Seconds(), metric.WithAttributes(about...))
	}
}

// decision counts a decision, with the stop reason. If the votes settle nothing
// there is no decision to count.
func (k *meters) decision(ctx context.Context, stop string, d *consensus.Decision) {
	if d.Outcome == consensus.Pending || d.Outcome == 0 {
		return
	}
	about := []attribute.KeyValue{keyOutcome.String(d.Outcome.String()), keyStrategy.String(d.Strategy)}
	votes := int64(0)
	for range d.Ballots().Votes() {
		votes++
	}
	k.votes.Record(ctx, votes, metric.WithAttributes(about...))
	k.decisions.Add(ctx, 1, metric.WithAttributes(append(about, keyStop.String(stop))...))
}

// gauges registers the backlog and the open conflicts, as sums over all buses.
// They are up-down counters, so that the values of several processes add up, too.
func (k *meters) gauges(totals func(context.Context) (backlog, conflicts int64)) (r metric.Registration, err error) {
	k.backlog, err = k.meter.Int64ObservableUpDownCounter(metricBacklog, metric.WithUnit("{message}"),
		metric.WithDescription("Signals that readers have not read."))
	if err != nil {
		return nil, err
	}
	k.conflicts, err = k.meter.Int64ObservableUpDownCounter(metricConflicts, metric.WithUnit("{conflict}"),
		metric.WithDescription("Conflicts that are open."))
	if err != nil {
		return nil, err
	}
	return k.meter.RegisterCallback(func(ctx context.Context, to metric.Observer) error {
		backlog, conflicts := totals(ctx)
		to.ObserveInt64(k.backlog, backlog)
		to.ObserveInt64(k.conflicts, conflicts)
		return nil
	}, k.backlog, k.conflicts)
}
