package natstest_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/machines"
	"github.com/swarmbus/swarmbus/bus/natsbus/machines/routers"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/office"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
)

// officeFile has two rooms. Reed's turn takes long after its tool has returned.
const officeFile = "testdata/office.yaml"

// A talk is the command, whose user types at in.
type talk struct {
	cmd *exec.Cmd
	in  io.WriteCloser

	mu   sync.Mutex // protects the field below
	said strings.Builder
}

func startTalk(t *testing.T, args ...string) *talk {
	t.Helper()
	return startTalkIn(t, "", args...)
}

// startTalkIn starts the command in a directory.
func startTalkIn(t *testing.T, dir string, args ...string) *talk {
	t.Helper()
	file, err := command()
	if err != nil {
		t.Fatal(file, err)
	}
	c := &talk{cmd: exec.Command(file, args...)}
	c.cmd.Dir, c.cmd.WaitDelay = dir, time.Second
	c.in, _ = c.cmd.StdinPipe()
	out, w := io.Pipe()
	c.cmd.Stdout, c.cmd.Stderr = w, w
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			c.mu.Lock()
			c.said.WriteString(lines.Text() + "\n")
			c.mu.Unlock()
		}
	}()
	t.Cleanup(func() { _ = c.cmd.Process.Kill(); _ = c.cmd.Wait() })
	return c
}

func (c *talk) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.said.String()
}

func (c *talk) types(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		t.Fatal(err, c.text())
	}
}

// sees waits until a text was printed.
func (c *talk) sees(t *testing.T, text string) {
	t.Helper()
	for ctx := soon(t); !strings.Contains(c.text(), text); pause() {
		if ctx.Err() != nil {
			t.Fatalf("no %q in:\n%s", text, c.text())
		}
	}
}

// inRooms is what a journal of rooms says, without what depends on the time.
func inRooms(t *testing.T, from journal.Reader) (all []string) {
	t.Helper()
	state, err := rooms.Load(from)
	if err != nil {
		t.Fatal(err)
	}
	for a := range state.Agents() {
		all = append(all, fmt.Sprint(a.Name, a.Rooms, a.Turns, a.Session, a.Queues.Turns(), a.Queues.Credits(), a.Queues.Total(), a.Failures, len(a.Mail)))
	}
	for r := range state.Rooms() {
		all = append(all, fmt.Sprint(r.Name, r.Members, r.Ix(), r.Unread(), r.ReadTo))
	}
	said := map[string][]string{}
	for e, err := range rooms.Log(from, 0) {
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprint(e.Room, " ", e.From, " ", e.Common().Priority, " ", e.Common().Turn, " ")
		switch b := e.Body.(type) {
		case events.User:
			text += b.Content
		case events.Dialogue:
			text += fmt.Sprint(b.Content, b.To, b.Hops, b.Stream)
		case events.Tool:
			if !b.Status.Over() {
				continue
			}
			text += fmt.Sprint(b.Ix, b.ToolName, b.Status, *b.Result, *b.Stub)
		case events.Mailbox:
			text += fmt.Sprint(b.Ix, b.MailboxID, b.Subject)
		case events.System:
			text += b.Content
		}
		said[e.Room] = append(said[e.Room], text)
	}
	verified, err := events.Verify(rooms.Log(from, 0), events.Pins{})
	for _, room := range verified {
		if room.Fault != nil {
			t.Error(room.Fault)
		}
		all = append(all, said[room.Room]...)
	}
	if err != nil {
		t.Error(err)
	}
	return all
}

// alone is what the office says in one process, without servers.
func alone(t *testing.T, said ...[2]string) []string {
	t.Helper()
	o, err := office.Load(officeFile)
	if err != nil {
		t.Fatal(err)
	}
	store := new(journal.Memory)
	options, err := o.Build(office.Parts{Store: store, Keys: &events.Keys{Dir: t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := rooms.New(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ran := make(chan error, 1)
	go func() { ran <- r.Run(ctx) }()
	for _, m := range said {
		if _, err := r.Say(soon(t), m[0], rooms.Message{Content: m[1]}); err != nil {
			t.Fatal(err)
		}
		if err := r.Idle(soon(t)); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	<-ran
	if err := r.Close(soon(t)); err != nil {
		t.Fatal(err)
	}
	return inRooms(t, store)
}

// The process with the router is killed in the middle of a turn whose tool has returned. The
// one that followed goes on: what is in the log is what one process would have left there.
func TestRoomsGoOnInAnotherProcessWhenTheirRouterIsKilledInATurn(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t, natstest.Options{})[0]
	keys := filepath.Join(t.TempDir(), "keys")
	args := []string{"rooms", officeFile, "--nats", server.URL(), "--keys", keys, "--stream", "office"}
	first := startTalk(t, args...)
	first.sees(t, "this process runs the rooms")
	second := startTalk(t, args...)
	second.sees(t, "this process follows the rooms")
	second.types(t, "Who is here?")
	second.types(t, "/wait")
	second.sees(t, "I am Veda")
	second.types(t, "Is the backup whole?")
	second.sees(t, "backup-audit") // its tool has returned, or is about to
	first.sees(t, "backup-audit")
	_ = first.cmd.Process.Kill()
	if strings.Contains(second.text(), "I've flagged it") {
		t.Fatal("the turn was over before the process was killed")
	}
	second.types(t, "What does it cost?") // waits for the next router
	second.sees(t, "this process runs the rooms")
	second.types(t, "/wait")
	second.types(t, "/heads")
	second.sees(t, "front=")

	records := machines.Numbered(roomlog.Kinds()...)
	codec, err := routers.Codec()
	if err != nil {
		t.Fatal(err)
	}
	l := join(t, natsbus.Options{URL: server.URL(), Stream: "office", Codec: codec, Reserved: routers.Reserved(), Digest: records.Fold})
	if dead := l.Stats().Dead; len(dead) > 0 {
		t.Errorf("dead letters: %v", dead)
	}
	got := inRooms(t, records)
	want := alone(t, [2]string{"ops", "Who is here?"}, [2]string{"ops", "Is the backup whole?"}, [2]string{"ops", "What does it cost?"})
	// What waited for a router comes after what was left of the turn, or before it.
	waited := slices.IndexFunc(want, func(line string) bool { return strings.Contains(line, "What does it cost?") })
	before := slices.Insert(slices.Delete(slices.Clone(want), waited, waited+1), waited-1, want[waited])
	if !slices.Equal(got, want) && !slices.Equal(got, before) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	second.types(t, "/quit")
	if err := second.cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, second.text())
	}
}
