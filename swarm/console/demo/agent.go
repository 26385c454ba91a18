package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/signals"
)

// A line is posted by an agent once, when it hears its occasion.
type line struct {
	by    string
	when  string // words in its inbox, in any case; "": the task; "/answer": a person's answer
	round int    // not before this round
	say   func(t *agents.Turn) []signals.Any
	// debate is for a turn in which it argues for this proposal: its words.
	debate string
	// rehearse is the call it makes before, which a person has to allow; "": none. If the
	// person refuses it, the agent posts refused instead.
	rehearse string
	refused  signals.Any
}

// A scene is a task with the agents' lines about it.
type scene struct {
	task, context string
	lines         []line
	right         string // the proposal that turns out to be right; "": the outcome stays unknown
}

// actor is an agent of the demo.
type actor struct {
	id    string
	model models.Model
	tools *tools.Set
}

// React implements [agents.Reactor].
func (a actor) React(ctx context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
	said, err := a.lines(ctx, t, "")
	if err != nil {
		return agents.Fail(err)
	}
	return a.say(ctx, t, said)
}

// Argue implements [agents.Debater].
func (a actor) Argue(ctx context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
	said, err := a.lines(ctx, t, t.Debate.For.ID())
	if err != nil {
		return agents.Fail(err)
	}
	return a.say(ctx, t, said)
}

// say asks the model for the words, and yields them.
func (a actor) say(ctx context.Context, t *agents.Turn, said []signals.Any) iter.Seq2[signals.Any, error] {
	return func(yield func(signals.Any, error) bool) {
		began := time.Now()
		answer, err := a.model.Ask(ctx, &models.Request{
			System: "You are " + a.id + ".", Messages: []models.Message{models.User(prompt(t, said))}, Most: 512,
		})
		if err != nil {
			yield(nil, err)
			return
		}
		agents.Spend(ctx, agents.Cost{
			Calls: 1, InputTokens: answer.Usage.Input, OutputTokens: answer.Usage.Output, Dollars: answer.Cost.Dollars(), Time: time.Since(began),
		})
		if len(said) == 0 {
			yield(agents.Pass("nothing to add"), nil)
			return
		}
		for _, s := range said {
			if r, ok := signals.As[signals.ToolResult](s); ok {
				s = agents.Returned(ctx, r.Payload)
			}
			if !yield(because(t, s), nil) {
				return
			}
		}
	}
}

// because makes a vote reply to the newest result of a tool that the agent has made or heard, if there is one:
// that is what it rests on.
func because(t *agents.Turn, s signals.Any) signals.Any {
	if s.Kind() != signals.KindVote {
		return s
	}
	h := s.Head()
	for _, heard := range slices.Concat(t.Said, t.Heard, t.New) {
		if heard.Kind() == signals.KindToolResult {
			h.ReplyTo = heard.Head().ID
		}
	}
	return signals.With(s, h)
}

// prompt returns the model's prompt: the task, the signals heard and, as the model is
// scripted, the words.
func prompt(t *agents.Turn, said []signals.Any) string {
	var b strings.Builder
	fmt.Fprintln(&b, t.Task.Task)
	for _, s := range slices.Concat(t.Heard, t.New) {
		fmt.Fprintf(&b, "%s: %+v\n", s.Head().Source, s.Body())
	}
	fmt.Fprintln(&b, "Say:")
	for _, s := range said {
		fmt.Fprintf(&b, "%+v\n", s.Body())
	}
	return b.String()
}

// lines returns the lines of the agent in a turn: those whose words it hears and that it has
// not posted yet.
func (a actor) lines(ctx context.Context, t *agents.Turn, debate string) (all []signals.Any, err error) {
	i := slices.IndexFunc(scenes, func(s scene) bool { return s.task == t.Task.Task })
	if i < 0 {
		return nil, nil
	}
	for _, l := range scenes[i].lines {
		if l.by != a.id || l.debate != debate || t.Round < l.round || !hears(t, l.when) {
			continue
		}
		said := l.say(t)
		if said = slices.DeleteFunc(slices.Clone(said), func(s signals.Any) bool { return spoken(t, s) }); len(said) == 0 {
			continue
		}
		if l.rehearse != "" {
			if spoken(t, l.refused) {
				continue
			}
			result, err := a.rehearse(ctx, l.rehearse)
			if err != nil {
				return nil, err
			}
			all = append(all, result.Signal(a.id))
			if result.IsError {
				said = []signals.Any{l.refused}
			}
		}
		all = append(all, said...)
	}
	return all, nil
}

// spoken reports whether the agent has posted that line.
func spoken(t *agents.Turn, s signals.Any) bool {
	return slices.ContainsFunc(t.Said, func(old signals.Any) bool { return old.Body() == s.Body() })
}

// rehearse calls a tool that a person has to allow.
func (a actor) rehearse(ctx context.Context, what string) (result tools.Outcome, err error) {
	calls, err := a.tools.Begin(ctx)
	if err != nil {
		return result, err
	}
	args, err := json.Marshal(rehearsal{what})
	if err != nil {
		return result, err
	}
	all, err := calls.Make(ctx, models.Call{ID: "1", Name: "rehearse", Args: args})
	if err != nil {
		return result, err
	}
	return all[0], nil
}

// A rehearsal is the argument of the demo's tool.
type rehearsal struct {
	Plan string `json:"plan"`
}

// rehearses is the tool of the demo.
var rehearses = tools.Func("rehearse", "Tries a plan in the staging cluster, which others use too.", tools.Hints{},
	func(_ context.Context, in rehearsal) (string, error) {
		return in.Plan + ": done in 41 s, 3 of 12,000 requests failed", nil
	})

// hears reports whether a turn has the occasion of a line.
func hears(t *agents.Turn, when string) bool {
	switch when {
	case "":
		return true
	case answered:
		return answerIn(t) != nil
	}
	return slices.ContainsFunc(slices.Concat(t.Heard, t.New), func(s signals.Any) bool {
		return strings.Contains(strings.ToLower(fmt.Sprint(s.Body())), strings.ToLower(when))
	})
}

// answered is the occasion of lines about a person's answer.
const answered = "/answer"

// answerIn returns the answer of a person, or nil.
func answerIn(t *agents.Turn) signals.Any {
	for _, s := range slices.Concat(t.Heard, t.New) {
		switch p := s.Body().(type) {
		case signals.Memory:
			if p.Category == "answer" {
				return s
			}
		case signals.Vote:
			if !slices.Contains(names, s.Head().Source) {
				return s
			}
		}
	}
	return nil
}
