package client

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"sync/atomic"
	"time"

	"github.com/swarmbus/swarmbus/internal/retry"
	"github.com/swarmbus/swarmbus/swarm/console/api"
)

// A Client makes requests to one server. It has the solves, questions and runs of a server as the
// server itself has them.
type Client struct {
	base    url.URL
	token   string
	reached atomic.Bool // the server has answered
}

var (
	_ api.Solves = (*Client)(nil)
	_ api.Inbox  = (*Client)(nil)
	_ api.Runs   = (*Client)(nil)
)

// New returns a client for a server, whose address may be the link that it printed, with the
// token in it; else the token is given.
func New(link, token string) (*Client, error) {
	base, err := url.Parse(link)
	if err != nil {
		return nil, fmt.Errorf("the address of the server: %w", err)
	}
	if base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, fmt.Errorf("the address of the server %q does not begin with http:// or https://", link)
	}
	if in, found := strings.CutPrefix(base.Fragment, "token="); found {
		token = in
	}
	if token == "" {
		return nil, errors.New("no token for the server: use the link that it printed")
	}
	return &Client{base: url.URL{Scheme: base.Scheme, Host: base.Host, Path: strings.TrimSuffix(base.Path, "/")}, token: token}, nil
}

// Teams returns the teams of the server.
func (c *Client) Teams(ctx context.Context) (all []api.Team, err error) {
	return all, c.ask(ctx, http.MethodGet, "/teams", nil, &all)
}

// Start starts a solve.
func (c *Client) Start(ctx context.Context, n api.NewSolve) (one api.Solve, err error) {
	return one, c.ask(ctx, http.MethodPost, "/solves", n, &one)
}

// List returns solves, the newest first.
func (c *Client) List(ctx context.Context, q api.SolvesQuery) (all []api.Solve, err error) {
	return all, c.ask(ctx, http.MethodGet, "/solves"+query(q), nil, &all)
}

// Get returns a solve, with only those of its votes, steps and signals after a position.
func (c *Client) Get(ctx context.Context, id string, after uint64) (one api.SolveDetail, err error) {
	return one, c.ask(ctx, http.MethodGet, fmt.Sprintf("/solves/%s?after=%d", url.PathEscape(id), after), nil, &one)
}

// Changed waits until a solve is not as it was seen: it has a newer signal, or another state, or its
// agents are saying something else.
func (c *Client) Changed(ctx context.Context, seen api.Solve) (err error) {
	var now api.SolveDetail
	ended := c.listen(ctx, "type=signal&type=saying&solve="+url.QueryEscape(seen.ID), func() bool {
		now, err = c.Get(ctx, seen.ID, seen.Seq)
		return err == nil && now.Seq <= seen.Seq && now.State == seen.State && maps.Equal(now.Saying, seen.Saying)
	})
	return cmp.Or(err, ended)
}

// Cancel cancels a solve that runs.
func (c *Client) Cancel(ctx context.Context, id string) (one api.Solve, err error) {
	return one, c.ask(ctx, http.MethodPost, "/solves/"+url.PathEscape(id)+"/cancel", nil, &one)
}

// Resume continues a solve that was interrupted or cancelled.
func (c *Client) Resume(ctx context.Context, id string) (one api.Solve, err error) {
	return one, c.ask(ctx, http.MethodPost, "/solves/"+url.PathEscape(id)+"/resume", nil, &one)
}

// Retract takes back a signal of a solve, and returns the changed solve.
func (c *Client) Retract(ctx context.Context, solve string, r api.Retraction) (one api.SolveDetail, err error) {
	return one, c.ask(ctx, http.MethodPost, "/solves/"+url.PathEscape(solve)+"/retractions", r, &one)
}

// Say gives the agents of a solve a message of a person, and returns the solve.
func (c *Client) Say(ctx context.Context, solve string, m api.Message) (one api.Solve, err error) {
	return one, c.ask(ctx, http.MethodPost, "/solves/"+url.PathEscape(solve)+"/messages", m, &one)
}

// Seat lets an agent of the bench join a solve, or takes one out, and returns the solve.
func (c *Client) Seat(ctx context.Context, solve string, m api.Seat) (one api.Solve, err error) {
	how := http.MethodPut
	if m.Leaves {
		how = http.MethodDelete
	}
	return one, c.ask(ctx, how, "/solves/"+url.PathEscape(solve)+"/agents/"+url.PathEscape(m.Agent), nil, &one)
}

// Tell says which proposal of a solve turned out to be right, and returns the solve.
func (c *Client) Tell(ctx context.Context, solve string, o api.Outcome) (one api.Solve, err error) {
	return one, c.ask(ctx, http.MethodPut, "/solves/"+url.PathEscape(solve)+"/outcome", o, &one)
}

// WhatIf decides on the votes up to a position by other strategies and thresholds; 0: on all.
func (c *Client) WhatIf(ctx context.Context, id string, at uint64, thresholds []float64) (w api.WhatIf, err error) {
	q := struct {
		At         uint64    `query:"at"`
		Thresholds []float64 `query:"threshold"`
	}{at, thresholds}
	return w, c.ask(ctx, http.MethodGet, "/solves/"+url.PathEscape(id)+"/whatif"+query(q), nil, &w)
}

// Conflicts returns conflicts between proposals, the newest first.
func (c *Client) Conflicts(ctx context.Context, q api.ConflictsQuery) (all []api.Conflict, err error) {
	return all, c.ask(ctx, http.MethodGet, "/conflicts"+query(q), nil, &all)
}

// Items returns the questions that wait for a person, and with all those that were answered.
func (c *Client) Items(ctx context.Context, all bool) (items []api.Item, err error) {
	return items, c.ask(ctx, http.MethodGet, fmt.Sprintf("/inbox?all=%t", all), nil, &items)
}

// Item returns a question.
func (c *Client) Item(ctx context.Context, id string) (one api.Item, err error) {
	return one, c.ask(ctx, http.MethodGet, "/inbox/"+url.PathEscape(id), nil, &one)
}

// Answer answers a question. A second answer is refused; the error has the first one.
func (c *Client) Answer(ctx context.Context, item string, a api.Answer) (one api.Item, err error) {
	return one, c.ask(ctx, http.MethodPost, "/inbox/"+url.PathEscape(item)+"/answer", a, &one)
}

// Decide allows or denies the call of a tool.
func (c *Client) Decide(ctx context.Context, item string, v api.Verdict) (one api.Item, err error) {
	return one, c.ask(ctx, http.MethodPost, "/inbox/"+url.PathEscape(item)+"/verdict", v, &one)
}

// Runs returns the journals.
func (c *Client) Runs(ctx context.Context) (all []api.Run, err error) {
	return all, c.ask(ctx, http.MethodGet, "/runs", nil, &all)
}

// Run returns a journal.
func (c *Client) Run(ctx context.Context, run string) (one api.Run, err error) {
	return one, c.ask(ctx, http.MethodGet, "/runs/"+url.PathEscape(run), nil, &one)
}

// Signals returns a page of the log of a run.
func (c *Client) Signals(ctx context.Context, q api.SignalsQuery) (page api.Signals, err error) {
	return page, c.ask(ctx, http.MethodGet, "/runs/"+url.PathEscape(q.Run)+"/signals"+query(q), nil, &page)
}

// Verify verifies the hashes of a run, and with receipts says what allowed each call of a tool.
func (c *Client) Verify(ctx context.Context, run string, receipts bool) (v api.Verification, err error) {
	return v, c.ask(ctx, http.MethodGet, fmt.Sprintf("/runs/%s/verify?receipts=%t", url.PathEscape(run), receipts), nil, &v)
}

// Replay derives the conflicts and decisions of a run again.
func (c *Client) Replay(ctx context.Context, run string) (r api.ReplayCheck, err error) {
	return r, c.ask(ctx, http.MethodGet, "/runs/"+url.PathEscape(run)+"/replay", nil, &r)
}

// Compare compares two solves signal by signal.
func (c *Client) Compare(ctx context.Context, a, b string) (all api.Comparison, err error) {
	return all, c.ask(ctx, http.MethodGet, "/compare?"+url.Values{"a": {a}, "b": {b}}.Encode(), nil, &all)
}

// query returns the query of a request: the fields that are set of a struct whose tags name them.
func query(of any) string {
	q, v := url.Values{}, reflect.ValueOf(of)
	add := func(name string, v reflect.Value) {
		if at, ok := v.Interface().(time.Time); ok {
			q.Add(name, at.Format(time.RFC3339Nano))
		} else {
			q.Add(name, fmt.Sprint(v))
		}
	}
	for field, value := range v.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("query"), ",")
		switch {
		case name == "" || value.IsZero():
		case value.Kind() == reflect.Slice:
			for i := range value.Len() {
				add(name, value.Index(i))
			}
		default:
			add(name, value)
		}
	}
	if len(q) == 0 {
		return ""
	}
	return "?" + q.Encode()
}

// ask asks the server, and reads the answer into to.
func (c *Client) ask(ctx context.Context, method, path string, body, to any) error {
	var text []byte
	if body != nil {
		all, err := json.Marshal(body)
		if err != nil {
			return err
		}
		text = all
	}
	got, err := c.send(ctx, method, path, text)
	if err != nil {
		return err
	}
	defer got.Body.Close() //nolint:errcheck // only read
	return json.NewDecoder(got.Body).Decode(to)
}

// listen calls each when the feed of the server begins, when it has something of a query, and every
// few seconds, until that says that it need not go on, which is no error. A feed that ends, as that of
// a server that starts anew, is asked for again.
func (c *Client) listen(ctx context.Context, query string, each func() (goesOn bool)) error {
	pause := pauses()
	for {
		got, err := c.send(ctx, http.MethodGet, "/feed?"+query, nil)
		if err != nil {
			return err
		}
		for in := bufio.NewReader(got.Body); err == nil; {
			var line string
			line, err = in.ReadString('\n') // the first frame says hello
			if ctx.Err() == nil && strings.HasPrefix(line, "data: ") && !each() {
				_ = got.Body.Close() // only read
				return nil
			}
		}
		_ = got.Body.Close() // only read
		if err := retry.Sleep(ctx, pause.Next()); err != nil {
			return err
		}
	}
}

// patience is how long a request waits for a server that was there and is away.
const patience = time.Minute

func pauses() *retry.Backoff {
	return &retry.Backoff{First: 100 * time.Millisecond, Most: 2 * time.Second, Factor: 2, Jitter: 0.2}
}

// send sends a request, and returns the answer if it is none of an error. Once the server has
// answered, requests that it has not taken are sent again while it is away: those that only read,
// and those for which there was no connection.
func (c *Client) send(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	pause, until := pauses(), time.Now().Add(patience)
	for {
		got, err := c.once(ctx, method, path, body)
		if err == nil || !c.reached.Load() || !away(method, err) || time.Now().After(until) {
			return got, err
		}
		if err := retry.Sleep(ctx, pause.Next()); err != nil {
			return nil, err
		}
	}
}

// away reports whether an error is that of a server which starts anew, or of the proxy before it, and
// the request may be sent again.
func away(method string, err error) bool {
	var problem *api.Error
	var connection *net.OpError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return false
	case errors.As(err, &problem):
		return method == http.MethodGet && (problem.Status == http.StatusBadGateway || problem.Status == http.StatusGatewayTimeout)
	case errors.As(err, &connection) && connection.Op == "dial":
		return true
	}
	return method == http.MethodGet
}

func (c *Client) once(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.base.String()+api.Prefix+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	if got.StatusCode < 300 {
		c.reached.Store(true)
		return got, nil
	}
	defer got.Body.Close() //nolint:errcheck // only read
	problem := &api.Error{}
	if json.NewDecoder(got.Body).Decode(problem) != nil || problem.Status == 0 {
		problem = api.NewError(got.StatusCode, "")
	}
	problem.Detail = cmp.Or(problem.Detail, problem.Title)
	return nil, problem
}
