package machines

import (
	"iter"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// recounted yields what the log has of a solve, without what this process has yielded already,
// and then what happens from now on. If the solve is over, its result is that of the log.
func (j *job) recounted(past *solves.Result, now iter.Seq2[solves.Event, error]) iter.Seq2[solves.Event, error] {
	return func(yield func(solves.Event, error) bool) {
		for e, err := range now {
			if began, ok := e.(solves.Started); ok {
				began.Past = past
				if !j.recount(began, yield) {
					return
				}
				continue
			}
			over := past.Stop != 0 && !past.Stop.GoesOn()
			if end, ok := e.(solves.Stopped); ok && over && len(end.Result.Log) == len(past.Log) {
				e = solves.Stopped{Result: past}
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// recount yields the beginning of a solve, and the rounds and signals of its log.
func (j *job) recount(e solves.Started, yield func(solves.Event, error) bool) bool {
	if j.yielded == 0 && !yield(e, nil) {
		return false
	}
	for _, s := range e.Past.Log {
		if s.Head().Seq <= j.yielded {
			continue
		}
		if round := roundOf(s); round != nil && !yield(*round, nil) {
			return false
		}
		if s.Kind() == runlog.KindDecided && !yield(solves.Weighed{Decision: e.Past.Decision}, nil) {
			return false
		}
		if !yield(solves.Spoke{Signal: s}, nil) {
			return false
		}
	}
	return true
}

// roundOf returns the round that a signal begins; nil: it begins none.
func roundOf(s signals.Any) *solves.RoundStarted {
	began, ok := signals.As[runlog.Began](s)
	if !ok {
		return nil
	}
	round := &solves.RoundStarted{Round: int(began.Round)}
	all, _ := began.Payload.All() // the codec checked it
	for _, t := range all {
		round.Turns = append(round.Turns, t.Agent)
	}
	return round
}
