package office_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/office"
	"github.com/swarmbus/swarmbus/swarm/rooms/terminal"
)

var update = flag.Bool("update", false, "write the day as it is now")

const (
	officeFile = "../../../examples/rooms/office.yaml"
	dayFile    = "testdata/day.txtar"
	docsFile   = "../../../docs/rooms.md"
)

// seeded makes the same keys in every run.
type seeded struct{ *rand.Rand }

func (s seeded) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(s.Uint32())
	}
	return len(p), nil
}

// a day runs the lines of the user in a terminal, by a clock that only moves when all
// goroutines wait, and returns the output of the terminal and the journal.
func day(t *testing.T, script string) (shown string, store *journal.Memory) {
	t.Helper()
	store = new(journal.Memory)
	synctest.Test(t, func(t *testing.T) {
		o, err := office.Load(officeFile)
		if err != nil {
			t.Fatal(err)
		}
		options, err := o.Build(office.Parts{Store: store, Keys: &events.Keys{Dir: t.TempDir(), Random: seeded{rand.New(rand.NewPCG(1, 1))}}})
		if err != nil {
			t.Fatal(err)
		}
		options.Turns, options.Mint = 1, signals.SeededMint("day")
		r, err := rooms.New(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		shown = live(t, r, o.Chair, script)
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return shown, store
}

// locked is a buffer for several goroutines.
type locked struct {
	mu  sync.Mutex // protects the field below
	all bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

// live runs the lines of the script, and returns it with the output of the terminal.
func live(t *testing.T, r *rooms.Router, chair, script string) string {
	ctx, cancel := context.WithCancel(t.Context())
	var out locked // the session prints in a goroutine of its own
	s := terminal.New(r, &out, "ops")
	s.Chair, s.Echo = chair, true
	ran, read := make(chan error, 1), make(chan error, 1)
	go func() { ran <- r.Run(ctx) }()
	go func() { read <- s.Show(ctx) }()
	for line := range strings.Lines(script) {
		line = strings.TrimSuffix(line, "\n")
		typed, isTyped := strings.CutPrefix(line, "< ")
		synctest.Wait() // all output is written
		if !isTyped {
			if line == "" || strings.HasPrefix(line, "#") {
				fmt.Fprintln(&out, line)
			}
			continue
		}
		if !strings.HasSuffix("\n"+out.String(), "\n") {
			fmt.Fprintln(&out) // an agent speaks
		}
		fmt.Fprintln(&out, line)
		if _, err := s.Do(ctx, typed); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	synctest.Wait()
	cancel()
	for _, err := range []error{<-ran, <-read} {
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	return out.String()
}

// TestDayInTheOfficeReadsAsWritten compares the day with its archive: the output of the
// terminal, the ledger of mail, the verified events, and the sections of the rooms.
func TestDayInTheOfficeReadsAsWritten(t *testing.T) {
	archive, err := txtar.ParseFile(dayFile)
	if err != nil {
		t.Fatal(err)
	}
	script := string(archive.Files[0].Data)
	shown, store := day(t, script)
	whole := string(txtar.Format(&txtar.Archive{Comment: archive.Comment, Files: []txtar.File{
		{Name: "terminal", Data: []byte(shown)}, {Name: "verified", Data: []byte(verified(t, store))}, {Name: "sections", Data: []byte(sections(t, store))},
	}}))
	if *update {
		if err := os.WriteFile(dayFile, []byte(whole), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if diff := gocmp.Diff(string(txtar.Format(archive)), whole); diff != "" && !*update {
		t.Errorf("the day (-want +got):\n%s", diff)
	}
	t.Run("byte-identical again", func(t *testing.T) {
		again, second := day(t, script)
		if again != shown {
			t.Errorf("the terminal shows something else (-first +second):\n%s", gocmp.Diff(shown, again))
		}
		if one, two := exported(t, store), exported(t, second); one != two {
			t.Errorf("the journals differ (-first +second):\n%s", gocmp.Diff(strings.Split(one, "\n"), strings.Split(two, "\n")))
		}
	})
}

// TestSessionsOfTheDocsAreOfTheDay compares the blocks of the docs in which the user types.
func TestSessionsOfTheDocsAreOfTheDay(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile(dayFile)
	if err != nil {
		t.Fatal(err)
	}
	docs, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	sessions := 0
	for _, block := range strings.Split(string(docs), "```text\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		if !strings.Contains("\n"+block, "\n< ") {
			continue
		}
		sessions++
		if !strings.Contains(string(archive.Files[0].Data), block) {
			t.Errorf("the day has not:\n%s", block)
		}
	}
	if sessions != 2 {
		t.Errorf("%d sessions in %s, want 2", sessions, docsFile)
	}
}

// verified returns for each room the number of verified events, and its head.
func verified(t *testing.T, store *journal.Memory) string {
	t.Helper()
	found, err := events.Verify(rooms.Log(store, 0), events.Pins{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, room := range found {
		if room.Fault != nil {
			t.Error(room.Fault)
		}
		fmt.Fprintf(&b, "%s: %d events, head %s\n", cmp.Or(room.Room, "keys"), room.Events, room.Head)
	}
	return b.String()
}

// sections returns the ledger of mail and all results of tools.
func sections(t *testing.T, store *journal.Memory) string {
	t.Helper()
	state, err := rooms.Load(store)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, m := range state.Ledger() {
		fmt.Fprintf(&b, "mail %d from %s to %s is §%d of %s, heard in turn %d\n", m.ID, m.From, m.To, m.Ix, m.Room, m.Turn)
	}
	for room := range state.Rooms() {
		fmt.Fprintf(&b, "\n# %s\n\n", room.Name)
		if err := rooms.Sidecar(&b, store, state, room.Name); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

func exported(t *testing.T, from journal.Reader) string {
	t.Helper()
	var b strings.Builder
	if err := journal.Export(t.Context(), &b, from); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
