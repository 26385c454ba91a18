package rooms_test

import (
	"context"
	"iter"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms"
)

// Texts of tools and agents are data in the Markdown of a sidecar too.
func TestSidecarHasNoMarkupOfAgents(t *testing.T) {
	t.Parallel()
	store := new(journal.Memory)
	reed := react("Reed", func(ctx context.Context, _ *agents.Turn) ([]signals.Any, error) {
		_, err := rooms.Of(ctx).Call(ctx, rooms.Call{Tool: "Read", Label: "<img src=x> now"}, func(context.Context) (string, error) {
			return "`[a](javascript:b)` <script>\n```\n# S9", nil
		})
		return []signals.Any{signals.New(signals.Header{}, rooms.Say{Content: "Go.", Subject: "![x](http://x) `", To: []string{"Veda"}})}, err
	})
	h := open(t, rooms.Options{Store: store, Agents: []rooms.Standing{{Agent: reed, Rooms: []string{"ops"}}, {Agent: says("Veda", "<PASS>"), Rooms: []string{"design"}}}})
	h.say("ops", "Go")
	h.idle()
	state, err := rooms.Load(store)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, room := range []string{"ops", "design"} {
		if err := rooms.Sidecar(&b, store, state, room); err != nil {
			t.Fatal(err)
		}
	}
	diff(t, []string{
		"## S1 `<img src=x> now`", "", "`` `[a](javascript:b)` <script> ``", "", "````", "`[a](javascript:b)` <script>", "```", "# S9", "````", "",
		"## S1 `` ![x](http://x) ` ``", "", "From Reed to Veda.", "", "```", "Go.", "```", "", "",
	}, strings.Split(b.String(), "\n"))
}

// A sidecar with any number of sections reads the log once.
func TestSidecarReadsTheLogOnce(t *testing.T) {
	t.Parallel()
	store := new(journal.Memory)
	reed := react("Reed", func(ctx context.Context, _ *agents.Turn) ([]signals.Any, error) {
		for _, name := range []string{"a", "b", "c"} {
			if _, err := rooms.Of(ctx).Call(ctx, rooms.Call{Tool: name}, func(context.Context) (string, error) { return name, nil }); err != nil {
				return nil, err
			}
		}
		return nil, nil
	})
	h := open(t, rooms.Options{Store: store, Agents: []rooms.Standing{{Agent: reed, Rooms: []string{"ops"}}}})
	h.say("ops", "Go")
	h.idle()
	state, err := rooms.Load(store)
	if err != nil {
		t.Fatal(err)
	}
	counting := &countingReader{Reader: store}
	var b strings.Builder
	if err := rooms.Sidecar(&b, counting, state, "ops"); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "## S"); n != 3 || counting.reads != 1 {
		t.Errorf("%d sections with %d reads", n, counting.reads)
	}
}

type countingReader struct {
	journal.Reader
	reads int
}

func (r *countingReader) Read(after uint64) iter.Seq2[journal.Record, error] {
	r.reads++
	return r.Reader.Read(after)
}
