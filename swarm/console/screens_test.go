package console_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/swarm/console/api"
)

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
	if !h.OK || len(h.Logs) != 2 || !h.Logs[0].Account.Balanced || h.Logs[0].Account.Intended == 0 {
		t.Errorf("got %+v", h)
	}
	status, header, text := s.ask("GET", "/api/metrics", "")
	if status != http.StatusOK || !strings.HasPrefix(header.Get("Content-Type"), "text/plain") || !bytes.Contains(text, []byte(`swarmbus_solves{state="decided"} 1`)) {
		t.Errorf("metrics: %d %s", status, text)
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

func TestThePageHasThePathsOfItsScreensAndNoOther(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	app, err := os.ReadFile("web/src/app.tsx")
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile(`case "(\w+)": return`).FindAllSubmatch(app, -1)
	if len(shown) < 8 {
		t.Errorf("the page shows %q", shown)
	}
	for _, screen := range shown {
		if status, _, _ := s.ask("GET", "/"+string(screen[1]), ""); status != http.StatusOK {
			t.Errorf("the page shows %s, which the server does not have: %d", screen[1], status)
		}
	}
	for path, want := range map[string]int{
		"/": 200, "/solves/platform.x": 200, "/rooms/ops": 200, "/assets/app-1234.js": 200, "/assets/none.js": 404, "/api/none": 404, "/health/": 200,
		"/solve/platform.x": 404, "/.env": 404, "/wp-login.php": 404, "/robots.txt": 404,
	} {
		status, header, text := s.ask("GET", path, "")
		if status != want {
			t.Errorf("%s: %d", path, status)
		}
		if typ := header.Get("Content-Type"); want == 404 && typ != "application/problem+json" {
			t.Errorf("%s: an answer of the type %q", path, typ)
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
