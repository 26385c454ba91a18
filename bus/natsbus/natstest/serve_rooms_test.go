package natstest_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/machines"
	"github.com/swarmbus/swarmbus/bus/natsbus/machines/routers"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
)

// A browser is what a page does: it reads the feed, and makes requests.
type browser struct {
	base, token string

	mu   sync.Mutex // protects the field below
	seen strings.Builder
}

// browse opens the console of a process, and reads the feed of its rooms.
func browse(t *testing.T, console *talk) *browser {
	t.Helper()
	console.sees(t, "/#token=")
	base, token, _ := strings.Cut(regexp.MustCompile(`http://\S+`).FindString(console.text()), "/#token=")
	b := &browser{base: base, token: token}
	feed := b.ask(t, http.MethodGet, "/api/feed", nil)
	t.Cleanup(func() { _ = feed.Body.Close() })
	go func() {
		for lines := bufio.NewScanner(feed.Body); lines.Scan(); {
			b.mu.Lock()
			b.seen.WriteString(lines.Text() + "\n")
			b.mu.Unlock()
		}
	}()
	return b
}

func (b *browser) ask(t *testing.T, method, path string, body any) *http.Response {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, b.base+path, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+b.token)
	r.Header.Set("Content-Type", "application/json")
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// says says something in a room, and returns when it is in the log.
func (b *browser) says(t *testing.T, room, text string) {
	t.Helper()
	got := b.ask(t, http.MethodPost, "/api/rooms/"+room+"/messages", map[string]string{"content": text})
	defer got.Body.Close() //nolint:errcheck // only read
	if answer, _ := io.ReadAll(got.Body); got.StatusCode >= 300 {
		t.Fatalf("%s: %s", got.Status, answer)
	}
}

// sees waits until the feed has had a text.
func (b *browser) sees(t *testing.T, text string) {
	t.Helper()
	for ctx := soon(t); ; pause() {
		b.mu.Lock()
		all := b.seen.String()
		b.mu.Unlock()
		if strings.Contains(all, text) {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("no %q in the feed:\n%s", text, all)
		}
	}
}

// A person in a browser talks in the rooms that another process drives. When that is killed in a
// turn, the process of the console drives them: what is in the log is what one process would have
// left there.
func TestConsoleShowsRoomsThatOtherProcessesShareAndGoesOnWithThem(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t, natstest.Options{})[0]
	dir := t.TempDir()
	keys, config := filepath.Join(dir, "keys"), filepath.Join(dir, "serve.yaml")
	text := "dir: " + dir + "\noffice: {file: " + absolute(t, officeFile) + ", stream: office, keys: " + keys + "}\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	first := startTalk(t, "rooms", officeFile, "--nats", server.URL(), "--keys", keys, "--stream", "office")
	first.sees(t, "this process runs the rooms")
	console := startTalk(t, "serve", "--config", config, "--addr", "127.0.0.1:0", "--nats", server.URL())
	console.sees(t, "this process follows the rooms")
	page := browse(t, console)
	page.says(t, "ops", "Who is here?")
	first.sees(t, "I am Veda")
	page.sees(t, "I am Veda")
	first.types(t, "/wait")
	page.says(t, "ops", "Is the backup whole?")
	page.sees(t, "entities.db is stale") // its tool has returned
	_ = first.cmd.Process.Kill()
	if strings.Contains(console.text(), "runs the rooms") {
		t.Fatal("the console ran the rooms before the other process was killed")
	}
	page.says(t, "ops", "What does it cost?") // waits for the next router
	console.sees(t, "this process runs the rooms")
	page.sees(t, "I've flagged it")
	page.sees(t, "costs $2")
	page.sees(t, "Approved.")

	second := startTalk(t, "rooms", officeFile, "--nats", server.URL(), "--keys", keys, "--stream", "office")
	second.types(t, "/wait")
	second.types(t, "/heads")
	second.sees(t, "front=")
	records := machines.Numbered(roomlog.Kinds()...)
	codec, err := routers.Codec()
	if err != nil {
		t.Fatal(err)
	}
	join(t, natsbus.Options{URL: server.URL(), Stream: "office", Codec: codec, Reserved: routers.Reserved(), Digest: records.Fold})
	got := inRooms(t, records)
	want := alone(t, [2]string{"ops", "Who is here?"}, [2]string{"ops", "Is the backup whole?"}, [2]string{"ops", "What does it cost?"})
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Without the keys with which the rooms began a console could not go on with them.
func TestConsoleWithOtherKeysThanTheRoomsIsRefused(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t, natstest.Options{})[0]
	dir := t.TempDir()
	config := filepath.Join(dir, "serve.yaml")
	if err := os.WriteFile(config, []byte("dir: "+dir+"\noffice: {file: "+absolute(t, officeFile)+", stream: office}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	first := startTalk(t, "rooms", officeFile, "--nats", server.URL(), "--keys", filepath.Join(dir, "theirs"), "--stream", "office")
	first.sees(t, "this process runs the rooms")
	console := startTalk(t, "serve", "--config", config, "--addr", "127.0.0.1:0", "--nats", server.URL())
	if err := console.cmd.Wait(); err == nil || !strings.Contains(console.text(), "needs the keys with which they began") {
		t.Errorf("it ends with %v:\n%s", err, console.text())
	}
}

// absolute returns a path that holds in a file elsewhere, too.
func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
