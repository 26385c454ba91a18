package console_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"

	"github.com/swarmbus/swarmbus/swarm/console"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/demo"
	"github.com/swarmbus/swarmbus/swarm/console/feed"
	"github.com/swarmbus/swarmbus/swarm/console/guard"
	"github.com/swarmbus/swarmbus/swarm/console/host"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A server is a console with the team and the office of the demo.
type server struct {
	t     *testing.T
	base  string
	token string
	host  *host.Host
	hub   *feed.Hub
	http  *http.Server
	stop  func()
}

// files are what is served where no API is.
var files = fstest.MapFS{
	"index.html":         {Data: []byte("<!doctype html><title>swarmbus</title>")},
	"assets/app-1234.js": {Data: []byte("void 0")},
}

// start starts a server in a directory.
func start(t *testing.T, dir string, change ...func(*http.Server)) *server {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	key, err := guard.Load(filepath.Join(dir, "console.key"))
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, base: "http://" + listener.Addr().String(), token: key.Token(), hub: feed.New(feed.Options{Boot: "b"})}
	s.host, err = host.Open(t.Context(), host.Options{
		Dir: dir, Teams: []host.Team{demo.Team(0)}, Office: demo.Office(), Hub: s.hub, Version: "test", Boot: "b", Demo: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	g := guard.New(guard.Options{Key: key, Hosts: []string{listener.Addr().String()}})
	s.http = console.Server(console.New(console.Options{Backend: s.host.Backend(), Hub: s.hub, Guard: g, Files: files}))
	for _, c := range change {
		c(s.http)
	}
	served := make(chan error, 1)
	go func() { served <- s.http.Serve(listener) }()
	stopped := false
	s.stop = func() {
		if stopped {
			return
		}
		stopped = true
		s.hub.Close()
		_ = s.http.Close()
		<-served
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := s.host.Close(ctx); err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	}
	t.Cleanup(s.stop)
	return s
}

// ask sends a request with the token; headers are pairs, and "" as a value removes one.
func (s *server) ask(method, path, body string, headers ...string) (status int, header http.Header, text []byte) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.base+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if r.Header.Del(headers[i]); headers[i+1] != "" {
			r.Header.Set(headers[i], headers[i+1])
		}
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer got.Body.Close() //nolint:errcheck // only read
	text, err = io.ReadAll(got.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return got.StatusCode, got.Header, text
}

// call is ask for a request that is answered with JSON.
func call[T any](s *server, method, path, body string) (got T) {
	s.t.Helper()
	status, _, text := s.ask(method, path, body)
	if status >= 300 {
		s.t.Fatalf("%s %s: status %d: %s", method, path, status, text)
	}
	if err := json.Unmarshal(text, &got); err != nil {
		s.t.Fatalf("%s %s: %v in %s", method, path, err, text)
	}
	return got
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const (
	payments = "How often do we retry a payment that timed out?"
	logs     = "How long may we keep the raw access logs?"
	orders   = "How do we move the orders table to the new schema without losing a write?"
)

// solve starts a solve and waits until it has stopped.
func (s *server) solve(task string) api.SolveDetail {
	s.t.Helper()
	one := call[api.Solve](s, "POST", "/api/solves", asJSON(s.t, api.NewSolve{Team: "platform", Task: task}))
	return s.until(one.ID, func(d api.SolveDetail) bool { return d.State != api.Running })
}

// until returns a solve as soon as a condition holds, which it looks at after each frame.
func (s *server) until(id string, holds func(api.SolveDetail) bool) api.SolveDetail {
	s.t.Helper()
	f := s.follow("/api/feed?solve=" + id)
	defer f.end()
	for {
		if d := call[api.SolveDetail](s, "GET", "/api/solves/"+id, ""); holds(d) {
			return d
		}
		if _, ok := f.next(); !ok {
			s.t.Fatal("the feed ended")
		}
	}
}

// A follower reads the feed.
type follower struct {
	t    *testing.T
	body io.ReadCloser
	rest []byte
	last string
}

func (s *server) follow(path string, headers ...string) *follower {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.base+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	got, err := http.DefaultClient.Do(r) //nolint:bodyclose // end closes it
	if err != nil {
		s.t.Fatal(err)
	}
	if got.StatusCode != http.StatusOK {
		s.t.Fatalf("the feed has status %d", got.StatusCode)
	}
	f := &follower{t: s.t, body: got.Body}
	s.t.Cleanup(f.end)
	return f
}

func (f *follower) end() { _ = f.body.Close() }

// next returns the next frame; ok is false at the end of the feed.
func (f *follower) next() (frame api.Frame, ok bool) {
	f.t.Helper()
	for {
		event, rest, found := bytes.Cut(f.rest, []byte("\n\n"))
		if !found {
			more := make([]byte, 64<<10)
			n, err := f.body.Read(more)
			if f.rest = append(f.rest, more[:n]...); err != nil && n == 0 {
				return frame, false
			}
			continue
		}
		f.rest = rest
		for line := range strings.Lines(string(event)) {
			line = strings.TrimSuffix(line, "\n")
			if id, ok := strings.CutPrefix(line, "id: "); ok {
				f.last = id
			}
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				if err := json.Unmarshal([]byte(data), &frame); err != nil {
					f.t.Fatal(err)
				}
			}
		}
		return frame, true
	}
}

func TestASolveIsStartedStreamedAndExplained(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	f := s.follow("/api/feed")
	d := s.solve(orders)
	if d.State != api.Decided || d.Answer == "" || d.Leader.Proposal != "outbox" {
		t.Fatalf("the solve is %s: %s", d.State, d.Detail)
	}
	if len(d.Debates) == 0 || len(d.Debates[0].Arguments) < 2 || len(d.Conflicts) < 2 || len(d.Decision.Dissent) == 0 || d.Turn == nil {
		t.Errorf("debates %d, conflicts %d, decision %+v, turn %+v", len(d.Debates), len(d.Conflicts), d.Decision, d.Turn)
	}
	if len(d.Costs) != 6 || d.Cost.Dollars == 0 {
		t.Errorf("costs %+v", d.Costs)
	}
	// What the feed said is what the solve says.
	var said []api.Said
	var steps []api.Step
	var votes []api.Vote
	for len(said) < len(d.Said) {
		frame, ok := f.next()
		if !ok {
			t.Fatal("the feed ended")
		}
		if frame.Solve == nil || frame.Solve.ID != d.ID {
			continue
		}
		said = append(said, *frame.Said)
		if frame.Step != nil {
			steps = append(steps, *frame.Step)
		}
		if frame.Vote != nil {
			votes = append(votes, *frame.Vote)
		}
	}
	for i := range d.Votes {
		d.Votes[i].Counts = true // when they were cast
	}
	for what, both := range map[string][2]any{"said": {said, d.Said}, "steps": {steps, d.Steps}, "votes": {votes, d.Votes}} {
		if got, want := asJSON(t, both[0]), asJSON(t, both[1]); got != want {
			t.Errorf("%s: the feed has\n%s\nthe solve has\n%s", what, got, want)
		}
	}
}

func TestWhatComesAfterAPositionIsTheRest(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	d := s.solve(payments)
	middle := d.Said[len(d.Said)/2].Seq
	rest := call[api.SolveDetail](s, "GET", fmt.Sprintf("/api/solves/%s?after=%d", d.ID, middle), "")
	if got, want := asJSON(t, rest.Said), asJSON(t, d.Said[len(d.Said)/2+1:]); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestTheSecondAnswerGetsTheFirstOne(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	s.solve(logs)
	items := call[[]api.Item](s, "GET", "/api/inbox", "")
	if len(items) != 1 || !items[0].Open || len(items[0].Options) != 2 {
		t.Fatalf("the inbox has %+v", items)
	}
	path := "/api/inbox/" + items[0].ID + "/answer"
	first := call[api.Item](s, "POST", path, `{"text":"Yes, by ticket","by":"Ada"}`)
	if first.Open || first.Answer == nil || first.Answer.By != "Ada" {
		t.Fatalf("the answer is %+v", first.Answer)
	}
	status, _, text := s.ask("POST", path, `{"text":"No","by":"Bob"}`)
	var problem api.Error
	if err := json.Unmarshal(text, &problem); err != nil {
		t.Fatal(err)
	}
	if status != http.StatusConflict || problem.Answered == nil || problem.Answered.Text != "Yes, by ticket" || problem.Answered.By != "Ada" {
		t.Errorf("the second answer got %d: %s", status, text)
	}
	d := s.until(items[0].Solve, func(d api.SolveDetail) bool { return d.State == api.Decided })
	if d.Escalations[0].Answer.Text != "Yes, by ticket" {
		t.Errorf("the solve has %+v", d.Escalations[0].Answer)
	}
}

func TestWhatIfDecidesByEveryStrategyAndThreshold(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	d := s.solve(orders)
	all := call[api.WhatIf](s, "GET", "/api/solves/"+d.ID+"/whatif?threshold=0.5&threshold=0.95", "")
	if all.Actual.Choice != "outbox" || len(all.Strategies) < 5 || len(all.Thresholds) != 2 {
		t.Fatalf("got %+v", all)
	}
	for _, row := range all.Strategies {
		if len(row.Cells) != 2 || row.Strategy == "confidence-weighted" && (!row.Cells[0].Same || row.Cells[1].Same) {
			t.Errorf("%s: %+v", row.Strategy, row.Cells)
		}
	}
	// At the position of each step, the decision is that of the step.
	for _, step := range d.Steps[:len(d.Steps)-1] {
		then := call[api.WhatIf](s, "GET", fmt.Sprintf("/api/solves/%s/whatif?at=%d", d.ID, step.Seq), "")
		if then.Actual.Leader != step.Leader || then.Actual.Outcome != step.Outcome {
			t.Errorf("at %d: %+v, the step has %s and %s", step.Seq, then.Actual, step.Leader, step.Outcome)
		}
	}
}

func TestSolvesGoOnAfterARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, dir)
	one := call[api.Solve](s, "POST", "/api/solves", asJSON(t, api.NewSolve{Team: "platform", Task: orders}))
	waiting := s.solve(logs)
	f := s.follow("/api/feed?solve=" + one.ID + "&after=platform:0")
	seen := map[uint64]int{}
	for range 5 {
		frame, _ := f.next()
		seen[frame.Seq]++
	}
	s.stop()
	for {
		frame, ok := f.next()
		if !ok {
			break
		}
		seen[frame.Seq]++
	}
	again := start(t, dir)
	if again.token != s.token {
		t.Error("the token has changed")
	}
	d := again.until(one.ID, func(d api.SolveDetail) bool { return d.State == api.Decided })
	back := again.follow("/api/feed?solve="+one.ID, "Last-Event-ID", f.last)
	for seen[d.Said[len(d.Said)-1].Seq] == 0 {
		frame, ok := back.next()
		if !ok || frame.Type == api.FrameResync {
			t.Fatalf("got %+v", frame)
		}
		seen[frame.Seq]++
	}
	for _, w := range d.Said {
		if seen[w.Seq] != 1 {
			t.Errorf("signal %d was shown %d times", w.Seq, seen[w.Seq])
		}
	}
	if items := call[[]api.Item](again, "GET", "/api/inbox", ""); len(items) != 1 || items[0].Solve != waiting.ID {
		t.Errorf("the inbox has %+v", items)
	}
	check := call[api.ReplayCheck](again, "GET", "/api/runs/platform/replay", "")
	if !check.Identical {
		t.Errorf("replay: %+v", check)
	}
	if v := call[api.Verification](again, "GET", "/api/runs/platform/verify", ""); !v.Whole {
		t.Errorf("verify: %+v", v)
	}
}

func TestACancelledSolveWaitsUntilSomebodyResumesIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, dir)
	waiting := s.solve(logs)
	if status, _, text := s.ask("POST", "/api/solves/"+waiting.ID+"/cancel", ""); status != http.StatusConflict {
		t.Errorf("a solve that does not run was cancelled: %d %s", status, text)
	}
	if status, _, text := s.ask("POST", "/api/solves/"+waiting.ID+"/resume", ""); status != http.StatusConflict {
		t.Errorf("a solve that waits was resumed: %d %s", status, text)
	}
}

func TestTwoRunsOfOneTaskCompareEqual(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	a, b, c := s.solve(payments), s.solve(payments), s.solve(logs)
	same := call[api.Comparison](s, "GET", "/api/compare?a="+a.ID+"&b="+b.ID, "")
	if !same.Identical || same.Common != len(a.Said) {
		t.Errorf("got %+v", same.Difference)
	}
	other := call[api.Comparison](s, "GET", "/api/compare?a="+a.ID+"&b="+c.ID, "")
	if other.Identical || other.Difference == nil || len(other.Rows) == 0 {
		t.Errorf("got %+v", other)
	}
}

func TestRoomsAreReadAndWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, dir)
	f := s.follow("/api/feed?room=ops")
	f.next()
	receipt := call[api.Receipt](s, "POST", "/api/rooms/ops/messages", `{"content":"Is the office open?","priority":"normal"}`)
	if receipt.Priority != "normal" || len(receipt.Queued) == 0 {
		t.Errorf("the receipt is %+v", receipt)
	}
	for {
		frame, ok := f.next()
		if !ok {
			t.Fatal("the feed ended")
		}
		if frame.Seq == receipt.Seq {
			break
		}
	}
	page := call[api.RoomEvents](s, "GET", "/api/rooms/ops/events", "")
	var last struct{ Type, From, Content string }
	for _, e := range page.Events {
		var one struct{ Type, From, Content string }
		if err := json.Unmarshal(e, &one); err != nil {
			t.Fatal(err)
		}
		if one.Type == "user" {
			last = one
		}
	}
	if last.From != "user" || last.Content != "Is the office open?" {
		t.Errorf("the message is %+v", last)
	}
	room := call[api.Room](s, "PUT", "/api/rooms/ops/read", asJSON(t, api.ReadTo{Through: receipt.Seq}))
	if room.ReadTo != receipt.Seq {
		t.Errorf("the room is %+v", room)
	}
	s.stop()
	s = start(t, dir) // the last signal of the log, what was read, is no event
	again := call[api.RoomEvents](s, "GET", "/api/rooms/ops/events", "")
	if len(again.Events) < len(page.Events) || !slices.EqualFunc(page.Events, again.Events[:len(page.Events)], func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
		t.Errorf("there are %d events after a restart, and %d before", len(again.Events), len(page.Events))
	}
}

func TestHealthHasBooksThatBalance(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	s.solve(payments)
	h := call[api.Health](s, "GET", "/api/health", "")
	if !h.OK || len(h.Logs) != 2 || !h.Logs[0].Books.Balanced || h.Logs[0].Books.Intended == 0 {
		t.Errorf("got %+v", h)
	}
	status, header, text := s.ask("GET", "/api/metrics", "")
	if status != http.StatusOK || !strings.HasPrefix(header.Get("Content-Type"), "text/plain") || !bytes.Contains(text, []byte(`swarmbus_solves{state="decided"} 1`)) {
		t.Errorf("metrics: %d %s", status, text)
	}
}

func TestReliabilityCountsKnownOutcomes(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	d := s.solve(orders)
	call[api.Solve](s, "PUT", "/api/solves/"+d.ID+"/outcome", `{"right":"outbox"}`)
	d = s.until(d.ID, func(d api.SolveDetail) bool { return d.Said[len(d.Said)-1].Form == "outcome" })
	for _, a := range call[[]api.Agent](s, "GET", "/api/agents", "") {
		if a.Team == "" {
			continue
		}
		want := 1
		if a.Name == "planner" {
			want = 0
		}
		if r := a.Reliability; r.Told != 1 || r.Right != want || r.Low >= r.High {
			t.Errorf("%s: %+v", a.Name, r)
		}
	}
}

func TestSignalsAreFiltered(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	d := s.solve(payments)
	got := call[api.Signals](s, "GET", "/api/runs/platform/signals?kind=vote&source=planner&thread="+d.Thread, "")
	if len(got.Signals) != 1 {
		t.Errorf("got %s", asJSON(t, got))
	}
	first := call[api.Signals](s, "GET", "/api/runs/platform/signals?limit=3", "")
	rest := call[api.Signals](s, "GET", fmt.Sprintf("/api/runs/platform/signals?after=%d&limit=1000", first.Next), "")
	if len(first.Signals) != 3 || len(first.Signals)+len(rest.Signals) != d.Signals {
		t.Errorf("pages of %d and %d signals, of %d", len(first.Signals), len(rest.Signals), d.Signals)
	}
}

func TestRunsOfOtherProgramsAreShown(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	other := start(t, dir)
	other.solve(payments)
	other.stop()
	text, err := os.ReadFile(filepath.Join(dir, "platform.journal"))
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for name, content := range map[string][]byte{"copied.journal": text, "broken.journal": []byte("no journal"), "secret": []byte("x")} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := start(t, dir)
	found := map[string]api.Run{}
	for _, r := range call[[]api.Run](s, "GET", "/api/runs", "") {
		found[r.Name] = r
	}
	if r := found["copied"]; r.Type != "solves" || r.Live || r.Problem != "" {
		t.Errorf("copied: %+v", r)
	}
	if r := found["broken"]; r.Problem == "" {
		t.Errorf("broken: %+v", r)
	}
	all := call[[]api.Solve](s, "GET", "/api/solves?run=copied", "")
	if len(all) != 1 || all[0].State != api.Decided {
		t.Fatalf("got %+v", all)
	}
	if d := call[api.SolveDetail](s, "GET", "/api/solves/"+all[0].ID, ""); d.Answer == "" || len(d.Votes) == 0 {
		t.Errorf("got %+v", d)
	}
}

func TestEveryPathThatIsNoFileIsThePage(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	for path, want := range map[string]int{"/": 200, "/solves/platform.x": 200, "/rooms/ops": 200, "/assets/app-1234.js": 200, "/assets/none.js": 404, "/api/none": 404} {
		status, header, text := s.ask("GET", path, "")
		if status != want {
			t.Errorf("%s: %d", path, status)
		}
		if is := bytes.Contains(text, []byte("<title>swarmbus")); is != (want == 200 && !strings.HasPrefix(path, "/assets")) {
			t.Errorf("%s: %s", path, text)
		}
		if status == 200 {
			if again, _, _ := s.ask("GET", path, "", "If-None-Match", header.Get("ETag")); again != http.StatusNotModified {
				t.Errorf("%s again: %d", path, again)
			}
		}
	}
}
