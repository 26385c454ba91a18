package claims

import (
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
)

// A builder makes a graph.
type builder struct {
	*Graph
	of    map[string]string   // the id under which a proposal counts, by every id of it
	votes map[signals.ID]bool // that count

	proposals map[string]int // by the ids under which they count
	found     map[string][]int
	tools     map[turn][]int
	stances   map[stance]signals.Stance
}

// A turn is a round of an agent.
type turn struct {
	agent string
	round int32
}

// A stance is a voter's on a proposal.
type stance struct{ voter, proposal string }

// newBuilder returns a builder with proposals as they stand.
func newBuilder(proposals []agents.Standing) *builder {
	b := &builder{
		Graph: &Graph{at: map[signals.ID]int{}, answers: map[signals.ID]int{}},
		of:    map[string]string{}, votes: map[signals.ID]bool{},
		proposals: map[string]int{}, found: map[string][]int{}, tools: map[turn][]int{}, stances: map[stance]signals.Stance{},
	}
	for _, p := range proposals {
		b.of[p.ID()] = p.ID()
		for _, q := range p.Same {
			b.of[q.Payload.ProposalID] = p.ID()
		}
		for _, v := range p.Votes {
			b.votes[v.ID] = true
		}
	}
	return b
}

func (b *builder) build(log []signals.Any) {
	for _, s := range log {
		if v, ok := signals.As[signals.Vote](s); ok && b.votes[v.ID] {
			b.stances[stance{v.Source, b.of[v.Payload.ProposalID]}] = v.Payload.Stance
		}
	}
	var later []*signals.Signal[signals.Vote] // before their proposals
	for _, s := range log {
		if v, ok := signals.As[signals.Vote](s); ok {
			if !b.votes[v.ID] {
				continue
			}
			if _, made := b.proposals[b.of[v.Payload.ProposalID]]; !made {
				later = append(later, v)
				continue
			}
		}
		b.add(s)
	}
	for _, v := range later {
		b.add(v)
	}
}

// add adds a signal with its links to those before it.
func (b *builder) add(s signals.Any) {
	h := s.Head()
	says, more, about, ok := claimed(s)
	if !ok {
		return
	}
	c := Claim{ID: h.ID, Seq: h.Seq, Kind: s.Kind(), Source: h.Source, Text: text.Fit(says, maxText), Level: h.CausalLevel}
	switch p := s.Body().(type) {
	case signals.ToolResult:
		c.Source = p.TriggeredBy
	case signals.Proposal:
		c.Proposal = b.of[p.ProposalID]
		if b.votes[h.ID] {
			b.answer(c, p.Reasoning, b.cited(h.ReplyTo, says, more), turn{c.Source, h.Round})
			return
		}
		if same, made := b.proposals[c.Proposal]; made {
			b.at[h.ID] = same
			b.rest(same, b.cited(h.ReplyTo, says, more))
			return
		}
	case signals.Vote:
		c.Proposal = b.of[p.ProposalID]
	}
	cited := b.cited(h.ReplyTo, says, more)
	n := b.node(c)
	b.at[h.ID] = n
	if target, known := b.at[about]; known && target != n {
		b.against[target] = append(b.against[target], n)
		cited = slices.DeleteFunc(cited, func(i int) bool { return i == target })
	}
	b.link(n, c, cited, turn{c.Source, h.Round})
}

// node adds a claim without links.
func (b *builder) node(c Claim) int {
	b.all, b.on, b.knew = append(b.all, c), append(b.on, nil), append(b.knew, nil)
	b.against, b.Graph.votes = append(b.against, nil), append(b.Graph.votes, nil)
	return len(b.all) - 1
}

// answer adds a proposal that is its author's vote, too: what it cites is what the vote rests on.
func (b *builder) answer(c Claim, why string, cited []int, now turn) {
	if _, made := b.proposals[c.Proposal]; !made {
		b.proposals[c.Proposal] = b.node(c)
	}
	b.at[c.ID] = b.proposals[c.Proposal]
	c.Kind, c.Text = signals.KindVote, text.Fit(strings.TrimSuffix(signals.Agree.String()+": "+why, ": "), maxText)
	b.answers[c.ID] = b.node(c)
	b.link(b.answers[c.ID], c, cited, now)
}

// link links a claim with what it cites, and with what its source had found.
func (b *builder) link(n int, c Claim, cited []int, now turn) {
	if c.Kind != signals.KindToolResult {
		cited = append(cited, b.tools[now]...)
	}
	switch {
	case c.Kind == signals.KindProposal:
		b.proposals[c.Proposal] = n
		b.rest(n, cited)
	case c.Kind == signals.KindVote:
		if found := b.found[c.Source]; !b.rest(n, cited) {
			b.knew[n] = slices.Clone(found[max(0, len(found)-maxKnown):])
		}
		p := b.proposals[c.Proposal]
		if b.stances[stance{c.Source, c.Proposal}] == signals.Disagree {
			b.against[p] = append(b.against[p], n)
			return
		}
		b.Graph.votes[p] = append(b.Graph.votes[p], n)
		b.on[p] = append(b.on[p], n)
	case c.isFinding():
		b.rest(n, cited)
		b.speak(n, c, cited)
		b.found[c.Source] = append(b.found[c.Source], n)
		if c.Kind == signals.KindToolResult {
			b.tools[now] = append(b.tools[now], n)
		}
	default:
		b.rest(n, cited)
	}
}

// rest makes a claim rest on the findings among others, and reports whether there are any.
func (b *builder) rest(n int, on []int) (some bool) {
	for _, i := range on {
		if i == n || !b.all[i].isFinding() {
			continue
		}
		some = true
		if !slices.Contains(b.on[n], i) {
			b.on[n] = append(b.on[n], i)
		}
	}
	return some
}

// speak makes a finding speak for or against the proposals that it cites.
func (b *builder) speak(n int, c Claim, cited []int) {
	for _, p := range cited {
		switch {
		case b.all[p].Kind != signals.KindProposal:
		case b.stances[stance{c.Source, b.all[p].Proposal}] == signals.Disagree:
			b.against[p] = append(b.against[p], n)
		default:
			b.on[p] = append(b.on[p], n)
		}
	}
}

// cited returns the claims that a signal replies to or has the ids of in its texts.
func (b *builder) cited(replyTo signals.ID, texts ...string) (all []int) {
	cite := func(i int) {
		if !slices.Contains(all, i) {
			all = append(all, i)
		}
	}
	if i, known := b.at[replyTo]; known {
		cite(i)
	}
	for _, t := range texts {
		for word := range strings.FieldsFuncSeq(t, func(r rune) bool { return strings.ContainsRune(" \t\r\n,;()[]{}<>\"'`", r) }) {
			if i, known := b.named(strings.TrimRight(word, ".:!?")); known {
				cite(i)
			}
		}
	}
	return all
}

// named returns the claim whose signal has a word as its id. Words without an underscore are
// none that anything mints.
func (b *builder) named(word string) (int, bool) {
	if !strings.Contains(word, "_") {
		return 0, false
	}
	id, err := signals.ParseID(word)
	i, known := b.at[id]
	return i, known && err == nil
}
