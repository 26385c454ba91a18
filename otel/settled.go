package otel

import (
	"fmt"

	"go.opentelemetry.io/otel/attribute"

	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// settlement returns the attributes of a result that say what kept the solve open: its
// obstacles, how its conflicts were settled, and how many challenged something.
func (o *Observer) settlement(r *solves.Result) []attribute.KeyValue {
	all := o.withheld(r.Obstacles)
	if len(r.Settled) > 0 {
		var hows []string
		for _, s := range r.Settled[:min(len(r.Settled), maxMentions)] {
			hows = append(hows, o.how(s.Payload.How))
		}
		all = append(all, keyHows.StringSlice(hows))
	}
	if g := r.Groupthink; g.Able > 1 {
		all = append(all, keyChallengers.Int(g.Actual), keyExpected.Float64(g.Expected), keyGroupthink.Float64(g.Risk))
	}
	return all
}

// withheld returns the attribute of obstacles, if there are any. The summary of one is
// content.
func (o *Observer) withheld(open []connectivity.Obstacle) []attribute.KeyValue {
	if len(open) == 0 {
		return nil
	}
	var texts []string
	for _, one := range open[:min(len(open), maxMentions)] {
		s := one.Signal
		text := fmt.Sprintf("%s: %s", one.Cause, place{seq: s.Seq, kind: s.Class.String(), source: s.Source})
		if o.content != nil {
			text = clip(o.content(s.Class.Message().Kind(), "summary", one.String()))
		}
		texts = append(texts, text)
	}
	return []attribute.KeyValue{keyObstacles.StringSlice(texts)}
}

// how returns how a conflict was settled: a program may give reasons of its own.
func (o *Observer) how(how conflict.How) string {
	switch how {
	case conflict.BySameness, conflict.ByMajority, conflict.ByDebate, conflict.ByAnswer, conflict.ByConsensus:
		return string(how)
	}
	return other
}
