package join_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/console/join"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// endless is a text without an end that counts the bytes read.
type endless struct {
	left int64
	read atomic.Int64
}

func (e *endless) Read(p []byte) (int, error) {
	if e.read.Load() >= e.left {
		return 0, io.EOF
	}
	for i := range p {
		p[i] = 'x'
	}
	e.read.Add(int64(len(p)))
	return len(p), nil
}

func TestAnswerOf10MBIsNotReadAndItsMemberIsNamed(t *testing.T) {
	t.Parallel()
	d, h, refused := desk(t)
	defer d.Close()
	outcome := begin(t.Context(), d, time.Minute)
	turn := take(t, h)
	body := &endless{left: 10 << 20}
	r := httptest.NewRequest(http.MethodPost, "/join/turns/"+turn.ID, io.MultiReader(strings.NewReader(`{"error":"`), body, strings.NewReader(`"}`)))
	r.ContentLength = -1 // it does not say how long it is
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusRequestEntityTooLarge || body.read.Load() > 2<<20 {
		t.Errorf("status %d after %d bytes", w.Code, body.read.Load())
	}
	if got := refused(); got != "critic: an answer has more than 1048576 bytes" {
		t.Errorf("refused %q", got)
	}
	if status, body := call(h, token, "POST", "/join/turns/"+turn.ID, vote); status != http.StatusNoContent {
		t.Errorf("the turn is not open any more: %d %s", status, body)
	}
	if _, err := outcome(); err != nil {
		t.Error(err)
	}
}

func TestABodyWithoutATokenIsNeitherReadNorEchoed(t *testing.T) {
	t.Parallel()
	_, h, refused := desk(t)
	body := &endless{left: 1 << 19}
	r := httptest.NewRequest(http.MethodPost, "/join/turns/x", io.MultiReader(strings.NewReader(`{"signals":nope`), body))
	r.Header.Set("Authorization", "Bearer a token that nobody has")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusUnauthorized || body.read.Load() > 0 || w.Body.Len() > 1000 || w.Header().Get("WWW-Authenticate") != "Bearer" {
		t.Errorf("status %d after %d bytes, with %d bytes", w.Code, body.read.Load(), w.Body.Len())
	}
	if refused() != "" {
		t.Errorf("refused %q", refused())
	}
}

func TestAnswersThatCannotBeReadAreCountedAndPrinted(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"signals":nope` + strings.Repeat("x", 1<<19): "body: invalid character",
		`{"signals":"x"}`: "signals: cannot be a string",
		"":                "body: unexpected end",
	} {
		synctest.Test(t, func(t *testing.T) {
			d, h, refused := desk(t)
			outcome := begin(t.Context(), d, time.Hour)
			turn := take(t, h)
			for range 4 {
				status, said := call(h, token, "POST", "/join/turns/"+turn.ID, body)
				if status/100 != 4 || status == http.StatusUnauthorized || len(said) > 1000 {
					t.Errorf("got %d, %d bytes", status, len(said))
				}
			}
			if _, err := outcome(); err == nil || !strings.Contains(err.Error(), "4 answers were refused") {
				t.Errorf("the turn ends with %v", err)
			}
			if n := strings.Count(refused(), want); n != 4 {
				t.Errorf("%d refusals name %q: %s", n, want, refused())
			}
			if status, said := call(h, token, "POST", "/join/turns/"+turn.ID, vote); status != http.StatusGone || !strings.Contains(said, "the turn has failed: 4 answers to it were refused") {
				t.Errorf("an answer after that: %d %s", status, said)
			}
		})
	}
}

func TestFloodOfAnswersThatCannotBeReadIsRefusedAndNamedAFewTimes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, h, refused := desk(t)
		statuses := map[int]int{}
		for range 600 {
			status, _ := call(h, token, "POST", "/join/turns/x", `{"signals":nope`)
			statuses[status]++
			time.Sleep(10 * time.Millisecond) // 100 a second
		}
		if all := statuses[http.StatusNotFound]; all < 300 || all > 400 || all+statuses[http.StatusTooManyRequests] != 600 {
			t.Errorf("got %v", statuses)
		}
		if n := strings.Count(refused(), "critic: "); n != 5 {
			t.Errorf("%d refusals are named in 6 seconds, want 5", n)
		}
		time.Sleep(10 * time.Second)
		call(h, token, "POST", "/join/turns/x", vote)
		if n := strings.Count(refused(), "critic: "); n != 6 {
			t.Errorf("%d refusals are named, want 6", n)
		}
	})
}

// Three members decide. The fourth takes its turns and answers none; the fifth never comes.
func TestMembersThatNeverAnswerAreNamedAndTheOthersDecide(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		names := []string{"a", "b", "c", "silent", "absent"}
		tokens := map[string]string{}
		for _, name := range names {
			tokens[name] = "the token of " + name + " 0123456789"
		}
		d, err := join.New(join.Options{Tokens: tokens})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		defer wg.Wait()
		defer d.Close()
		for _, name := range names[:4] {
			wg.Go(func() { attend(d.Handler(), name, tokens[name]) })
		}
		var all []*agents.Agent
		for _, name := range names {
			all = append(all, &agents.Agent{ID: name, Reactor: d.Reactor(), TurnTimeout: time.Minute})
		}
		s, err := swarm.New(swarm.Options{Agents: all, Limits: swarm.Limits{Deadline: time.Hour}})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		r, err := s.Solve(t.Context(), signals.Task{Task: "which?"})
		if err != nil || r.Stop != runlog.StopConsensus || r.Answer != "it" || r.Elapsed > 5*time.Minute {
			t.Fatalf("stopped with %v after %v: %v", r.Stop, r.Elapsed, err)
		}
		for _, f := range r.Failed {
			if want := map[string]error{"silent": join.ErrSilent, "absent": join.ErrAbsent}[f.Agent]; want == nil || !errors.Is(f.Err, want) {
				t.Errorf("%s failed with %v", f.Agent, f.Err)
			}
		}
		if len(r.Failed) < 2 {
			t.Errorf("failed %v", r.Failed)
		}
	})
}

// attend takes the turns of a member, and answers them unless it is the silent one.
func attend(h http.Handler, name, token string) {
	answer := vote
	if name == "a" {
		answer = strings.Replace(vote, "[", `[{"type":"proposal","confidence":0.9,"payload":{"proposalId":"p","content":"it","reasoning":"r"}},`, 1)
	}
	for {
		status, body := call(h, token, "GET", "/join/turn?wait=60", "")
		if status == http.StatusGone {
			return
		}
		if name == "silent" || status != http.StatusOK {
			time.Sleep(time.Second)
			continue
		}
		var turn took
		if json.Unmarshal([]byte(body), &turn) == nil {
			call(h, token, "POST", "/join/turns/"+turn.ID, answer)
		}
	}
}
