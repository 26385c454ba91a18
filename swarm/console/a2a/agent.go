package a2a

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a2aproject/a2a-go/a2a"

	"github.com/swarmbus/swarmbus/swarm/console/api"
)

// An agent is a team as the protocol sees it.
type agent struct {
	s    *Server
	team api.Team
}

// OnSendMessage implements [a2asrv.RequestHandler]: it waits until the task stops or asks,
// unless the client does not want to.
func (g *agent) OnSendMessage(ctx context.Context, p *a2a.MessageSendParams) (a2a.SendMessageResult, error) {
	of, err := g.take(ctx, p)
	if err != nil {
		return nil, err
	}
	d, items, err := g.look(ctx, of.id, 0)
	for waits := p.Config == nil || p.Config.Blocking == nil || *p.Config.Blocking; err == nil && waits && goesOn(d, items); {
		if err = g.s.o.Backend.Solves.Changed(ctx, d.Solve); err == nil {
			d, items, err = g.look(ctx, of.id, 0)
		}
	}
	if err != nil {
		return nil, err
	}
	t := taskOf(d, items)
	if p.Config != nil {
		t = latest(t, p.Config.HistoryLength)
	}
	if of.answered.Answer != nil {
		t.Metadata = map[string]any{"answered": data(of.answered.Answer)}
	}
	return t, nil
}

// OnSendMessageStream implements [a2asrv.RequestHandler].
func (g *agent) OnSendMessageStream(ctx context.Context, p *a2a.MessageSendParams) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		t, err := g.take(ctx, p)
		if err != nil {
			yield(nil, err)
			return
		}
		g.follow(ctx, t.id, t.after, yield)
	}
}

// OnResubscribeToTask implements [a2asrv.RequestHandler]: it tells everything again.
func (g *agent) OnResubscribeToTask(ctx context.Context, p *a2a.TaskIDParams) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) { g.follow(ctx, string(p.ID), 0, yield) }
}

// OnGetTask implements [a2asrv.RequestHandler].
func (g *agent) OnGetTask(ctx context.Context, q *a2a.TaskQueryParams) (*a2a.Task, error) {
	if err := counted(q.HistoryLength); err != nil {
		return nil, err
	}
	d, items, err := g.look(ctx, string(q.ID), 0)
	if err != nil {
		return nil, err
	}
	return latest(taskOf(d, items), q.HistoryLength), nil
}

// latest returns a task with so many messages of its history at most; nil: all.
func latest(t *a2a.Task, history *int) *a2a.Task {
	if history != nil {
		t.History = t.History[len(t.History)-min(len(t.History), *history):]
	}
	return t
}

// OnCancelTask implements [a2asrv.RequestHandler].
func (g *agent) OnCancelTask(ctx context.Context, p *a2a.TaskIDParams) (*a2a.Task, error) {
	if _, _, err := g.look(ctx, string(p.ID), 0); err != nil {
		return nil, err
	}
	if _, err := g.s.o.Backend.Solves.Cancel(ctx, string(p.ID)); err != nil {
		return nil, fmt.Errorf("%w: %w", a2a.ErrTaskNotCancelable, err)
	}
	d, items, err := g.look(ctx, string(p.ID), 0)
	if err != nil {
		return nil, err
	}
	return taskOf(d, items), nil
}

// A taken message has begun a task, or answered a question of one.
type taken struct {
	id       string   // of the task
	after    uint64   // position in its log up to which the client knows it
	answered api.Item // with the answer that counts; zero: the message has begun it
}

// take starts a task with a message, or answers the question that it names. One that is repeated
// is the same answer.
func (g *agent) take(ctx context.Context, p *a2a.MessageSendParams) (t taken, err error) {
	if err := checked(p); err != nil {
		return t, err
	}
	text, fields, err := read(p.Message.Parts)
	if err != nil {
		return t, err
	}
	if p.Message.TaskID == "" {
		t.id, err = g.begin(ctx, p.Message, text)
		return t, err
	}
	d, items, err := g.look(ctx, string(p.Message.TaskID), 0)
	if err != nil {
		return t, err
	}
	if of := p.Message.ContextID; of != "" && of != contextOf(d) {
		return t, invalid("contextId = %.80q: task %s is in %q", of, d.ID, contextOf(d))
	}
	t = taken{id: d.ID, after: d.Seq}
	if fields.Right != nil {
		_, err := g.s.o.Backend.Solves.Tell(ctx, d.ID, api.Outcome{Right: *fields.Right})
		return t, refused(err)
	}
	question, err := named(d.ID, items, text, &fields)
	if err != nil && stateOf(d.Solve).Terminal() {
		err = fmt.Errorf("%w: task %s has ended: give what follows as a message without a task, with the contextId %q and the task in referenceTaskIds", a2a.ErrUnsupportedOperation, d.ID, contextOf(d))
	}
	if err != nil {
		return t, err
	}
	t.answered, err = g.s.o.Backend.Reply(ctx, question, fields.Reply)
	return t, refused(err)
}

// named returns the id of the question that an answer names, in its data or before its text. One
// without an id is refused: what waits may have changed since the client looked.
func named(task string, items []api.Item, text string, of *reply) (string, error) {
	if of.ID == "" {
		of.ID, text, _ = strings.Cut(strings.TrimSpace(text), " ")
		of.ID = strings.TrimSuffix(of.ID, ":")
	}
	if !strings.HasPrefix(of.ID, task+".") {
		var open []string
		for _, i := range items {
			open = append(open, i.ID)
		}
		return "", invalid("an answer names its question, by the member id of a data part or before its text; open: %s", cmp.Or(strings.Join(open, ", "), "none"))
	}
	text = strings.TrimSpace(text)
	of.Answer = cmp.Or(of.Answer, text)
	if verdict, reason, _ := strings.Cut(text, ":"); of.Verdict == "" {
		of.Verdict = strings.TrimSpace(verdict)
		of.Reason = cmp.Or(of.Reason, strings.TrimSpace(reason))
	}
	return of.ID, nil
}

// refOf returns what a task is called that a message begins: one that is sent again begins no other.
func refOf(m *a2a.Message) string {
	return url.PathEscape(m.ContextID) + "/" + url.PathEscape(m.ID)
}

// contextOf returns the context of a task: that of its client's message, or one of its own.
func contextOf(d api.SolveDetail) string {
	of, _, _ := strings.Cut(d.Ref, "/")
	of, _ = url.PathUnescape(of)
	return cmp.Or(of, d.ID)
}

// earlier returns what a task has to know of the tasks that its message refers to.
func (g *agent) earlier(ctx context.Context, m *a2a.Message) (string, error) {
	var all []string
	for _, id := range m.ReferenceTasks {
		d, _, err := g.look(ctx, string(id), 0)
		if err != nil {
			return "", err
		}
		answer := "It has no answer."
		if d.Decision != nil {
			answer = "The answer was: " + cmp.Or(d.Answer, d.Decision.Reason)
		}
		all = append(all, "An earlier task was: "+d.Task+"\n"+answer)
	}
	return strings.Join(all, "\n\n"), nil
}

// begin starts a task, unless too many run. One is started at a time, so that each counts those
// before it.
func (g *agent) begin(ctx context.Context, m *a2a.Message, text string) (id string, err error) {
	background, err := g.earlier(ctx, m)
	if err != nil {
		return "", err
	}
	select {
	case g.s.begins <- struct{}{}:
		defer func() { <-g.s.begins }()
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	running, err := g.s.o.Backend.Solves.List(ctx, api.SolvesQuery{State: api.Running, Limit: g.s.o.Tasks})
	if err != nil {
		return "", refused(err)
	}
	if len(running) >= g.s.o.Tasks {
		limit := fmt.Sprintf("%d tasks are running", len(running))
		client, _ := ctx.Value(clientKey{}).(string)
		g.s.tell(client, limit)
		return "", fmt.Errorf("%w: %s: wait for one, or cancel it", a2a.ErrServerError, limit)
	}
	one, err := g.s.o.Backend.Solves.Start(ctx, api.NewSolve{Team: g.team.Name, Task: text, Context: background, Ref: refOf(m)})
	return one.ID, refused(err)
}

// A reply is what the data of an answer may have.
type reply struct {
	ID    string  `json:"id"`
	Right *string `json:"right"` // id of the proposal that turned out to be right, "" for none: no answer
	api.Reply
}

// read returns the text of a message, and the fields of its data.
func read(parts a2a.ContentParts) (text string, fields reply, err error) {
	for _, each := range parts {
		switch part := each.(type) {
		case a2a.TextPart:
			text += part.Text
		case a2a.DataPart:
			if fields != (reply{}) {
				return "", fields, invalid("a message with two data parts: answer one question with each message")
			}
			all, err := json.Marshal(part.Data)
			if err == nil {
				err = json.Unmarshal(all, &fields)
			}
			if err != nil {
				return "", fields, invalid("a data part has other members than texts: %v", err)
			}
		default:
			return "", fields, fmt.Errorf("%w: a message has text and data parts, not %T", a2a.ErrUnsupportedContentType, each)
		}
	}
	return text, fields, nil
}

// follow tells of a task until it stops or asks.
func (g *agent) follow(ctx context.Context, id string, after uint64, yield func(a2a.Event, error) bool) {
	told, heard := false, map[string]string{}
	for {
		d, items, err := g.look(ctx, id, after)
		if err != nil {
			yield(nil, err)
			return
		}
		t := taskOf(d, items)
		if !told {
			told = true
			begun := *t
			begun.Artifacts, begun.Status = nil, a2a.TaskStatus{State: a2a.TaskStateWorking, Timestamp: t.Status.Timestamp}
			if !yield(&begun, nil) {
				return
			}
		}
		for _, w := range d.Said {
			if !yield(said(t, w), nil) {
				return
			}
		}
		for _, agent := range slices.Sorted(maps.Keys(d.Saying)) {
			if words := d.Saying[agent]; words != heard[agent] && !yield(saying(t, agent, words), nil) {
				return
			}
		}
		after, heard = d.Seq, d.Saying
		if !goesOn(d, items) {
			for _, a := range t.Artifacts {
				if !yield(&a2a.TaskArtifactUpdateEvent{TaskID: t.ID, ContextID: t.ContextID, Artifact: a, LastChunk: true}, nil) {
					return
				}
			}
			yield(&a2a.TaskStatusUpdateEvent{TaskID: t.ID, ContextID: t.ContextID, Status: t.Status, Final: true}, nil)
			return
		}
		if err := g.s.o.Backend.Solves.Changed(ctx, d.Solve); err != nil {
			if ctx.Err() == nil { // else the client has gone
				yield(nil, refused(err))
			}
			return
		}
	}
}

// goesOn reports whether something is still to come without a client.
func goesOn(d api.SolveDetail, items []api.Item) bool {
	return d.State == api.Running || d.State == api.Waiting && len(items) == 0
}

// look returns a solve of the team, of which only what comes after a position, and what of it
// waits for a person.
func (g *agent) look(ctx context.Context, id string, after uint64) (d api.SolveDetail, items []api.Item, err error) {
	if id == "" {
		return d, nil, invalid("the id of the task is missing")
	}
	d, err = g.s.o.Backend.Solves.Get(ctx, id, after)
	if first := (*api.Error)(nil); errors.As(err, &first) && first.Status == http.StatusNotFound || err == nil && d.Team != g.team.Name {
		return d, nil, fmt.Errorf("%w: %.80q is none of team %s", a2a.ErrTaskNotFound, id, g.team.Name)
	}
	if err != nil || d.State != api.Waiting {
		return d, nil, err
	}
	items, err = g.s.o.Backend.Inbox.Items(ctx, false)
	return d, slices.DeleteFunc(items, func(i api.Item) bool { return i.Solve != id }), err
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{a2a.ErrInvalidParams}, args...)...)
}

// refused returns an error of the backend as one of the protocol.
func refused(err error) error {
	of := (*api.Error)(nil)
	switch {
	case err == nil || !errors.As(err, &of):
		return err
	case of.Status == http.StatusUnprocessableEntity:
		return fmt.Errorf("%w: %w", a2a.ErrInvalidParams, err)
	}
	return fmt.Errorf("%w: %w", a2a.ErrServerError, err)
}
