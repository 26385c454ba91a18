package join_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/console/join"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

const token = "the token of the critic"

// desk returns a desk with a member "critic", and a function that lists the refusals.
func desk(t *testing.T) (*join.Desk, http.Handler, func() string) {
	t.Helper()
	var mu sync.Mutex
	var refused []string
	d, err := join.New(join.Options{Tokens: map[string]string{"critic": token, "other": "the token of another"}, Refused: func(agent string, why error) {
		mu.Lock()
		defer mu.Unlock()
		refused = append(refused, agent+": "+why.Error())
	}})
	if err != nil {
		t.Fatal(err)
	}
	return d, d.Handler(), func() string {
		mu.Lock()
		defer mu.Unlock()
		return strings.Join(refused, "\n")
	}
}

// call makes a request, and returns the status and the body.
func call(h http.Handler, token, method, path, body string) (int, string) {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// took is what a member sees of its turn.
type took struct {
	ID        string       `json:"id"`
	Agent     string       `json:"agent"`
	Task      signals.Task `json:"task"`
	Proposals []struct {
		Proposal struct {
			Payload signals.Proposal `json:"payload"`
		} `json:"proposal"`
	} `json:"proposals"`
}

// take takes a turn of the critic.
func take(t *testing.T, h http.Handler) (turn took) {
	t.Helper()
	status, body := call(h, token, "GET", "/join/turn?wait=60", "")
	if status != http.StatusOK {
		t.Fatal(status, body)
	}
	if err := json.Unmarshal([]byte(body), &turn); err != nil {
		t.Fatal(err)
	}
	return turn
}

// begin lets the swarm ask the critic, and returns its outcome.
func begin(ctx context.Context, d *join.Desk, timeout time.Duration) func() ([]signals.Any, error) {
	type outcome struct {
		said []signals.Any
		err  error
	}
	done := make(chan outcome, 1)
	critic := &agents.Agent{ID: "critic", Reactor: d.Reactor(), TurnTimeout: timeout}
	go func() {
		said, err := critic.Take(ctx, &agents.Turn{Thread: "t", Round: 1, Task: signals.Task{Task: "which?"}, Most: 3})
		done <- outcome{said, err}
	}()
	return func() ([]signals.Any, error) { o := <-done; return o.said, o.err }
}

const vote = `{"signals":[{"type":"vote","confidence":0.8,"payload":{"proposalId":"p","stance":"agree"}}]}`

func TestMemberTakesATurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, h, refused := desk(t)
		outcome := begin(t.Context(), d, 0)
		turn := take(t, h)
		if again := take(t, h); again.ID != turn.ID || turn.Task.Task != "which?" || turn.Agent != "critic" {
			t.Errorf("the turn is %+v, and again %+v", turn, again)
		}
		if status, body := call(h, token, "POST", "/join/turns/"+turn.ID, vote); status != http.StatusNoContent {
			t.Fatal(status, body)
		}
		said, err := outcome()
		if v, ok := signals.As[signals.Vote](said[0]); err != nil || !ok || v.Payload.Weight != 0.8 {
			t.Errorf("said %v, %v", said, err)
		}
		status, body := call(h, token, "POST", "/join/turns/"+turn.ID, vote)
		if status != http.StatusConflict || !strings.Contains(body, "has been answered") || !strings.HasPrefix(refused(), "critic: ") {
			t.Errorf("a second answer: %d %s; refused %q", status, body, refused())
		}
		if status, _ := call(h, token, "GET", "/join/turn?wait=3", ""); status != http.StatusNoContent {
			t.Errorf("without a turn: %d", status)
		}
		d.Close()
		if status, _ := call(h, token, "GET", "/join/turn", ""); status != http.StatusGone {
			t.Errorf("when closed: %d", status)
		}
	})
}

func TestRefusedAnswersNameTheField(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, answer string
		status       int
		says         string
	}{
		{"source", `{"signals":[{"type":"vote","source":"other","payload":{"proposalId":"p","stance":"agree","weight":1}}]}`, 403, `signals[0].source = \"other\": the token is that of critic`},
		{"thread", `{"signals":[{"type":"vote","thread":"x","payload":{"proposalId":"p","stance":"agree","weight":1}}]}`, 403, "signals[0].thread"},
		{"twice", `{"signals":[{"type":"vote","payload":{"proposalId":"p","stance":"agree","weight":1}},{"type":"vote","payload":{"proposalId":"p","stance":"disagree","weight":1}}]}`, 422, "has a vote of this answer already"},
		{"invalid", `{"signals":[{"type":"vote","payload":{"proposalId":"p","stance":"perhaps","weight":1}}]}`, 422, "stance"},
		{"many", `{"signals":[` + strings.Repeat(`{"type":"discovery","payload":{"finding":"f"}},`, 3) + `{"type":"discovery","payload":{"finding":"f"}}]}`, 422, "4 signals, and the turn may have 3"},
		{"big", `{"error":"` + strings.Repeat("x", 1<<20) + `"}`, 413, ""},
		{"no JSON", `{`, 422, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d, h, _ := desk(t)
				outcome := begin(t.Context(), d, time.Hour)
				turn := take(t, h)
				status, body := call(h, token, "POST", "/join/turns/"+turn.ID, c.answer)
				if status != c.status || !strings.Contains(body, c.says) {
					t.Errorf("got %d %s", status, body)
				}
				if status, body := call(h, "the token of another", "POST", "/join/turns/"+turn.ID, vote); status != http.StatusNotFound {
					t.Errorf("another member answers: %d %s", status, body)
				}
				if status, body := call(h, token, "POST", "/join/turns/"+turn.ID, vote); status != http.StatusNoContent {
					t.Errorf("the turn is not open any more: %d %s", status, body)
				}
				if _, err := outcome(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestForgerEndsItsTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, h, refused := desk(t)
		outcome := begin(t.Context(), d, time.Hour)
		turn := take(t, h)
		for i := range 4 {
			if status, _ := call(h, token, "POST", "/join/turns/"+turn.ID, `{"signals":[{"type":"vote","source":"boss","payload":{"proposalId":"p","stance":"agree","weight":1}}]}`); status != http.StatusForbidden {
				t.Errorf("answer %d: %d", i, status)
			}
		}
		_, err := outcome()
		if forged := (*join.ForgedError)(nil); !errors.As(err, &forged) || forged.Value != "boss" || !strings.Contains(err.Error(), "4 answers were refused") {
			t.Errorf("the turn ends with %v", err)
		}
		if n := strings.Count(refused(), `critic: `); n != 4 {
			t.Errorf("%d refusals are reported: %s", n, refused())
		}
		if status, _ := call(h, token, "POST", "/join/turns/"+turn.ID, vote); status != http.StatusGone {
			t.Errorf("an answer after that: %d", status)
		}
	})
}

func TestLateAnswerIsGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, h, _ := desk(t)
		outcome := begin(t.Context(), d, time.Minute)
		turn := take(t, h)
		if _, err := outcome(); !errors.Is(err, join.ErrSilent) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a member that says nothing: %v", err)
		}
		if status, body := call(h, token, "POST", "/join/turns/"+turn.ID, vote); status != http.StatusGone || !strings.Contains(body, "late") {
			t.Errorf("a late answer: %d %s", status, body)
		}
		if _, err := begin(t.Context(), d, time.Minute)(); !errors.Is(err, join.ErrAbsent) {
			t.Errorf("a member that is not there: %v", err)
		}
	})
}

func TestWrongTokensAndFloodsAreRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, h, _ := desk(t)
		if status, _ := call(h, "", "GET", "/join/turn", ""); status != http.StatusUnauthorized {
			t.Errorf("without a token: %d", status)
		}
		var wg sync.WaitGroup
		defer wg.Wait()
		for range 8 {
			wg.Go(func() { call(h, token, "GET", "/join/turn?wait=1", "") })
		}
		synctest.Wait()
		if status, body := call(h, token, "GET", "/join/turn", ""); status != http.StatusTooManyRequests || !strings.Contains(body, "critic has too many requests that wait") {
			t.Errorf("a ninth request: %d %s", status, body)
		}
		last := 0
		for range 200 {
			last, _ = call(h, token, "POST", "/join/turns/x", vote)
		}
		if last != http.StatusTooManyRequests {
			t.Errorf("200 requests at once: %d", last)
		}
	})
}

func TestTokensAreChecked(t *testing.T) {
	t.Parallel()
	for name, tokens := range map[string]map[string]string{
		"short": {"a": "x"},
		"same":  {"a": token, "b": token},
	} {
		if _, err := join.New(join.Options{Tokens: tokens}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestSwarmOfMembers lets three members decide, over a real connection. One of them votes
// in each of its turns: its vote counts once.
func TestSwarmOfMembers(t *testing.T) {
	t.Parallel()
	tokens := map[string]string{"a": "0123456789abcdefa", "b": "0123456789abcdefb", "c": "0123456789abcdefc"}
	d, err := join.New(join.Options{Tokens: tokens})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(d.Handler())
	defer server.Close()
	var wg sync.WaitGroup
	defer wg.Wait()
	defer d.Close()
	var all []*agents.Agent
	for _, name := range []string{"a", "b", "c"} {
		all = append(all, &agents.Agent{ID: name, Reactor: d.Reactor(), TurnTimeout: time.Minute})
		wg.Go(func() { member(t, server.URL, name, tokens[name]) })
	}
	s, err := swarm.New(swarm.Options{Agents: all, Limits: swarm.Limits{Deadline: time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := s.Solve(t.Context(), signals.Task{Task: "which?"})
	if err != nil || r.Stop != runlog.StopConsensus || r.Answer != "b says so" {
		t.Fatalf("stopped with %v, %v: %q", r.Stop, err, r.Answer)
	}
	if r.Decision.Voters > 3 {
		t.Errorf("3 members count as %d voters", r.Decision.Voters)
	}
}

// member is a program that proposes once, if it is b, and votes for what b proposed in each turn.
func member(t *testing.T, url, name, token string) {
	ask := func(method, path, body string) (int, took) {
		r, err := http.NewRequestWithContext(t.Context(), method, url+path, strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return 0, took{}
		}
		r.Header.Set("Authorization", "Bearer "+token)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Error(err)
			return 0, took{}
		}
		defer answer.Body.Close() //nolint:errcheck // it is read
		var turn took
		if answer.StatusCode == http.StatusOK {
			err = json.NewDecoder(answer.Body).Decode(&turn)
		}
		if err != nil {
			t.Error(err)
		}
		return answer.StatusCode, turn
	}
	for {
		status, turn := ask("GET", "/join/turn?wait=10", "")
		switch status {
		case http.StatusNoContent:
			continue
		case http.StatusOK:
		default:
			return
		}
		answer := `{"signals":[`
		if name == "b" && len(turn.Proposals) == 0 {
			answer += `{"type":"proposal","confidence":0.9,"payload":{"proposalId":"one","content":"b says so","reasoning":"r"}}`
		}
		for i, p := range turn.Proposals {
			answer += strings.Repeat(",", min(i, 1)) + fmt.Sprintf(`{"type":"vote","payload":{"proposalId":%q,"stance":"agree","weight":0.9}}`, p.Proposal.Payload.ProposalID)
		}
		if status, _ = ask("POST", "/join/turns/"+turn.ID, answer+"]}"); status != http.StatusNoContent && status != http.StatusGone {
			t.Errorf("%s: answering: %d", name, status)
			return
		}
	}
}
