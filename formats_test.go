package swarmbus_test

import (
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/cloudevents"
)

var update = flag.Bool("update", false, "write the formats and api anew")

// stable compares a format that docs/stability.md promises with how it was when that was
// written; go test -run Formats -update . writes it anew, which breaks the promise.
func stable(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "formats", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("docs/stability.md calls this format stable, and it has changed. What was written before must still be read,\n"+
			"and the change belongs in CHANGELOG.md (-was +is, %s):\n%s", file, diff)
	}
}

// filled returns a payload in which every field has a value.
func filled[P signals.Payload]() signals.Any {
	var p P
	fill(reflect.ValueOf(&p).Elem())
	mint, at := signals.SeededMint("formats"), time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	trace, err := signals.ParseTrace("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "a=b")
	if err != nil {
		panic(err) // it is constant
	}
	return signals.New(signals.Header{
		Seq: 7, ID: mint.ID(7, at), Source: "ann", Thread: "thread", ReplyTo: mint.ID(6, at), Time: at, TTL: time.Minute,
		Confidence: 0.5, Recipients: signals.To("bob", "cyn"), Trace: &trace, Round: 3, Priority: -2, CausalLevel: 1,
	}, p)
}

func fill(v reflect.Value) {
	switch {
	case v.Type() == reflect.TypeFor[signals.ID]():
		v.Set(reflect.ValueOf(signals.SeededMint("formats").ID(1, time.Unix(0, 0))))
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		v.SetBytes([]byte(`{"n":1}`))
	case v.Kind() == reflect.String:
		v.SetString("text")
	case v.CanInt():
		v.SetInt(1)
	case v.CanUint():
		v.SetUint(1)
	case v.CanFloat():
		v.SetFloat(0.5)
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i))
			}
		}
	}
}

func TestFormatsOfSignalsAreStable(t *testing.T) {
	t.Parallel()
	all := []signals.Any{
		filled[signals.Task](), filled[signals.Discovery](), filled[signals.Proposal](), filled[signals.Doubt](), filled[signals.Challenge](),
		filled[signals.Vote](), filled[signals.Conflict](), filled[signals.Consensus](), filled[signals.Escalation](), filled[signals.Memory](),
		filled[signals.ToolResult](),
	}
	beside := []signals.Any{filled[conflict.Resolution](), filled[agents.Passed]()} // kinds of logs, which other packages have
	codec, err := signals.NewCodec()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != len(codec.Kinds()) {
		t.Errorf("%d kinds of %d: every kind that the codec knows belongs in the list of this test", len(all), len(codec.Kinds()))
	}
	var lines strings.Builder
	for _, s := range append(all, beside...) {
		line, err := signals.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&lines, "%s\n", line)
	}
	stable(t, "signals.jsonl", lines.String())
}

// The ids of conflicts follow from their proposals, so that a log that is read again has the same ones.
func TestFormatsOfConflictIDsAreStable(t *testing.T) {
	t.Parallel()
	a, b := conflict.Proposal{Signal: signals.MustID("a")}, conflict.Proposal{Signal: signals.MustID("b")}
	stable(t, "conflicts.txt", fmt.Sprintln(conflict.Pair{A: a, B: b}.ID())+fmt.Sprintln(conflict.Pair{Rule: "rule", A: a, B: b}.ID()))
}

func TestFormatsOfEventsAreStable(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	for _, s := range []signals.Any{filled[signals.Vote](), signals.New(signals.Header{ID: signals.MustID("v")}, signals.Vote{ProposalID: "p", Stance: 1})} {
		header, _, err := cloudevents.Binary(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range slices.Sorted(maps.Keys(header)) {
			fmt.Fprintf(&lines, "%s: %s\n", name, strings.Join(header[name], ""))
		}
		event, err := cloudevents.Structured(s)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&lines, "%s\n", event)
	}
	stable(t, "events.txt", lines.String())
}

// A journal has a random salt, so that two are never the same bytes: that of long ago is
// read, and one of the same records has its length and version.
func TestFormatsOfJournalsAreStable(t *testing.T) {
	t.Parallel()
	records := func() (all []journal.Record) {
		for i, body := range []string{"", "short", strings.Repeat("long ", journal.LargeBody/4), strings.Repeat("long ", journal.LargeBody/4)} {
			all = append(all, journal.Record{Seq: uint64(i + 1), Type: journal.TypeSignal, Time: time.Unix(int64(i), 5).UTC(), Head: []byte("head"), Body: []byte(body)})
		}
		return all
	}
	written := filepath.Join(t.TempDir(), "journal")
	j, err := journal.Open(written, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Append(records()...); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	now, err := os.ReadFile(written)
	if err != nil {
		t.Fatal(err)
	}
	const file = "testdata/formats/journal.hex"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	was, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	same := len(was) == len(now) && string(was[:12]) == string(now[:12]) // magic and version
	switch {
	case !same && *update:
		if err := os.WriteFile(file, []byte(hex.EncodeToString(now)+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		was = now
	case !same:
		t.Errorf("docs/stability.md calls the file of journals stable: %d bytes and version %x, was %d and %x", len(now), now[:12], len(was), was[:12])
	}
	old := filepath.Join(t.TempDir(), "journal")
	if err := os.WriteFile(old, was, 0o600); err != nil {
		t.Fatal(err)
	}
	view, err := journal.NewView(old)
	if err != nil {
		t.Fatal(err)
	}
	var got []journal.Record
	for r, err := range view.Read(0) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r)
	}
	equal := func(a, b journal.Record) bool {
		return a.Seq == b.Seq && a.Type == b.Type && a.Time.Equal(b.Time) && string(a.Head) == string(b.Head) && string(a.Body) == string(b.Body)
	}
	if !slices.EqualFunc(records(), got, equal) {
		t.Errorf("docs/stability.md calls the file of journals stable: %d records are read otherwise than they were written", len(got))
	}
}

// A ledger that was saved long ago is restored, and a new one has the same members.
func TestFormatsOfLedgersAreStable(t *testing.T) {
	t.Parallel()
	l := new(reliability.Ledger)
	for i := range 30 {
		var votes []consensus.Vote
		for v, name := range []string{"ann", "bob", "cyn"} {
			votes = append(votes, consensus.Vote{Voter: name, Seq: uint64(v + 1), ProposalID: fmt.Sprint("p", min(1, (i+v)%3)), Stance: consensus.Agree, Weight: 1})
		}
		b, err := consensus.NewBallots(nil, []string{"p0", "p1"}, votes)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Observe(fmt.Sprint(i), b.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Resolve("3", "p1"); err != nil {
		t.Fatal(err)
	}
	l.Strategy()
	saved, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	stable(t, "ledger.members", members(t, saved))
	file := filepath.Join("testdata", "formats", "ledger.json")
	if *update {
		if err := os.WriteFile(file, append(saved, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	restored := new(reliability.Ledger)
	if err := json.Unmarshal(old, restored); err != nil || restored.Len() != 30 {
		t.Errorf("docs/stability.md promises to read ledgers saved before: %d decisions, %v", restored.Len(), err)
	}
}

// The transcript's own test compares its lines; here their members are kept.
func TestFormatsOfTranscriptsAreStable(t *testing.T) {
	t.Parallel()
	lines, err := os.ReadFile("swarm/transcript/testdata/solve.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	stable(t, "transcript.members", members(t, lines))
}

func TestFormatsOfReportsAreStable(t *testing.T) {
	t.Parallel()
	stable(t, "report.schema.json", string(reports.Schema()))
}

// members returns the paths of all members of JSON values, each with its type.
func members(t *testing.T, data []byte) string {
	t.Helper()
	paths := map[string]bool{}
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				walk(at+"."+name, member)
			}
		case []any:
			for _, item := range v {
				walk(at+"[]", item)
			}
		default:
			paths[fmt.Sprintf("%s %T\n", at, v)] = true
		}
	}
	for d := json.NewDecoder(strings.NewReader(string(data))); d.More(); {
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		walk("", v)
	}
	var all []string
	for path := range paths {
		all = append(all, path)
	}
	slices.Sort(all)
	return strings.Join(all, "")
}
