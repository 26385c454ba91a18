package solves

import (
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// Sentence says how a solve stopped, as every place that shows it does: the [consensus.Decision.Sentence] of its
// decision, after or before what its Detail adds. Proposals are called what show returns for their ids; nil: by these.
func (r *Result) Sentence(show func(id string) string) string {
	all := []string{r.Beside(), r.Decision.Sentence(show)}
	switch r.Stop {
	case runlog.StopAsked, runlog.StopNoProgress, runlog.StopExpired:
		return all[0]
	case runlog.StopError, runlog.StopCancelled, runlog.StopAbandoned, runlog.StopBudget, runlog.StopDeadline, runlog.StopMaxRounds, runlog.StopEscalated:
	default: // the votes ended it
		slices.Reverse(all)
	}
	return strings.Join(said(all...), "; ")
}

// Beside returns what the Detail of a solve adds to the sentence of its decision, the first cause of a failure first.
func (r *Result) Beside() string {
	reason := r.Decision.Reason()
	rest, first := strings.CutPrefix(r.Detail, reason)
	if !first {
		rest = strings.Replace(rest, ": "+reason, "", 1)
	}
	if rest = strings.TrimPrefix(rest, "; "); r.Stop != runlog.StopError || len(r.Failed) == 0 {
		return rest
	}
	f := r.Failed[0]
	cause := runlog.FailedBy(f.Agent, f.Round, f.Err).String()
	before, after, found := strings.Cut(rest, cause)
	if !found {
		return rest
	}
	return strings.Join(said(cause, strings.TrimSuffix(before, "; "), strings.TrimPrefix(after, "; ")), "; ")
}

func said(all ...string) []string {
	return slices.DeleteFunc(all, func(part string) bool { return part == "" })
}
