package seat

import (
	"cmp"
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
)

// A memory is what an agent heard and said in a solve.
type memory struct {
	most        int // maximum length of each
	heard, said []signals.Any
}

func (m *memory) hear(all ...signals.Any) { m.heard = newest(append(m.heard, all...), m.most) }
func (m *memory) say(said signals.Any)    { m.said = newest(append(m.said, said), m.most) }

// newest returns the last signals. Turns share the slice: appending to the
// result does not affect theirs.
func newest(all []signals.Any, most int) []signals.Any {
	return slices.Clip(all[max(0, len(all)-most):])
}

// remembered returns what an agent heard in a turn, in log order.
func remembered(t *agents.Turn) []signals.Any {
	if len(t.Routed) == 0 {
		return t.New
	}
	all := slices.Clone(t.New)
	for _, r := range t.Routed {
		all = append(all, r.Signal)
	}
	inOrder(all)
	return all
}

func inOrder(all []signals.Any) {
	bySeq := func(a, b signals.Any) int { return cmp.Compare(a.Head().Seq, b.Head().Seq) }
	if !slices.IsSortedFunc(all, bySeq) { // as inboxes are
		slices.SortStableFunc(all, bySeq)
	}
}
