package swarm_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/claims"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// grounded returns the signal of "on WORD LINE", that of the line in reply to a finding with
// a word, of "level NAME LINE", that of the line with a causal level, or of "retract WORD REASON",
// which takes back what the agent said with a word; nil for other verbs.
func grounded(ctx context.Context, t *agents.Turn, verb, word, rest string) signals.Any {
	with := func(s signals.Any) bool { return strings.Contains(fmt.Sprintf("%+v", s.Body()), word) }
	from := slices.Concat(t.Heard, t.New, t.Said)
	switch verb {
	case "level":
		said := signalOf(ctx, t, rest)
		h := said.Head()
		if err := h.CausalLevel.UnmarshalText([]byte(word)); err != nil {
			panic(err)
		}
		return signals.With(said, h)
	case "retract":
		from = t.Said
	case "on":
		with = func(s signals.Any) bool {
			return s.Kind() == signals.KindDiscovery && strings.Contains(fmt.Sprintf("%+v", s.Body()), word)
		}
	default:
		return nil
	}
	i := slices.IndexFunc(from, with)
	switch {
	case i < 0:
		panic("nobody has said " + word)
	case verb == "retract":
		return signals.Retract(from[i].Head().ID, rest)
	}
	said := signalOf(ctx, t, rest)
	h := said.Head()
	h.ReplyTo = from[i].Head().ID
	return signals.With(said, h)
}

// groundedLine returns the line of a log about what was taken back, who was selected, or
// the answer that was written; "" for other signals. lines are those before it.
func groundedLine(s signals.Any, lines map[signals.ID]string) string {
	switch p := s.Body().(type) {
	case signals.Retraction:
		return fmt.Sprintf("%s takes back that %s: %s", s.Head().Source, lines[p.TargetSignalID], p.Reason)
	case runlog.Began:
		var all []string
		for _, c := range p.Selected() {
			all = append(all, c.String())
		}
		return strings.Join(all, "\n  ")
	case claims.Written:
		if p.Why != "" {
			return "written by the template: " + p.Why
		}
		return "written by " + p.By
	}
	return ""
}

// shown returns what the scenario shows of its result beside the log: its "answer", the
// "talk" in it, the "dissent".
func shown(file []byte, r *solves.Result) string {
	var b strings.Builder
	for line := range strings.Lines(string(file)) {
		what, _ := strings.CutPrefix(strings.TrimSpace(line), "shows ")
		switch what {
		case "answer":
			fmt.Fprintln(&b, r.Synthesis().Text)
		case "dissent":
			fmt.Fprintln(&b, r.Decision.Dissent())
		case "talk":
			fmt.Fprintln(&b, r.Talk())
		}
	}
	return b.String()
}

// later has the operator take back what the scenario says, "later SOURCE KIND REASON", after
// the solve is over, and says what becomes of the decision.
func later(t *testing.T, file []byte, whole *journal.Memory, r *solves.Result) string {
	t.Helper()
	j, told := cut(t, whole, whole.Last()), ""
	for line := range strings.Lines(string(file)) {
		what, ok := strings.CutPrefix(strings.TrimSpace(line), "later ")
		if !ok {
			continue
		}
		source, rest, _ := strings.Cut(what, " ")
		kind, reason, _ := strings.Cut(rest, " ")
		i := slices.IndexFunc(r.Log, func(s signals.Any) bool { return s.Head().Source == source && s.Kind() == signals.Kind(kind) })
		if i < 0 {
			t.Fatalf("there is no %s of %s", kind, source)
		}
		after, err := solves.Retract(t.Context(), j, r.Thread, r.Log[i].Head().ID, "ceo", reason)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := replayed(t, j); err != nil {
			t.Error(err)
		}
		d := after.Revision.Decision
		told += fmt.Sprintf("without the %s of %s, changed %v: %s %s\n", kind, source, after.Revision.Changed, d.Outcome, d.Choice)
	}
	return told
}
