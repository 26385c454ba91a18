package models_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/signals"
)

var id = models.ID{Provider: "acme", Name: "large"}

func TestStatusNamesTheProblemAndWhetherItIsTemporary(t *testing.T) {
	for status, want := range map[int]struct {
		problem *models.Problem
		passes  bool
	}{
		400: {models.ErrInvalid, false}, 401: {models.ErrAuth, false}, 402: {models.ErrQuota, false}, 403: {models.ErrAuth, false},
		404: {models.ErrNotFound, false}, 408: {models.ErrTimeout, true}, 409: {models.ErrOverloaded, true}, 413: {models.ErrInvalid, false},
		422: {models.ErrInvalid, false}, 429: {models.ErrRateLimited, true}, 500: {models.ErrOverloaded, true},
		501: {models.ErrInvalid, false}, 503: {models.ErrOverloaded, true}, 529: {models.ErrOverloaded, true},
	} {
		err := models.StatusError(id, status, http.Header{"Retry-After": {"7"}}, "why")
		after, passes := agents.IsRetryable(err)
		if !errors.Is(err, want.problem) || passes != want.passes || passes && after != 7*time.Second {
			t.Errorf("%d: got %v, passes %v after %v", status, err, passes, after)
		}
	}
}

func TestOnlyARefusalOrAFailureOfTheServerIsFree(t *testing.T) {
	free := []int{400, 401, 402, 403, 404, 405, 413, 415, 422, 429, 500, 503, 529}
	for status := 400; status < 600; status++ {
		if got := models.StatusError(id, status, nil, "").Unbilled; got != slices.Contains(free, status) {
			t.Errorf("%d: unbilled %v", status, got)
		}
	}
}

func TestAnAnswerBeyondTheBoundsIsMalformed(t *testing.T) {
	call := func(id, name string, args int) models.Answer {
		return models.Answer{Calls: []models.Call{{ID: id, Name: name, Args: json.RawMessage(strings.Repeat("1", args))}}}
	}
	for name, c := range map[string]struct {
		answer models.Answer
		ok     bool
	}{
		"all at their bounds": {models.Answer{Text: strings.Repeat("x", 1<<20), Calls: call(strings.Repeat("i", 4<<10), strings.Repeat("n", 256), 64<<10).Calls}, true},
		"a longer text":       {models.Answer{Text: strings.Repeat("x", 1<<20+1)}, false},
		"a longer id":         {call(strings.Repeat("i", 4<<10+1), "f", 1), false},
		"a longer name":       {call("i", strings.Repeat("n", 257), 1), false},
		"longer arguments":    {call("i", "f", 64<<10+1), false},
		"no id":               {call("", "f", 1), false},
		"no name":             {call("i", "", 1), false},
		"an id twice":         {models.Answer{Calls: append(call("i", "f", 1).Calls, call("i", "g", 1).Calls...)}, false},
		"129 calls":           {models.Answer{Calls: make([]models.Call, 129)}, false},
	} {
		m := &models.Scripted{Answer: func(context.Context, *models.Request) (*models.Answer, error) {
			a := c.answer
			a.Usage = models.Usage{Input: 3, Output: 4}
			return &a, nil
		}}
		_, err := models.Ask(t.Context(), m, &models.Request{})
		if (err == nil) != c.ok || err != nil && (!errors.Is(err, models.ErrMalformed) || len(err.Error()) > 250) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestRetryAfterIsReadInAllItsForms(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		header, value string
		want          time.Duration
	}{
		{"Retry-After", "3", 3 * time.Second},
		{"Retry-After", " 1.5 ", 1500 * time.Millisecond},
		{"Retry-After", "Sun, 01 Mar 2026 12:00:20 GMT", 20 * time.Second},
		{"Retry-After", "Sun, 01 Mar 2026 11:00:00 GMT", 0},
		{"Retry-After", "-3", 0},
		{"Retry-After", "NaN", 0},
		{"Retry-After", "1e300", 0},
		{"Retry-After", "soon", 0},
		{"Retry-After", "0x10p0", 0},
		{"Retry-After", "1_0", 0},
		{"Retry-After-Ms", "250", 250 * time.Millisecond},
		{"X-Other", "3", 0},
	} {
		h := http.Header{}
		h.Set(c.header, c.value)
		if got := models.After(h, now); got != c.want {
			t.Errorf("%s: %s: got %v, want %v", c.header, c.value, got, c.want)
		}
	}
}

func TestTransportErrorSaysWhetherTheCallMayHaveCost(t *testing.T) {
	_, dial := net.DialTimeout("tcp", "127.0.0.1:1", time.Second)
	for name, c := range map[string]struct {
		err      error
		received bool
		problem  *models.Problem
		unbilled bool
	}{
		"not connected":        {dial, false, models.ErrConnection, true},
		"no answer came":       {io.ErrUnexpectedEOF, false, models.ErrConnection, false},
		"the answer broke off": {io.ErrUnexpectedEOF, true, models.ErrCutOff, false},
		"it took too long":     {&net.OpError{Op: "read", Err: timeout{}}, false, models.ErrTimeout, false},
	} {
		err := models.TransportError(t.Context(), id, c.err, c.received)
		var e *models.Error
		if !errors.As(err, &e) || e.Problem != c.problem || e.Unbilled != c.unbilled || !e.Temporary() || !errors.Is(err, c.err) {
			t.Errorf("%s: got %#v", name, err)
		}
	}
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if err := models.TransportError(ctx, id, io.EOF, true); !errors.Is(err, why) || errors.Is(err, models.ErrCutOff) {
		t.Errorf("after its context ended: got %v, want %v", err, why)
	}
}

type timeout struct{}

func (timeout) Error() string   { return "too slow" }
func (timeout) Timeout() bool   { return true }
func (timeout) Temporary() bool { return true }

func TestDetailHoldsNoSecretInAnyEncoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringOfN(rapid.RuneFrom(nil, &unicode.RangeTable{R16: []unicode.Range16{{Lo: '!', Hi: '~', Stride: 1}}}), 8, 60, -1).Draw(t, "secret")
		around := rapid.StringN(0, 20, -1)
		before, after := around.Draw(t, "before"), around.Draw(t, "after")
		whole := before + secret + after
		core := base64.RawURLEncoding.EncodeToString([]byte(secret))
		core = core[:len(core)-2]
		for name, encoded := range map[string]string{
			"plain": whole, "a query": url.QueryEscape(whole), "a path": url.PathEscape(whole),
			"every byte": "%" + strings.ToUpper(strings.Join(strings.Fields(fmt.Sprintf("% x", whole)), "%")),
			"hex":        hex.EncodeToString([]byte(whole)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(whole))),
			"base64": base64.StdEncoding.EncodeToString([]byte(whole)), "base64url": base64.RawURLEncoding.EncodeToString([]byte(whole)),
		} {
			got := models.Detail(encoded, secret)
			if !strings.Contains(got, "[secret]") || strings.Contains(got, secret) || strings.Contains(got, core) {
				t.Fatalf("%s: %q has the secret %q", name, got, secret)
			}
		}
		if other := "nothing of it is here"; models.Detail(other, secret) != other && !strings.Contains(other, secret) {
			t.Fatalf("%q is removed from another text", secret)
		}
	})
}

func TestDetailHoldsNoSecretAndIsCut(t *testing.T) {
	got := models.Detail("bad key sk-123, really sk-123"+strings.Repeat("ä", 500), "sk-123", "")
	if strings.Contains(got, "sk-123") || len(got) > 510 || !strings.HasPrefix(got, "bad key [secret], really [secret]ä") {
		t.Errorf("got %q", got)
	}
}

func TestMoneyIsExact(t *testing.T) {
	p := models.Price{Input: 2.5, CacheRead: 0.25, Output: 10}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	got := p.Cost(models.Usage{Input: 1000, CacheRead: 400, CacheWrite: 100, Output: 7})
	if want := models.Money(500*2500 + 400*250 + 100*2500 + 7*10000); got != want {
		t.Errorf("got %d, want %d", got, want)
	}
	if got := (models.Price{Input: 0.0004}).Cost(models.Usage{Input: 1}); got != 1 {
		t.Errorf("a part of a billionth costs %d, want it rounded up", got)
	}
	for want, bad := range map[string]models.Price{
		`price.input = "-1"`: {Input: -1}, `price.output = "+Inf"`: {Output: math.Inf(1)}, `price.cacheRead = "NaN"`: {CacheRead: math.NaN()}, `price.cacheWrite = "2e+06"`: {CacheWrite: 2e6},
	} {
		if err := bad.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", want, err)
		}
	}
}

func TestNoCallCostsMoreThanTheHighest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		price := rapid.Float64Range(0, 100)
		p := models.Price{price.Draw(t, "input"), price.Draw(t, "read"), price.Draw(t, "write"), price.Draw(t, "output")}
		read, write, rest := rapid.IntRange(0, 1e6).Draw(t, "read"), rapid.IntRange(0, 1e6).Draw(t, "write"), rapid.IntRange(0, 1e6).Draw(t, "rest")
		u := models.Usage{Input: read + write + rest, CacheRead: read, CacheWrite: write, Output: rapid.IntRange(0, 1e6).Draw(t, "output")}
		// Three sorts of input are rounded up each.
		if got, most := p.Cost(u), p.Highest(u.Input, u.Output)+2; got > most {
			t.Fatalf("%v costs %d, more than %d", u, got, most)
		}
	})
}

func TestMoneyIsReadAsItIsWritten(t *testing.T) {
	for text, want := range map[string]models.Money{"0.50usd": models.USD / 2, "0usd": 0, "12usd": 12 * models.USD, "0.000000001usd": 1} {
		got, err := models.ParseMoney(text)
		if err != nil || got != want {
			t.Errorf("%s: got %v, %v", text, got, err)
		}
		if again, err := models.ParseMoney(got.String()); err != nil || again != got {
			t.Errorf("%v: got %v, %v", got, again, err)
		}
	}
	for _, bad := range []string{"", "1", "-1usd", "-0usd", "NaNusd", "Infusd", "1e300usd", "1eur", "usd"} {
		if got, err := models.ParseMoney(bad); err == nil {
			t.Errorf("%q is %v", bad, got)
		}
	}
}

func TestScriptAnswersInOrderAndThenFails(t *testing.T) {
	m, shown := models.Script("one", "two"), ""
	r := &models.Request{Show: func(p models.Piece) { shown += p.Text }}
	for _, want := range []string{"one", "two"} {
		if a, err := m.Ask(t.Context(), r); err != nil || a.Text != want || a.Finish != models.FinishStop {
			t.Errorf("got %v, %v, want %q", a, err, want)
		}
	}
	if _, err := m.Ask(t.Context(), r); !errors.Is(err, models.ErrScript) || shown != "onetwo" {
		t.Errorf("got %v, shown %q", err, shown)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := models.Script("x").Ask(ctx, r); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// seen is a hook that records its calls.
type seen struct {
	hooks.Hook
	op     hooks.Op
	result any
	err    error
}

func (s *seen) Start(ctx context.Context, op hooks.Op) (context.Context, hooks.End) {
	s.op = op
	return ctx, func(result any, err error) { s.result, s.err = result, err }
}

func (s *seen) Trace(context.Context) *signals.Trace { return nil }

func TestAskReportsToHookAndCounter(t *testing.T) {
	var hook seen
	var spent agents.Cost
	ctx := agents.WithSpending(hooks.With(t.Context(), &hook), func(s agents.Cost) { spent = spent.Plus(s) })
	m := &models.Scripted{Name: "large", Answer: func(context.Context, *models.Request) (*models.Answer, error) {
		return &models.Answer{Finish: models.FinishStop, Usage: models.Usage{Input: 7, CacheRead: 2, Output: 3}, Model: "large-2", Cost: 5e8}, nil
	}}
	if _, err := models.Ask(ctx, m, &models.Request{}); err != nil {
		t.Fatal(err)
	}
	want := []slog.Attr{
		slog.String("model", "large-2"), slog.String("finish", "stop"), slog.Int("tokens.input", 7), slog.Int("tokens.output", 3),
		slog.Int("tokens.cached", 2), slog.Float64("cost", 0.5),
	}
	if diff := cmp.Diff(want, hook.result); diff != "" || hook.op.Name != hooks.OpModel || hook.op.Target != "large" {
		t.Errorf("the hook saw %+v: %s", hook.op, diff)
	}
	failing := models.Script()
	if _, err := models.Ask(ctx, failing, &models.Request{}); !errors.Is(hook.err, models.ErrScript) || !errors.Is(err, models.ErrScript) {
		t.Errorf("got %v, the hook %v", err, hook.err)
	}
	spent.Time = 0
	if want := (agents.Cost{Calls: 2, InputTokens: 7, CachedTokens: 2, OutputTokens: 3, Dollars: 0.5}); spent != want {
		t.Errorf("spent %+v, want %+v", spent, want)
	}
}

func TestHookSeesAskThatDoesNotReturn(t *testing.T) {
	var hook seen
	calls := 0
	ctx := agents.WithSpending(hooks.With(t.Context(), &hook), func(s agents.Cost) { calls += s.Calls })
	m := &models.Scripted{Answer: func(context.Context, *models.Request) (*models.Answer, error) { panic("oh") }}
	func() {
		defer func() { _ = recover() }()
		_, _ = models.Ask(ctx, m, &models.Request{})
	}()
	if !errors.Is(hook.err, agents.ErrNoReturn) || calls != 1 {
		t.Errorf("the hook saw %v, and %d calls were counted; want ErrNoReturn and one", hook.err, calls)
	}
}
