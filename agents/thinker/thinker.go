package thinker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
)

// A Thinker is an agent that asks a model. ID and Model are required. The zero values
// of the other fields have the meanings given.
type Thinker struct {
	ID    string
	Role  string // for the system prompt, in the second person: "You look for …"
	Model models.Model

	Cheap, Deep models.Model // for cheap and deep turns; nil: Model
	Personality agents.Personality
	CanEmit     []signals.Kind // some of [Says] and [Coordinates], signals.KindMemory, for facts to remember, and signals.KindRetraction, to take back what it said; nil: all of Says
	Tools       *tools.Set     // that the model may call, except in cheap turns; nil: none
	Skills      []string       // what the agent can learn to do by a tool, each a name and what for, except in cheap turns; nil: nothing

	// Reports makes the model add a turn report to each answer, which the agent emits
	// as a [reports.Turn]. They are the options of the gate that judges it. Nil: no
	// reports.
	Reports *reports.Options

	Prompts *Prompts // nil: the package's
	Tokens  int      // maximum for an answer; 0: 1024. Cheap turns have a quarter, deep turns four times as many
	Prompt  int      // maximum bytes of earlier turns, of what is new, of the current state, and of an answer that the model is asked about again, each; 0: 48 KiB
	Text    int      // maximum bytes of one text of another agent or a tool, twice that with escapes; 0: 4 KiB

	Temperature *float64 // nil: the provider's default
	Seeded      bool     // send the turn's seed, for models that accept one

	// Show is called with the pieces of answers as they arrive, concurrently by the
	// goroutines of turns. Nil: none.
	Show func(agent string, p models.Piece)
}

// mostCalls is the maximum number of answers of a turn that may call tools.
const mostCalls = 8

// Says returns the kinds that a thinker can emit, apart from reports and [Coordinates].
func Says() []signals.Kind {
	return []signals.Kind{
		signals.KindDiscovery, signals.KindProposal, signals.KindDoubt, signals.KindChallenge, signals.KindVote, signals.KindEscalation, signals.KindToolResult,
	}
}

// Agent returns the agent, for swarm.Options. Its Group is the model's ID, since agents
// of one model have correlated errors. A swarm refuses an agent without a model.
func (t Thinker) Agent() *agents.Agent {
	if t.CanEmit == nil {
		t.CanEmit = Says()
	}
	if t.Reports != nil {
		t.CanEmit = append(slices.Clip(t.CanEmit), reports.Turn{}.Kind())
	}
	a := &agents.Agent{ID: t.ID, Role: t.Role, Personality: t.Personality, CanEmit: t.CanEmit, Reactor: &t}
	if t.Model != nil {
		a.Group = t.Model.ID().String()
	}
	return a
}

// A RefusalError is returned for an answer that could not be used, or not completely.
type RefusalError struct {
	Agent    string
	Problems []string
}

func (e *RefusalError) Error() string {
	return fmt.Sprintf("thinker: the answer of %s was refused: %s", e.Agent, strings.Join(e.Problems, "; "))
}

// React implements [agents.Reactor]: it asks the model, and once more if the answer does
// not conform.
func (t *Thinker) React(ctx context.Context, turn *agents.Turn) iter.Seq2[signals.Any, error] {
	return func(yield func(signals.Any, error) bool) {
		said, err := t.think(ctx, turn)
		for _, s := range said {
			if !yield(s, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// Argue implements [agents.Debater]: it asks the model for an argument, and for whatever
// else it has to say.
func (t *Thinker) Argue(ctx context.Context, turn *agents.Turn) iter.Seq2[signals.Any, error] {
	return t.React(ctx, turn)
}

var _ agents.Payer = (*Thinker)(nil)

// Reserve implements [agents.Payer]. A turn makes one call of the model, or two if it is a
// deep one; what calls of tools and repairs cost is not known before.
func (t *Thinker) Reserve(ctx context.Context, turn *agents.Turn, turns int) (release func(), ok bool) {
	th := t.begin(turn)
	if err := th.report(); err != nil {
		return func() {}, true // the turn will say so
	}
	if turn.Effort == signals.Deep {
		turns *= 2
	}
	return models.Reserve(ctx, th.model, &th.ask, turns)
}

// A thought is the state of one turn.
type thought struct {
	*Thinker
	view  *view
	model models.Model
	ask   models.Request
	forms []form
	calls *tools.Calls
	tools []signals.Any // results
}

func (t *Thinker) begin(turn *agents.Turn) *thought {
	prompts := cmp.Or(t.Prompts, defaults)
	v := newView(turn, prompts)
	v.details, v.text, v.most, v.words = true, cmp.Or(t.Text, 4<<10), cmp.Or(t.Prompt, 48<<10), t.Personality.Words()
	th := &thought{Thinker: t, view: v, model: t.Model, forms: formsOf(func(k signals.Kind) bool { return slices.Contains(t.CanEmit, k) && v.asksFor(k) })}
	v.proposes = has(th.forms, signals.KindProposal)
	v.cites = v.proposes && turn.Ask == agents.AskAnswer && slices.ContainsFunc(append(slices.Clip(v.New), v.Said...), isFact)
	v.refers = v.cites || has(th.forms, signals.KindRetraction)
	th.ask.Most, th.ask.Temperature = cmp.Or(t.Tokens, 1024), t.Temperature
	switch turn.Effort {
	case signals.Cheap:
		th.model = cmp.Or(t.Cheap, t.Model)
		th.ask.Most = max(64, th.ask.Most/4)
		v.details, v.text, v.words = false, min(v.text, 256), v.words/2
	case signals.Deep:
		th.model = cmp.Or(t.Deep, t.Model)
		th.ask.Most *= 4
		v.words *= 2
	}
	v.words = min(v.words, th.ask.Most/4) // the rest is for the JSON around them, and for languages that need more tokens
	if t.Seeded {
		seed := int(turn.Rand().Int32())
		th.ask.Seed = &seed
	}
	if t.Show != nil {
		th.ask.Show = func(p models.Piece) { t.Show(t.ID, p) }
	}
	if turn.Task.Schema != "" {
		th.forms = typed(th.forms, turn.Task.Schema)
	}
	th.ask.Messages = v.messages()
	if v.cites {
		v.facts = v.citable(th.ask.Messages)
		th.forms = citing(th.forms, v.facts)
	}
	shown, skills := []string(nil), t.Skills
	if turn.Effort == signals.Cheap {
		skills = nil
	}
	for i := range th.forms {
		shown = append(shown, th.forms[i].String())
	}
	th.ask.System = fill(prompts.System, systemData{t.ID, t.Role, t.Personality.Instructions(), skills, shown})
	th.ask.Schema = schemaOf(th.forms, len(turn.Proposals))
	return th
}

func (t *Thinker) think(ctx context.Context, turn *agents.Turn) ([]signals.Any, error) {
	th := t.begin(turn)
	if err := th.report(); err != nil {
		return nil, err
	}
	offered := t.Tools
	if turn.Effort == signals.Cheap {
		offered = nil
	}
	var err error
	if th.calls, err = offered.Begin(ctx); err != nil {
		return nil, err
	}
	th.ask.Tools = th.calls.Offer()
	a, err := th.answer(ctx)
	if err != nil {
		return th.tools, err
	}
	r := th.read(a)
	if len(r.problems) > 0 {
		if a.Finish == models.FinishLength {
			th.widen(ctx)
		}
		agents.Spend(ctx, agents.Cost{Repairs: 1})
		if r, err = th.again(ctx, a, fill(th.view.prompts.Repair, repairData{r.problems}), r); err != nil {
			return th.all(r), err
		}
	} else if turn.Effort == signals.Deep {
		first, failed := r, (*models.Error)(nil)
		r, err = th.again(ctx, a, fill(th.view.prompts.Again, struct{}{}), r)
		if err != nil && !errors.As(err, &failed) {
			return th.all(first), err // the turn has ended, or the recording lacks the answer
		}
		if err != nil || len(r.problems) > 0 {
			r = first // a failed review does not fail the turn
		}
	}
	all := th.all(r)
	if len(r.problems) > 0 {
		agents.Spend(ctx, agents.Cost{Refusals: len(r.problems)})
		return all, &RefusalError{t.ID, r.problems}
	}
	return all, nil
}

// all returns what the agent says: which model answered, if it is not its own, what tools returned, and what
// was read.
func (th *thought) all(r reading) (all []signals.Any) {
	if r.by != nil {
		all = append(all, signals.New(signals.Header{Confidence: 1}, agents.Fallback{
			Model: r.by.Model.String(), For: th.model.ID().String(), Reason: text.Fit(r.by.Why, mostWhy),
		}))
	}
	return append(append(all, th.tools...), r.signals...)
}

// mostWhy is the most bytes of why a model did not answer.
const mostWhy = 1 << 10

// widest is the bound on an answer up to which one that reached its own is raised: servers
// refuse what is beyond the model's.
const widest = 16 << 10

// widen raises the bound on the next answer, if the budget has it: reasoning counts, and how
// much of it there is depends on the model.
func (th *thought) widen(ctx context.Context) {
	ask := th.ask
	ask.Most = max(ask.Most, min(4*ask.Most, widest))
	release, ok := models.Reserve(ctx, th.model, &ask, 1)
	if release(); ok {
		th.ask.Most = ask.Most
	}
}

// again asks once more about an answer. If nothing in the new answer can be used, the
// signals of the old one are kept.
func (th *thought) again(ctx context.Context, a *models.Answer, why string, before reading) (reading, error) {
	said := text.Cut(a.Text, th.view.most)
	if strings.TrimSpace(said) == "" { // which providers refuse
		said = "(empty)"
	}
	th.ask.Messages = append(th.ask.Messages, models.Assistant(said), models.User(why))
	th.ask.NoCalls = len(th.ask.Tools) > 0 // the tools stay, for the calls in earlier messages
	a, err := models.Ask(ctx, th.model, &th.ask)
	if err != nil {
		return before, err
	}
	r := th.read(a)
	if len(r.problems) > 0 && len(r.signals) == 0 {
		r.signals, r.by = before.signals, before.by
	}
	return r, nil
}

// answer asks until the model makes no more calls.
func (th *thought) answer(ctx context.Context) (*models.Answer, error) {
	for n := 1; ; n++ {
		a, err := models.Ask(ctx, th.model, &th.ask)
		if err != nil || len(a.Calls) == 0 || n > mostCalls {
			return a, err
		}
		results, err := th.call(ctx, a.Calls)
		if err != nil {
			return nil, err
		}
		th.ask.Messages = append(th.ask.Messages, a.Message(), results)
		if n == mostCalls {
			th.ask.NoCalls = true
		}
	}
}

// call makes the calls of an answer. Their results are data, like the texts of other
// agents.
func (th *thought) call(ctx context.Context, calls []models.Call) (models.Message, error) {
	results := models.Message{Role: models.RoleUser}
	outcomes, err := th.calls.Make(ctx, calls...)
	for _, o := range outcomes {
		if o.How == "" || o.How == tools.Asked {
			continue // it was not made yet
		}
		most := th.view.text
		if o.Instructs && o.How == tools.Done {
			most = signals.DefaultTextBytes
		} else if o.How != tools.Beyond && slices.Contains(th.CanEmit, signals.KindToolResult) {
			th.tools = append(th.tools, o.Signal(th.ID))
		}
		results.Results = append(results.Results, models.Result{Call: o.Call, Text: fmt.Sprintf(`{"result":%s}`, text.Prompt(o.Text, most)), IsError: o.IsError})
	}
	return results, err
}
