package modelstest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents/models"
)

// Open returns the model [Name] of the server at baseURL, with [Key].
type Open func(baseURL string) (models.Model, error)

// Test checks that a model obeys the contract of [models.Model], each part in a
// subtest.
func Test(t *testing.T, d Dialect, open Open) {
	// None of these may have an effect.
	for _, name := range []string{"OPENAI_BASE_URL", "OPENAI_API_KEY", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "HTTP_PROXY", "http_proxy"} {
		t.Setenv(name, "http://127.0.0.1:1")
	}
	for _, c := range contract {
		t.Run(c.name, func(t *testing.T) {
			if err := c.check(d, open); err != nil {
				t.Error(err)
			}
		})
	}
}

// Broken returns the parts of the contract that a model violates. It serves to
// test the suite itself.
func Broken(d Dialect, open Open) (parts []string) {
	for _, c := range contract {
		if c.check(d, open) != nil {
			parts = append(parts, c.name)
		}
	}
	return parts
}

// contract lists the parts of the contract.
var contract = []struct {
	name  string
	check func(d Dialect, open Open) error
}{
	{"AnswersWithTextUsageAndModel", answers},
	{"ShowsTheAnswerInPieces", shows},
	{"SendsTheWholeRequest", sends},
	{"BringsToolCalls", calls},
	{"RefusesCallsThatCannotBeAnswered", callsToRefuse},
	{"TellsCallsApart", callsToTellApart},
	{"SaysThatItRanOutOfTokens", runsOut},
	{"SaysWhatProblemARefusalIs", refusals},
	{"TakesNoBrokenAnswerForAWholeOne", faults},
	{"SaysThatTheAnswerWasWithheld", withheld},
	{"LeavesUsageZeroWhereThereIsNone", uncounted},
	{"EndsWithItsContextAtOnce", ends},
	{"EndsWithItsContextAsTheAnswerEnds", endsAtTheEnd},
	{"SaysThatNobodyWasReached", unreached},
	{"SendsNothingOfWhatCannotBeSent", unsent},
	{"AnswersManyAtOnce", manyAtOnce},
}

func question() *models.Request {
	return &models.Request{System: "You are terse.", Messages: []models.Message{models.User("Well?")}, Most: 100}
}

var usage = models.Usage{Input: 25, CacheRead: 8, Output: 7}

// with runs a check against a server.
func with(d Dialect, open Open, reply func(n int, r *models.Request) Reply, check func(s *Server, m models.Model) error) error {
	s := NewServer(d, reply)
	defer s.Close()
	m, err := open(s.URL)
	if err != nil {
		return err
	}
	if c, ok := m.(interface{ Close() }); ok {
		defer c.Close()
	}
	if err := check(s, m); err != nil {
		return err
	}
	if refused := s.Refused(); len(refused) > 0 {
		return fmt.Errorf("the server refused: %w", errors.Join(refused...))
	}
	return nil
}

func always(r Reply) func(int, *models.Request) Reply {
	return func(int, *models.Request) Reply { return r }
}

func differ(what string, got, want any) error {
	if reflect.DeepEqual(got, want) {
		return nil
	}
	return fmt.Errorf("%s: got %+v, want %+v", what, got, want)
}

const long = "Yes — \"quoted\", <tag> and ünïcödé\nin several lines.\t[DONE]"

func answers(d Dialect, open Open) error {
	return with(d, open, always(Reply{Text: long, Usage: usage}), func(_ *Server, m models.Model) error {
		a, err := m.Ask(context.Background(), question())
		if err != nil {
			return err
		}
		return errors.Join(
			differ("answer", a, &models.Answer{Text: long, Finish: models.FinishStop, Usage: usage, Model: Name + "-2"}),
			differ("name", m.ID().Name, Name),
		)
	})
}

func shows(d Dialect, open Open) error {
	return with(d, open, always(Reply{Text: long, Usage: usage}), func(_ *Server, m models.Model) error {
		var shown strings.Builder
		pieces := 0
		r := question()
		r.Show = func(p models.Piece) {
			pieces++
			shown.WriteString(p.Text)
		}
		a, err := m.Ask(context.Background(), r)
		if err != nil {
			return err
		}
		if pieces < 2 {
			err = fmt.Errorf("%d pieces", pieces)
		}
		return errors.Join(err, differ("shown", shown.String(), long), differ("text", a.Text, long))
	})
}

func sends(d Dialect, open Open) error {
	half := 0.5
	r := &models.Request{
		System: "You are <terse>.",
		Messages: []models.Message{
			models.User("one\n\"two\""),
			{Role: models.RoleAssistant, Text: "let me see", Calls: []models.Call{
				{ID: "call_1", Name: "look_up", Args: json.RawMessage(`{"word":"a\"b"}`)}, {ID: "call_2", Name: "look_up", Args: json.RawMessage(`{"word":"c"}`)},
			}},
			{Role: models.RoleUser, Results: []models.Result{{Call: "call_1", Text: "first"}, {Call: "call_2", Text: "second"}}},
			models.Assistant("so"),
			models.User("and now?"),
			models.User("what stands:\n- nothing"),
		},
		NoCalls:     true,
		Schema:      &models.Schema{Name: "answer", JSON: json.RawMessage(`{"type":"object","properties":{"yes":{"type":"boolean"}},"required":["yes"],"additionalProperties":false}`)},
		Tools:       []models.Tool{{Name: "look_up", Description: "Looks a word up.", Schema: json.RawMessage(`{"type":"object","properties":{"word":{"type":"string"}},"required":["word"],"additionalProperties":false}`)}},
		Most:        123,
		Temperature: &half,
	}
	before, _ := json.Marshal(r)
	return with(d, open, always(Reply{Text: `{"yes":true}`, Usage: usage}), func(s *Server, m models.Model) error {
		if _, err := m.Ask(context.Background(), r); err != nil {
			return err
		}
		if after, _ := json.Marshal(r); string(after) != string(before) {
			return fmt.Errorf("the request was modified: %s", after)
		}
		got := s.Requests()[0]
		if got.Schema == nil || got.Temperature == nil || len(got.Tools) != 1 {
			return fmt.Errorf("the schema, the temperature or the tool is missing: %+v", got)
		}
		return errors.Join(
			differ("system", got.System, r.System), differ("messages", merged(got.Messages), merged(r.Messages)), differ("most", got.Most, r.Most),
			differ("temperature", *got.Temperature, half), differ("no calls", got.NoCalls, true), sameJSON("schema", got.Schema.JSON, r.Schema.JSON),
			differ("tool", got.Tools[0].Name+got.Tools[0].Description, "look_upLooks a word up."),
			sameJSON("tool's schema", got.Tools[0].Schema, r.Tools[0].Schema),
		)
	})
}

// merged returns the messages with neighbors of one role as one.
func merged(all []models.Message) (to []models.Message) {
	for _, m := range all {
		last := len(to) - 1
		if last < 0 || to[last].Role != m.Role {
			to = append(to, m)
			continue
		}
		before := to[last]
		to[last] = models.Message{
			Role: m.Role, Text: strings.TrimPrefix(before.Text+"\n\n"+m.Text, "\n\n"),
			Calls: slices.Concat(before.Calls, m.Calls), Results: slices.Concat(before.Results, m.Results),
		}
	}
	return to
}

func sameJSON(what string, a, b []byte) error {
	var x, y any
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
		return err
	}
	return differ(what, x, y)
}

func calls(d Dialect, open Open) error {
	want := []models.Call{
		{ID: "call_1", Name: "look_up", Args: json.RawMessage(`{"word":"a \"quoted\" one"}`)},
		{ID: "call_2", Name: "count", Args: json.RawMessage(`{}`)},
	}
	reply := func(n int, _ *models.Request) Reply {
		return Reply{Text: "Let me see.", Calls: want, Usage: usage, interleaved: n > 1}
	}
	return with(d, open, reply, func(_ *Server, m models.Model) error {
		for range 2 {
			a, err := m.Ask(context.Background(), question())
			if err == nil {
				err = errors.Join(differ("calls", a.Calls, want), differ("finish", a.Finish, models.FinishCalls), differ("text", a.Text, "Let me see."))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// callsToRefuse are answers with calls to which no result could be sent.
func callsToRefuse(d Dialect, open Open) error {
	args := json.RawMessage(`{}`)
	many := make([]models.Call, 129)
	for i := range many {
		many[i] = models.Call{ID: fmt.Sprint("call_", i), Name: "count", Args: args}
	}
	for name, calls := range map[string][]models.Call{
		"no name":   {{ID: "call_1", Args: args}},
		"a long id": {{ID: strings.Repeat("x", 5000), Name: "count", Args: args}},
		"129 calls": many,
	} {
		if err := with(d, open, always(Reply{Calls: calls, Usage: usage}), func(_ *Server, m models.Model) error {
			a, err := m.Ask(context.Background(), question())
			if !errors.Is(err, models.ErrMalformed) || len(err.Error()) > 700 {
				return fmt.Errorf("got %.200s, %w", fmt.Sprintf("%+v", a), err)
			}
			return nil
		}); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// callsToTellApart are calls without an id of their own, to which an adapter gives one: the
// same whenever the same is answered, since answers are recorded.
func callsToTellApart(d Dialect, open Open) error {
	args := json.RawMessage(`{}`)
	for name, calls := range map[string][]models.Call{
		"no id":       {{Name: "count", Args: args}, {Name: "count", Args: args}},
		"an id twice": {{ID: "call_1", Name: "count", Args: args}, {ID: "call_1", Name: "look_up", Args: args}},
	} {
		if err := with(d, open, always(Reply{Calls: calls, Usage: usage}), func(_ *Server, m models.Model) error {
			a, err := m.Ask(context.Background(), question())
			if err != nil {
				return err
			}
			b, err := m.Ask(context.Background(), question())
			if err != nil {
				return err
			}
			var got []models.Call
			for _, c := range a.Calls {
				got = append(got, models.Call{Name: c.Name, Args: c.Args})
			}
			for i := range calls {
				calls[i].ID = ""
			}
			return errors.Join(a.Validate(m.ID()), differ("calls", got, calls), differ("calls the second time", b.Calls, a.Calls))
		}); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func runsOut(d Dialect, open Open) error {
	reply := Reply{Text: "Yes, bec", Finish: models.FinishLength, Usage: usage}
	return with(d, open, always(reply), func(_ *Server, m models.Model) error {
		a, err := m.Ask(context.Background(), question())
		if err != nil {
			return err
		}
		return errors.Join(differ("finish", a.Finish, models.FinishLength), differ("text", a.Text, "Yes, bec"))
	})
}

func refusals(d Dialect, open Open) error {
	for status, want := range map[int]*models.Problem{
		400: models.ErrInvalid, 401: models.ErrAuth, 403: models.ErrAuth, 404: models.ErrNotFound, 408: models.ErrTimeout, 409: models.ErrOverloaded,
		413: models.ErrInvalid, 422: models.ErrInvalid, 429: models.ErrRateLimited, 500: models.ErrOverloaded, 503: models.ErrOverloaded, 529: models.ErrOverloaded,
		402: models.ErrQuota, 502: models.ErrOverloaded, 504: models.ErrOverloaded, 524: models.ErrOverloaded,
	} {
		free := !slices.Contains([]int{408, 409, 502, 504, 524}, status) // else it may be charged for
		reply := Reply{Status: status, RetryAfter: "11"}
		if err := with(d, open, always(reply), func(s *Server, m models.Model) error {
			_, err := m.Ask(context.Background(), question())
			var e *models.Error
			switch {
			case !errors.As(err, &e) || e.Problem != want || e.Status != status || e.After != 11*time.Second || e.Unbilled != free:
				return fmt.Errorf("got %T %w", err, err)
			case strings.Contains(err.Error(), Key) || strings.Contains(fmt.Sprintf("%+v", *e), Key):
				return fmt.Errorf("the error has the key: %w", err)
			}
			return differ("calls", len(s.Requests()), 1)
		}); err != nil {
			return fmt.Errorf("status %d: %w", status, err)
		}
	}
	return nil
}

func faults(d Dialect, open Open) error {
	for fault, want := range map[Fault]*models.Problem{
		Drops: models.ErrCutOff, CutOff: models.ErrCutOff, Malformed: models.ErrMalformed, HalfCall: models.ErrMalformed, FailsInside: models.ErrOverloaded,
	} {
		reply := Reply{Text: long, Fault: fault, Usage: usage}
		if fault == HalfCall {
			reply.Calls = []models.Call{{ID: "call_1", Name: "look_up", Args: json.RawMessage(`{"word":"half of it"}`)}}
		}
		if err := with(d, open, always(reply), func(s *Server, m models.Model) error {
			a, err := m.Ask(context.Background(), question())
			var e *models.Error
			if !errors.As(err, &e) || e.Problem != want || e.Unbilled || !e.Temporary() || a != nil {
				if err == nil {
					err = errors.New("no error")
				}
				return fmt.Errorf("got %+v, %w, want %w", a, err, want)
			}
			return differ("calls", len(s.Requests()), 1)
		}); err != nil {
			return fmt.Errorf("fault %d: %w", fault, err)
		}
	}
	return nil
}

func withheld(d Dialect, open Open) error {
	reply := Reply{Text: "I", Finish: "content_filter", Usage: usage}
	return with(d, open, always(reply), func(_ *Server, m models.Model) error {
		if _, err := m.Ask(context.Background(), question()); !errors.Is(err, models.ErrFiltered) {
			return fmt.Errorf("got %w", err)
		}
		return nil
	})
}

func uncounted(d Dialect, open Open) error {
	return with(d, open, always(Reply{Text: "Yes.", Fault: CountsNothing}), func(_ *Server, m models.Model) error {
		a, err := m.Ask(context.Background(), question())
		if err != nil {
			return err
		}
		return differ("usage", a.Usage, models.Usage{})
	})
}

// ends ends the context by a cause and by a deadline, while the server stalls until the
// call has returned.
func ends(d Dialect, open Open) error {
	why := errors.New("enough of it")
	cancelled, cancel := context.WithCancelCause(context.Background())
	if err := leaves(cancelled, d, open, func() { cancel(why) }, why); err != nil {
		return err
	}
	due, stop := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer stop()
	if err := leaves(due, d, open, func() {}, context.DeadlineExceeded); err != nil {
		return fmt.Errorf("after its deadline: %w", err)
	}
	return with(d, open, always(Reply{Text: long}), func(_ *Server, m models.Model) error {
		if _, err := m.Ask(cancelled, question()); !errors.Is(err, why) {
			return fmt.Errorf("with a context that has ended: %w", err)
		}
		return nil
	})
}

// leaves checks that a call ends with why when its context does, though the server does
// not end its answer: it calls stalled in the middle of it.
func leaves(ctx context.Context, d Dialect, open Open, stalled func(), why error) error {
	returned := make(chan struct{})
	reply := Reply{Text: long, Fault: Stalls, hold: func() { stalled(); <-returned }}
	return with(d, open, always(reply), func(_ *Server, m models.Model) error {
		asked := make(chan error, 1)
		go func() {
			_, err := m.Ask(ctx, question())
			asked <- err
		}()
		defer close(returned)
		select {
		case err := <-asked:
			if !errors.Is(err, why) {
				return fmt.Errorf("the call ended with: %w", err)
			}
			return nil
		case <-time.After(time.Minute):
			return errors.New("the call goes on after its context has ended")
		}
	})
}

// endsAtTheEnd ends the context while the end of the answer is on its way, or has been
// received: by what shows each piece of the answer in turn, the last one included.
func endsAtTheEnd(d Dialect, open Open) error {
	for _, text := range []string{"Y", long} {
		err := with(d, open, always(Reply{Text: text, Usage: usage}), func(_ *Server, m models.Model) error {
			for last := range parts(text) {
				why := errors.New("enough of it")
				ctx, cancel := context.WithCancelCause(context.Background())
				r, pieces := question(), 0
				r.Show = func(models.Piece) {
					if pieces == last {
						cancel(why)
					}
					pieces++
				}
				a, err := m.Ask(ctx, r)
				cancel(nil)
				if !errors.Is(err, why) || a != nil {
					return fmt.Errorf("canceled at piece %d of %d: got %+v, %w", last+1, len(parts(text)), a, err)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func unreached(_ Dialect, open Open) error {
	s := httptest.NewServer(nil)
	s.Close() // nothing listens there now
	m, err := open(s.URL)
	if err != nil {
		return err
	}
	_, err = m.Ask(context.Background(), question())
	var e *models.Error
	if !errors.As(err, &e) || e.Problem != models.ErrConnection || !e.Unbilled || !e.Temporary() {
		return fmt.Errorf("got %T %w", err, err)
	}
	return nil
}

// unsent makes a request with a schema that is not JSON.
func unsent(d Dialect, open Open) error {
	return with(d, open, always(Reply{Text: long}), func(s *Server, m models.Model) error {
		r := question()
		r.Schema = &models.Schema{Name: "answer", JSON: json.RawMessage(`{"type":`)}
		_, err := m.Ask(context.Background(), r)
		var e *models.Error
		if !errors.As(err, &e) || e.Problem != models.ErrInvalid || !e.Unbilled || e.Temporary() {
			return fmt.Errorf("got %T %w", err, err)
		}
		return differ("calls", len(s.Requests()), 0)
	})
}

func manyAtOnce(d Dialect, open Open) error {
	reply := func(_ int, r *models.Request) Reply {
		return Reply{Text: "to " + r.Messages[0].Text, Usage: usage}
	}
	return with(d, open, reply, func(_ *Server, m models.Model) error {
		errs := make([]error, 8)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() {
				for n := range 5 {
					r := question()
					r.Messages[0].Text = fmt.Sprintf("caller %d, call %d", i, n)
					a, err := m.Ask(context.Background(), r)
					if err != nil {
						errs[i] = err
						return
					}
					errs[i] = errors.Join(errs[i], differ("text", a.Text, "to "+r.Messages[0].Text))
				}
			})
		}
		wg.Wait()
		return errors.Join(errs...)
	})
}
