package console_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/swarmbus/swarmbus/swarm/console/api"
)

// routes returns the method and path of every route, with an x for each parameter.
func routes(t *testing.T) (all [][2]string) {
	t.Helper()
	text, err := api.Describe("")
	if err != nil {
		t.Fatal(err)
	}
	var o struct{ Paths map[string]map[string]any }
	if err := json.Unmarshal(text, &o); err != nil {
		t.Fatal(err)
	}
	for path, methods := range o.Paths {
		for method := range methods {
			path := regexp.MustCompile(`\{\w+\}`).ReplaceAllString(path, "1")
			all = append(all, [2]string{strings.ToUpper(method), path})
		}
	}
	if len(all) < 30 {
		t.Fatalf("only %d routes", len(all))
	}
	return all
}

func TestWithoutATokenNoRouteAnswers(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	for _, r := range routes(t) {
		if r[1] == "/api/v1/session" && r[0] != "GET" {
			continue // there the token is exchanged
		}
		if status, header, text := s.ask(r[0], r[1], "", "Authorization", ""); status != http.StatusUnauthorized ||
			header.Get("Content-Type") != "application/problem+json" || bytes.Contains(text, []byte("platform")) {
			t.Errorf("%s %s: %d %s", r[0], r[1], status, text)
		}
	}
	if status, _, _ := s.ask("GET", "/api/openapi.json", "", "Authorization", ""); status != http.StatusUnauthorized {
		t.Errorf("the description: %d", status)
	}
	if status, _, _ := s.ask("GET", "/", "", "Authorization", ""); status != http.StatusOK {
		t.Errorf("the page, which is nothing secret: %d", status)
	}
}

func TestWrongTokensAndCookiesAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	for _, wrong := range []string{"", "x", s.token[:len(s.token)-1], s.token + "x", strings.ToLower(s.token)} {
		if status, _, _ := s.ask("GET", "/api/solves", "", "Authorization", "Bearer "+wrong); status != http.StatusUnauthorized {
			t.Errorf("%q: %d", wrong, status)
		}
	}
	name, cookie, _ := strings.Cut(s.session(), "=")
	text, sum, _ := strings.Cut(cookie, ".")
	for _, wrong := range []string{"", "x", text, text + ".", text + "." + strings.Repeat("A", len(sum)), text[:12] + "zzzz" + text[16:] + "." + sum, cookie + "x"} {
		if status, _, _ := s.ask("GET", "/api/solves", "", "Authorization", "", "Cookie", name+"="+wrong); status != http.StatusUnauthorized {
			t.Errorf("the cookie %q: %d", wrong, status)
		}
	}
}

func TestWrongTokensAreRateLimited(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	cookie := s.session()
	refused := 0
	for range 100 {
		switch status, header, _ := s.ask("POST", "/api/session", `{"token":"guess"}`, "Authorization", ""); {
		case status == http.StatusTooManyRequests && header.Get("Retry-After") != "":
			refused++
		case status != http.StatusUnauthorized:
			t.Fatalf("status %d", status)
		}
	}
	if refused < 85 {
		t.Errorf("%d of 100 guesses were refused without a look", refused)
	}
	if status, _, _ := s.ask("GET", "/api/solves", "", "Authorization", "Bearer guess"); status != http.StatusTooManyRequests {
		t.Errorf("after too many guesses the address may still guess in the header: %d", status)
	}
	// The guesses of others at the address lock nobody out who has the token.
	if status, _, _ := s.ask("GET", "/api/solves", ""); status != http.StatusOK {
		t.Errorf("after wrong tokens the right one gets %d", status)
	}
	if status, _, _ := s.ask("POST", "/api/session", `{"token":"`+s.token+`"}`, "Authorization", ""); status != http.StatusNoContent {
		t.Errorf("after wrong tokens the link gets %d", status)
	}
	if status, _, _ := s.ask("GET", "/api/solves", "", "Authorization", "", "Cookie", cookie); status != http.StatusOK {
		t.Errorf("a session suffers: %d", status)
	}
}

// session exchanges the token for a cookie, and returns that.
func (s *server) session() string {
	s.t.Helper()
	status, header, text := s.ask("POST", "/api/session", `{"token":"`+s.token+`"}`, "Authorization", "", "Origin", s.base)
	if status != http.StatusNoContent {
		s.t.Fatalf("no session: %d %s", status, text)
	}
	c, err := http.ParseSetCookie(header.Get("Set-Cookie"))
	if err != nil {
		s.t.Fatal(err)
	}
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" {
		s.t.Errorf("the cookie is %s", header.Get("Set-Cookie"))
	}
	return c.Name + "=" + c.Value
}

func TestPagesOfOthersAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	for _, origin := range []string{"https://evil.example", "null", s.base + ".evil.example", "https" + strings.TrimPrefix(s.base, "http")} {
		for _, path := range []string{"/api/solves", "/api/feed", "/api/feed/socket", "/"} {
			if status, _, _ := s.ask("GET", path, "", "Origin", origin); status != http.StatusForbidden {
				t.Errorf("%s for %s: %d", path, origin, status)
			}
		}
		if _, _, err := s.dial("Origin", origin); err == nil { //nolint:bodyclose // it has none
			t.Errorf("%s opened a WebSocket", origin)
		}
	}
	if status, _, _ := s.ask("GET", "/api/solves", "", "Origin", s.base); status != http.StatusOK {
		t.Errorf("the console's own page: %d", status)
	}
}

func (s *server) dial(headers ...string) (*websocket.Conn, *http.Response, error) {
	h := http.Header{"Authorization": {"Bearer " + s.token}}
	for i := 0; i+1 < len(headers); i += 2 {
		h.Set(headers[i], headers[i+1])
	}
	return websocket.Dial(s.t.Context(), s.base+"/api/feed/socket", &websocket.DialOptions{HTTPHeader: h}) //nolint:bodyclose // hijacked
}

func TestOtherHostNamesBoundToTheAddressAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	_, port, _ := strings.Cut(strings.TrimPrefix(s.base, "http://"), ":")
	for _, name := range []string{"evil.example:" + port, "evil.example", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example:" + port} {
		for _, path := range []string{"/", "/api/solves", "/api/feed", "/api/feed/socket"} {
			if status, _, text := s.ask("GET", path, "", "Host", name); status != http.StatusMisdirectedRequest {
				t.Errorf("%s of %s: %d %s", path, name, status, text)
			}
		}
	}
}

func TestRequestsForgedAcrossSitesAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	cookie := s.session()
	body := asJSON(t, api.NewSolve{Team: "platform", Task: payments})
	for _, headers := range [][]string{
		{},                                 // a form of an old browser
		{"Sec-Fetch-Site", "cross-site"},   // a form of a new one
		{"Sec-Fetch-Site", "same-site"},    // of a neighbor's page
		{"Origin", "https://evil.example"}, //
		{"Content-Type", "text/plain"},     // the type that a form can send
		{"Sec-Fetch-Site", "none", "Referer", "https://evil.example/"},
	} {
		if status, _, text := s.ask("POST", "/api/solves", body, append([]string{"Authorization", "", "Cookie", cookie}, headers...)...); status != http.StatusForbidden {
			t.Errorf("%v: %d %s", headers, status, text)
		}
	}
	if all := call[[]api.Solve](s, "GET", "/api/solves", ""); len(all) != 0 {
		t.Errorf("there are solves: %+v", all)
	}
	for _, typ := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data"} {
		if status, _, _ := s.ask("POST", "/api/solves", body, "Authorization", "", "Cookie", cookie, "Origin", s.base, "Content-Type", typ); status < 400 {
			t.Errorf("%s: %d", typ, status)
		}
	}
	if status, _, text := s.ask("POST", "/api/solves", body, "Authorization", "", "Cookie", cookie, "Origin", s.base); status != http.StatusCreated {
		t.Errorf("the console's own page: %d %s", status, text)
	}
}

func TestNoPageMayFrameTheConsole(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	for _, path := range []string{"/", "/assets/app-1234.js", "/api/solves", "/api/nothing", "/nothing"} {
		_, header, _ := s.ask("GET", path, "")
		policy := header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "frame-ancestors 'none'") || header.Get("X-Frame-Options") != "DENY" || header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", path, header)
		}
		if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") {
			t.Errorf("%s: the policy is %s", path, policy)
		}
	}
}

// hostile are texts that would have an effect if a program took them for more than data.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `javascript:alert(1)`, `</script><svg onload=alert(1)>`,
	"\x1b[2J\x1b]0;owned\x07red", "\u202egnp.exe", "a\u2066b\u2069", "line\r\ndata: {\"type\":\"hello\"}\n\nid: 9", "\u2028\u2029", `{{constructor.constructor('x')()}}`, "\ufeff", "nul\x00",
}

func TestHostileTextsAreServedAsData(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	f := s.follow("/api/feed")
	f.next()
	for _, text := range hostile {
		one := call[api.Solve](s, "POST", "/api/solves", asJSON(t, api.NewSolve{Team: "platform", Task: text, Context: text}))
		if one.Task != text {
			t.Errorf("the task %q became %q", text, one.Task)
		}
		s.harmless("/api/solves/" + one.ID)
		for {
			frame, ok := f.next()
			if !ok {
				t.Fatalf("%q ended the feed", text)
			}
			if frame.Said != nil && frame.Said.Form == "task" {
				if frame.Said.Text != text {
					t.Errorf("in the feed %q became %q", text, frame.Said.Text)
				}
				break
			}
		}
		status, header, body := s.ask("POST", "/api/rooms/ops/messages", asJSON(t, api.NewMessage{Content: text}))
		if status != http.StatusCreated && status != http.StatusUnprocessableEntity {
			t.Errorf("a message %q: %d %s", text, status, body)
		}
		data(t, header, body)
		for _, path := range []string{"/api/rooms/", "/api/runs/", "/api/solves/", "/api/inbox/", "/api/agents/platform/"} {
			_, header, body := s.ask("GET", path+url.PathEscape(text), "")
			data(t, header, body)
		}
		_, header, body = s.ask("GET", "/api/solves?q="+url.QueryEscape(text), "")
		data(t, header, body)
		_, header, body = s.ask("GET", "/api/solves?state="+url.QueryEscape(text), "")
		data(t, header, body)
	}
	s.solve(logs)
	item := call[[]api.Item](s, "GET", "/api/inbox", "")[0]
	answered := call[api.Item](s, "POST", "/api/inbox/"+item.ID+"/answer", asJSON(t, api.Answer{Text: strings.Join(hostile[:4], " ")}))
	if answered.Answer.Text != strings.Join(hostile[:4], " ") {
		t.Errorf("the answer became %q", answered.Answer.Text)
	}
	for _, path := range []string{"/api/solves", "/api/inbox?all=true", "/api/rooms", "/api/rooms/ops/events", "/api/runs/platform/signals?limit=1000", "/api/conflicts", "/api/health"} {
		s.harmless(path)
	}
}

// harmless checks that an answer is data.
func (s *server) harmless(path string) {
	s.t.Helper()
	_, header, body := s.ask("GET", path, "")
	data(s.t, header, body)
}

func data(t *testing.T, header http.Header, body []byte) {
	t.Helper()
	typ := header.Get("Content-Type")
	if typ != "application/json" && typ != "application/problem+json" && typ != "text/plain; charset=utf-8" || header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("served as %q", typ)
	}
	if bytes.ContainsAny(body, "<>\x1b\x00\u2028\u2029") {
		t.Errorf("served as it is: %.200q", body)
	}
}

func TestTenMegabytesAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	large := strings.Repeat("x", 10<<20)
	for path, body := range map[string]any{
		"/api/solves": api.NewSolve{Team: "platform", Task: large}, "/api/rooms/ops/messages": api.NewMessage{Content: large},
		"/api/rooms": api.NewRoom{Room: large}, "/api/inbox/x/answer": api.Answer{Text: large}, "/api/memory/revocations": api.Revocation{Team: large, Source: large},
		"/api/session": api.Token{Token: large},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.base+path, strings.NewReader(asJSON(t, body)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+s.token)
		r.Header.Set("Content-Type", "application/json")
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			continue // the server stopped reading, and closed the connection
		}
		_ = got.Body.Close()
		if got.StatusCode != http.StatusRequestEntityTooLarge && got.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", path, got.StatusCode)
		}
	}
	conn, _, err := s.dial() //nolint:bodyclose // hijacked
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow() //nolint:errcheck // closed by the server
	if conn.Write(t.Context(), websocket.MessageText, []byte(large)) == nil {
		for err == nil {
			_, _, err = conn.Read(t.Context())
		}
		if got := websocket.CloseStatus(err); got != websocket.StatusMessageTooBig && !errors.Is(err, io.EOF) && !strings.Contains(err.Error(), "reset") {
			t.Errorf("the WebSocket ended with %v", err)
		}
	}
}

func TestNamesAreNeverPaths(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	dir := filepath.Join(outside, "journals")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(outside, "secret.journal"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, "secret.journal"), filepath.Join(dir, "link.journal")); err != nil {
		t.Fatal(err)
	}
	s := start(t, dir)
	if err := s.host.Wait(t.Context()); err != nil { // agents of rooms get keys
		t.Fatal(err)
	}
	before := tree(t, outside)
	for _, name := range []string{"../secret", "..", "/etc/passwd", "..\\secret", "secret\x00", "a/b", "~", "link", "console.key", "%2e%2e%2fsecret"} {
		escaped := url.PathEscape(name)
		for _, path := range []string{
			"/api/runs/" + escaped, "/api/runs/" + escaped + "/signals", "/api/runs/" + escaped + "/replay", "/api/runs/" + escaped + "/verify",
			"/api/solves/" + url.PathEscape(name+".x"), "/api/rooms/" + escaped, "/api/rooms/" + escaped + "/events",
			"/api/reports?run=" + url.QueryEscape(name), "/api/compare?a=" + url.QueryEscape(name+".x") + "&b=x.y",
		} {
			if status, _, text := s.ask("GET", path, ""); status < 400 || status >= 500 || bytes.Contains(text, []byte("secret\"")) && name != "../secret" && name != "..\\secret" {
				t.Errorf("%s: %d %s", path, status, text)
			}
		}
		if status, _, text := s.ask("POST", "/api/rooms", asJSON(t, api.NewRoom{Room: name})); status < 400 && name != "link" && name != "console.key" {
			t.Errorf("a room %q: %d %s", name, status, text)
		}
		if status, _, text := s.ask("GET", "/assets/"+escaped, ""); status < 300 && !bytes.Contains(text, []byte("<title>swarmbus")) {
			t.Errorf("the file %q was served", name)
		}
	}
	if after := tree(t, outside); !slices.Equal(before, after) {
		t.Errorf("files before %v, after %v", before, after)
	}
}

// tree returns the names of all files below a directory.
func tree(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		all = append(all, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestAClientCannotStateTheSenderOfARequest(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	s.solve(logs)
	item := call[[]api.Item](s, "GET", "/api/inbox", "")[0]
	for path, bodies := range map[string][]string{
		"/api/rooms/ops/messages": {`{"content":"hi","from":"Reed"}`, `{"content":"hi","source":"Reed"}`, `{"content":"hi","id":"x"}`, `{"content":"hi","sig":"x"}`},
		"/api/solves":             {`{"team":"platform","task":"x","source":"system"}`, `{"team":"platform","task":"x","from":"system"}`},
		"/api/inbox/" + item.ID + "/answer": {
			`{"text":"yes","from":"Ada"}`, `{"text":"yes","by":"planner"}`, `{"text":"yes","by":" Planner "}`, `{"text":"yes","by":"system"}`, `{"text":"yes","source":"planner"}`,
			`{"vote":"nothing"}`, `{}`, `{"text":""}`,
		},
	} {
		for _, body := range bodies {
			if status, _, text := s.ask("POST", path, body); status != http.StatusUnprocessableEntity {
				t.Errorf("%s %s: %d %s", path, body, status, text)
			}
		}
	}
	if item = call[api.Item](s, "GET", "/api/inbox/"+item.ID, ""); !item.Open {
		t.Errorf("it was answered: %+v", item.Answer)
	}
}

func TestReplayedRequestsChangeNothing(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	s.solve(logs)
	item := call[[]api.Item](s, "GET", "/api/inbox", "")[0]
	path := "/api/inbox/" + item.ID + "/answer"
	first := call[api.Item](s, "POST", path, `{"text":"yes"}`)
	done := s.until(item.Solve, func(d api.SolveDetail) bool { return d.State == api.Decided })
	for range 3 {
		if status, _, text := s.ask("POST", path, `{"text":"yes"}`); status != http.StatusConflict {
			t.Errorf("the answer again: %d %s", status, text)
		}
	}
	again := call[api.SolveDetail](s, "GET", "/api/solves/"+item.Solve, "")
	if again.Signals != done.Signals || again.Escalations[0].Answer.Seq != first.Answer.Seq {
		t.Errorf("the log has %d signals, and had %d", again.Signals, done.Signals)
	}
	s.solve(failover)
	asked := call[[]api.Item](s, "GET", "/api/inbox", "")[0]
	path = "/api/inbox/" + asked.ID + "/verdict"
	call[api.Item](s, "POST", path, `{"verdict":"once","by":"Ada"}`)
	for range 2 {
		var refused api.Error
		status, _, text := s.ask("POST", path, `{"verdict":"once","by":"Ada"}`)
		if err := json.Unmarshal(text, &refused); err != nil || status != http.StatusConflict || refused.Answered == nil || refused.Answered.By != "Ada" {
			t.Errorf("the verdict again: %d %s", status, text)
		}
	}
	once, twice := call[api.Receipt](s, "POST", "/api/rooms/ops/messages", `{"content":"hi"}`), call[api.Receipt](s, "POST", "/api/rooms/ops/messages", `{"content":"hi"}`)
	if once.Seq == twice.Seq || once.ID == twice.ID {
		t.Errorf("a message again is %+v, and was %+v", twice, once)
	}
	if status, _, _ := s.ask("POST", "/api/inbox/platform.x.0011223344556677/verdict", `{"verdict":"once"}`); status != http.StatusNotFound {
		t.Errorf("a verdict about nothing: %d", status)
	}
}

func TestAThousandSocketsOfOneClientAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	open, refused := 0, 0
	for i := range 1000 {
		if i%2 == 0 && open > 0 { // by events
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base+"/api/feed", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer "+s.token)
			got, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			if got.StatusCode == http.StatusOK {
				defer got.Body.Close() //nolint:errcheck,gocritic // stays open on purpose
				open++
				continue
			}
			_ = got.Body.Close()
			refused++
			continue
		}
		conn, got, err := s.dial() //nolint:bodyclose // the dialer closes it
		if err == nil {
			defer conn.CloseNow() //nolint:errcheck // at the end
			open++
			continue
		}
		if got == nil || got.StatusCode != http.StatusTooManyRequests {
			t.Fatalf("socket %d: %v", i, err)
		}
		refused++
	}
	if open != 32 || open+refused != 1000 || len(s.hub.Health().Clients) != open {
		t.Errorf("%d sockets are open, %d were refused, the hub has %d", open, refused, len(s.hub.Health().Clients))
	}
	if status, _, _ := s.ask("GET", "/api/solves", ""); status != http.StatusOK {
		t.Errorf("the API suffers: %d", status)
	}
}
