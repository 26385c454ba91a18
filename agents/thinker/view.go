package thinker

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
)

// A view is a turn as it is presented to a model.
type view struct {
	*agents.Turn
	prompts  *Prompts
	details  bool
	text     int // maximum bytes of a text
	most     int // maximum bytes of earlier turns, of what is new, and of the state
	words    int
	proposes bool     // the agent may make a proposal
	refers   bool     // to what it said itself
	cites    bool     // the facts that its answer follows from
	facts    []string // the references to facts that it is shown, if it cites them

	ids  map[signals.ID]uint64 // sequence numbers of signals
	seqs map[uint64]signals.ID
}

func newView(t *agents.Turn, p *Prompts) *view {
	v := &view{Turn: t, prompts: p, ids: map[signals.ID]uint64{}, seqs: map[uint64]signals.ID{}}
	for _, all := range [][]signals.Any{t.Heard, t.New, t.Said} {
		for _, s := range all {
			v.know(s.Head())
		}
	}
	for _, s := range t.Inbox {
		v.ids[s.ID], v.seqs[s.Seq] = s.Seq, s.ID
	}
	for _, p := range t.Proposals {
		v.know(p.Proposal.Header)
		for _, vote := range p.Votes {
			v.know(vote.Header)
		}
	}
	return v
}

func (v *view) know(h signals.Header) { v.ids[h.ID], v.seqs[h.Seq] = h.Seq, h.ID }

// refOf returns the reference to a proposal, such as "P1", given its id.
func (v *view) refOf(id string) string {
	for i, p := range v.Proposals {
		if p.Is(id) {
			return fmt.Sprintf(`"P%d"`, i+1)
		}
	}
	return text.Prompt(id, signals.NameBytes)
}

// refTo returns the reference to a signal, such as "S12".
func (v *view) refTo(id signals.ID) string {
	if seq, known := v.ids[id]; known {
		return fmt.Sprintf(`"S%d"`, seq)
	}
	return `"unknown"`
}

// proposal returns the id of the proposal that a model refers to, such as P1.
func (v *view) proposal(ref string) (id string, err error) {
	n, err := strconv.Atoi(ref[min(1, len(ref)):])
	if err != nil || ref != "P"+strconv.Itoa(n) || n < 1 || n > len(v.Proposals) {
		return "", fmt.Errorf(`there is no proposal "%s"`, clip(ref))
	}
	return v.Proposals[n-1].ID(), nil
}

// target returns the signal that a model refers to as S12, or as P1 for a proposal.
func (v *view) target(ref string) (signals.ID, error) {
	if n, err := strconv.ParseUint(ref[min(1, len(ref)):], 10, 64); err == nil && ref[0] == 'S' {
		if id, known := v.seqs[n]; known {
			return id, nil
		}
	}
	if id, err := v.proposal(ref); err == nil {
		p, _ := v.Standing(id)
		return p.Proposal.ID, nil
	}
	return signals.ID{}, fmt.Errorf(`there is nothing that is called "%s"`, clip(ref))
}

// clip quotes a word of a model for an error message: on one line and cut.
func clip(s string) string { return strings.Trim(text.Prompt(s, 32), `"`) }

// messages returns the conversation: the task, earlier turns, what is new, and the
// current state.
func (v *view) messages() []models.Message {
	first := models.User(fill(v.prompts.Task, taskData{
		text.Prompt(v.Task.Task, signals.DefaultTextBytes), optional(v.Task.Context),
	}) + v.schema())
	attached(&first, v.Task.Attachments.All())
	all := []models.Message{first}
	before := v.before()
	kept := recent(before, v.most)
	if len(kept) < len(before) {
		all = append(all, models.User(fmt.Sprintf("(%d turns are left out here.)", len(before)-len(kept))))
	}
	for _, e := range kept {
		all = append(all, models.User(e.news), models.Assistant(e.said))
	}
	return append(all, models.User(v.news(v.New)), models.User(v.state()))
}

// attached adds files to a message: texts as quotes, and pictures and documents as they are.
func attached(m *models.Message, files []signals.Attachment) {
	for _, f := range files {
		about := fmt.Sprintf("%s (%s, %d bytes)", text.Prompt(f.Name, signals.NameBytes), text.Fit(f.Type, signals.NameBytes), len(f.Data))
		file := models.File{Name: f.Name, Type: f.Type, Data: f.Data}
		switch {
		case strings.HasPrefix(f.Type, "text/") || f.Type == "application/json":
			m.Text += "\n\nThe file " + about + " is attached: " + text.Prompt(string(f.Data), signals.DefaultTextBytes)
		case file.IsPicture() || f.Type == "application/pdf":
			m.Text += "\n\nThe file " + about + " is attached."
			m.Files = append(m.Files, file)
		default:
			m.Text += "\n\nThe file " + about + " is attached, which nobody can show you."
		}
	}
}

func optional(said string) string {
	if said == "" {
		return ""
	}
	return text.Prompt(said, signals.DefaultTextBytes)
}

// An exchange is an earlier turn: what was new in it, and what the agent said.
type exchange struct{ news, said string }

// before returns the earlier turns. What is committed in a round is heard in the next; a
// late signal belongs to the round in which it arrived.
func (v *view) before() (all []exchange) {
	heard, said := map[int][]signals.Any{}, map[int][]signals.Any{}
	var rounds []int
	round := 0
	for _, s := range v.Heard {
		round = max(round, int(s.Head().Round))
		heard[round+1] = append(heard[round+1], s)
		rounds = append(rounds, round+1)
	}
	for _, s := range v.Said {
		r := int(s.Head().Round)
		said[r] = append(said[r], s)
		rounds = append(rounds, r)
	}
	slices.Sort(rounds)
	for _, r := range slices.Compact(rounds) {
		if r < v.Round {
			all = append(all, exchange{v.news(heard[r]), v.own(said[r])})
		}
	}
	return all
}

// recent drops the oldest turns if all of them exceed the limit. It drops half of the
// limit at once, because each time the prefix changes and is no longer cached.
func recent(all []exchange, most int) []exchange {
	size, first := 0, 0
	for i, e := range all {
		size += len(e.news) + len(e.said)
		for first < i && size > most {
			for target := most / 2; first < i && size > target; first++ {
				size -= len(all[first].news) + len(all[first].said)
			}
		}
	}
	return all[first:]
}

// system is the source of signals of the swarm itself, of which only known kinds are shown.
const system = "system"

func known(p signals.Payload) bool {
	switch p.(type) {
	case signals.Discovery, signals.Proposal, signals.Doubt, signals.Challenge, signals.Vote, signals.Conflict,
		signals.Consensus, signals.Escalation, signals.Memory, signals.ToolResult, signals.Retraction:
		return true
	}
	return false
}

// news returns signals as lines, the newest if there are too many. The task is not among
// them: it has a message of its own.
func (v *view) news(all []signals.Any) string {
	d := newsData{}
	size := 0
	for _, s := range slices.Backward(all) {
		if s.Kind() == signals.KindTask || s.Head().Source == system && !known(s.Body()) {
			continue
		}
		text := v.show(s)
		if size += len(text) + 1; size > v.most && len(d.Lines) > 0 {
			d.LeftOut++
			continue
		}
		d.Lines = append(d.Lines, text)
	}
	slices.Reverse(d.Lines)
	return fill(v.prompts.News, d)
}
