package thinker

import (
	"fmt"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// state returns the message with the proposals, and with as much of what is addressed to
// the agent, and then of the positions of others, as fits: the newest.
func (v *view) state() string {
	d := stateData{Round: v.Round, Words: v.words, Lines: v.proposals(), Proposes: v.proposes, Debate: v.debate(), Ask: v.asked()}
	left := v.most
	for _, l := range d.Lines {
		left -= len(l) + 1
	}
	for _, s := range slices.Backward(v.Inbox) {
		l := v.addressed(&s)
		if left -= len(l) + 1; left < 0 {
			break
		}
		d.Inbox = append(d.Inbox, l)
	}
	slices.Reverse(d.Inbox)
	for _, p := range slices.Backward(positions(v.Turn, 0)) {
		l := v.position(&p)
		if left -= len(l) + 1; left < 0 {
			break
		}
		d.Held = append(d.Held, l)
	}
	slices.Reverse(d.Held)
	for _, s := range slices.Backward(v.named()) {
		l := v.show(s)
		if left -= len(l) + 1; left < 0 {
			break
		}
		d.Own = append(d.Own, l)
	}
	slices.Reverse(d.Own)
	return fill(v.prompts.State, d)
}

// named returns what the agent said that it can refer to by a number, which its earlier
// answers do not have.
func (v *view) named() (all []signals.Any) {
	if !v.refers {
		return nil
	}
	for _, s := range v.Said {
		if f := formOf(s.Kind()); f != nil && f.kind != "" && s.Kind() != signals.KindRetraction && coordination.NoteOf(s) == nil {
			all = append(all, s)
		}
	}
	return all
}

// debate says what to argue in a turn of a debate. It has only names that the package
// gives.
func (v *view) debate() string {
	if v.Debate == nil {
		return ""
	}
	over, against := strings.Trim(v.refOf(v.Debate.For.ID()), `"`), strings.Trim(v.refOf(v.Debate.Against.ID()), `"`)
	task := fmt.Sprintf("attack %s with a challenge", against)
	if v.Debate.Answers {
		task = fmt.Sprintf("answer what is new against %s, with a challenge of that", over)
	}
	return fmt.Sprintf(
		"This is round %d of a debate about %s and %s, in which you argue for %s: %s. Only what nobody has said before counts; if you have nothing new, pass.",
		v.Debate.Round, over, against, over, task,
	)
}

// proposals returns each proposal as a line. Texts are cut until all lines fit, but not
// so far that they cannot be recognized.
func (v *view) proposals() (lines []string) {
	for text := v.text; ; text /= 2 {
		size := 0
		lines = lines[:0]
		for i := range v.Proposals {
			lines = append(lines, v.standing(i, text))
			size += len(lines[i]) + 1
		}
		if size <= v.most || text <= 64 {
			return lines
		}
	}
}

func (v *view) standing(i, text int) string {
	p := &v.Proposals[i]
	l := &line{text: text}
	l.add("proposal", fmt.Sprintf(`"P%d"`, i+1))
	l.say("by", p.Supporters()[0])
	l.say("content", p.Proposal.Payload.Content)
	count := map[signals.Stance]int{}
	for _, vote := range p.Votes {
		count[vote.Payload.Stance]++
	}
	l.add("votes", fmt.Sprintf(`{"agree":%d,"disagree":%d,"abstain":%d}`, count[signals.Agree], count[signals.Disagree], count[signals.Abstain]))
	if p.Lost {
		l.add("lost", "true")
	}
	if own := p.VoteOf(v.Agent); own != nil {
		l.say("yours", own.Payload.Stance.String())
	}
	return l.String()
}

// position returns the position of an agent as a line, with a reference to the signal
// that states it.
func (v *view) position(p *position) string {
	l := &line{text: v.text}
	l.add("ref", fmt.Sprintf(`"S%d"`, p.seq))
	l.add("from", text.Prompt(p.agent, signals.NameBytes))
	l.add("of", v.refOf(p.proposal))
	if p.proposed {
		l.add("proposed", "true")
	}
	l.say("holds", p.stance.String())
	v.detail(l, "why", p.why)
	l.add("confidence", fmt.Sprintf("%.2f", p.confidence))
	return l.String()
}
