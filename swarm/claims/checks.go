package claims

import (
	"slices"

	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
)

// Checks say which votes of a log rest on what was checked, and grow with it: on what a tool of the swarm returned, or on
// a discovery that a second source confirms by what a tool returned to it in the same turn. A discovery confirms
// an earlier one that says the same, or that it replies to or cites.
type Checks struct {
	b      *builder
	same   func(one, other string) bool
	stated bool      // results of tools that agents only state are checked, too
	texts  bool      // evidence in other words confirms
	made   []finding // by claim
	saying map[string][]int
	votes  map[signals.ID][]int // what each cites
}

// A finding is what a claim states, if it is a finding.
type finding struct {
	evidence string
	round    int32
	checked  bool
}

// ChecksOf returns the checks of a log of one thread. Sources that are the same, such as agents of
// one group, do not confirm each other. In logs of older rules a result of a tool counts that an agent only states: no tool of
// the swarm returned it ([signals.ToolResult.Witnessed]); or evidence in other words confirms.
func ChecksOf(log []signals.Any, same func(one, other string) bool, stated, texts bool) *Checks {
	c := &Checks{b: newBuilder(nil), same: same, stated: stated, texts: texts, saying: map[string][]int{}, votes: map[signals.ID][]int{}}
	for _, s := range log {
		c.Apply(s)
	}
	return c
}

// Apply takes the next signal of the thread. It reports whether that confirms an earlier one, so
// that votes before it may rest on what is checked now.
func (c *Checks) Apply(s signals.Any) (confirms bool) {
	h := s.Head()
	if s.Kind() == signals.KindVote {
		says, more, _, _ := claimed(s)
		c.votes[h.ID] = append(c.b.cited(h.ReplyTo, says, more), c.b.tools[turn{h.Source, h.Round}]...)
		return false
	}
	c.b.add(s)
	for n := len(c.made); n < len(c.b.all); n++ {
		result, isResult := s.Body().(signals.ToolResult)
		f := finding{round: h.Round, checked: isResult && (result.Witnessed || c.stated)}
		p, found := s.Body().(signals.Discovery)
		f.evidence = text.Plain(p.Evidence)
		if c.made = append(c.made, f); found {
			confirms = c.confirm(n, text.Plain(p.Finding))
		}
	}
	return confirms
}

// confirm checks a discovery and those that it confirms, and reports whether there are any.
func (c *Checks) confirm(n int, says string) (some bool) {
	own := slices.ContainsFunc(c.b.on[n], func(i int) bool { // what a tool returned to the source in this turn
		return c.b.all[i].Kind == signals.KindToolResult && c.made[i].checked && c.made[i].round == c.made[n].round && c.b.all[i].Source == c.b.all[n].Source
	})
	for _, i := range append(slices.Clone(c.b.on[n]), c.saying[says]...) {
		by, one, other := own, c.made[i].evidence, c.made[n].evidence
		if c.texts {
			by = one != "" && other != "" && one != other
		}
		if by && c.b.all[i].Kind == signals.KindDiscovery && !c.same(c.b.all[i].Source, c.b.all[n].Source) {
			c.made[i].checked, c.made[n].checked, some = true, true, true
		}
	}
	c.saying[says] = append(c.saying[says], n)
	return some
}

// Rests reports whether a vote of a voter rests, directly or by way of other claims, on a checked
// one that the voter had not heard in a round: it is of a later one, or of another source.
func (c *Checks) Rests(vote signals.ID, voter string, round int32) bool {
	seen := map[int]bool{}
	for on := slices.Clone(c.votes[vote]); len(on) > 0; on = on[1:] {
		n := on[0]
		if k := c.b.all[n].Kind; seen[n] || k == signals.KindProposal || k == signals.KindVote {
			continue
		}
		if f := c.made[n]; f.checked && (f.round > round || f.round == round && c.b.all[n].Source != voter) {
			return true
		}
		seen[n] = true
		on = append(on, c.b.on[n]...)
	}
	return false
}
