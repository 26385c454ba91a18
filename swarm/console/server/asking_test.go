package server_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/internal/hosttest"
)

var every = flag.Int("every", 17, "play one of so many cases of the matrix of questions")

// races are what else happens to a question while a surface shows it.
var races = []string{"none", "rival first", "the list moves", "sent three times", "contradicted", "after the end", "restart", "without an id", "another's id", "at once", "does not fit"}

// A way is a case of the matrix.
type way struct {
	kind, race, verdict, rival string
	target                     int // of two calls, which is answered
}

// kinds are the calls of one turn.
var kinds = map[string][]hosttest.Call{
	"two tools": {{Tool: "note", Args: `{"text":"TASK","n":90071992547409931}`}, {Tool: "wipe", Args: `{"path":"/prod","why":"TASK"}`}},
	"one tool":  {{Tool: "note", Args: `{"text":"TASK","n":1}`}, {Tool: "note", Args: `{"text":"TASK","n":2}`}},
	"alike":     {{Tool: "note", Args: `{"text":"TASK"}`}, {Tool: "note", Args: `{"text":"TASK"}`}},
}

func ways() (all []way) {
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		for _, race := range races {
			for _, verdict := range []string{"once", "solve", "deny", "edit", "respond"} {
				for target := range 2 {
					rivals := []string{"deny"}
					if slices.Contains([]string{"rival first", "the list moves", "contradicted", "at once"}, race) {
						rivals = []string{"deny", "once"}
					}
					for _, rival := range rivals {
						all = append(all, way{kind, race, verdict, rival, target})
					}
				}
			}
		}
	}
	return all
}

func verdictOf(verdict, by, task string) api.Verdict {
	v := api.Verdict{Verdict: verdict, By: by}
	switch verdict {
	case "edit":
		v.Args = `{"text":"changed in ` + task + `"}`
	case "deny", "respond":
		v.Reason = "said by " + by
	}
	return v
}

// TestNothingRunsThatWasNotShownAndAllowed goes through surfaces, kinds of questions, races and
// verdicts. What ran has to be what the surfaces showed and the first answers, as the log has them,
// allowed, and these have to be the answers that were given first.
func TestNothingRunsThatWasNotShownAndAllowed(t *testing.T) {
	counts := map[[2]string]int{}
	var mu sync.Mutex
	t.Run("all", func(t *testing.T) {
		for name, on := range surfaces {
			for kind, calls := range kinds {
				for _, race := range races {
					t.Run(name+", "+kind+", "+race, func(t *testing.T) {
						t.Parallel()
						s := hosttest.Start(t, t.TempDir(), calls...)
						_, foreign := s.Begin(t, "another task")
						for i, w := range ways() {
							if w.kind == kind && w.race == race && i%*every == 0 && play(t, s, on, fmt.Sprintf("task %d", i), w, foreign[0].ID) {
								mu.Lock()
								counts[[2]string{name, race}]++
								mu.Unlock()
							}
						}
					})
				}
			}
		}
		for _, version := range []string{"2026-07-28", "2025-06-18"} {
			t.Run("MCP "+version, func(t *testing.T) {
				t.Parallel()
				s := hosttest.Start(t, t.TempDir(), kinds["two tools"]...)
				for i, w := range ways() {
					if w.kind == "two tools" && i%*every == 0 && slices.Contains([]string{"none", "rival first", "the list moves", "contradicted"}, w.race) {
						playForm(t, s, version, fmt.Sprintf("task %d", i), w)
						mu.Lock()
						counts[[2]string{"MCP " + version, w.race}]++
						mu.Unlock()
					}
				}
			})
		}
	})
	var table strings.Builder
	out := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "surface\t"+strings.Join(races, "\t")+"\t")
	total := 0
	for _, name := range append(slices.Sorted(maps.Keys(surfaces)), "MCP 2025-06-18", "MCP 2026-07-28") {
		fmt.Fprint(out, name)
		for _, race := range races {
			n := counts[[2]string{name, race}]
			fmt.Fprintf(out, "\t%d", n)
			total += n
		}
		fmt.Fprintln(out, "\t")
	}
	_ = out.Flush()
	t.Logf("%d cases, in each of which nothing ran that was not shown and allowed\n%s", total, &table)
	if *every == 1 && total < 2000 && !t.Failed() {
		t.Errorf("%d cases", total)
	}
}

// play plays a case, unless the surface has no way to say it.
func play(t *testing.T, s *hosttest.Server, on surface, task string, w way, foreign string) bool {
	t.Helper()
	solve, _ := s.Begin(t, task)
	shown := on.shows(t, s, solve)
	if len(shown) != 2 {
		t.Fatalf("%v: shown %+v", w, shown)
	}
	target, other := shown[w.target], shown[1-w.target]
	mine, rival := verdictOf(w.verdict, "", task), verdictOf(w.rival, "rival", task)
	first := map[string]string{target.id: w.verdict} // what is to count
	decide := func(id string, v api.Verdict) {
		if err := (apiSurface{}).answers(t, s, solve, id, v); err != nil {
			t.Errorf("%v: a rival's answer to %s: %v", w, id, err)
		}
	}
	id := target.id
	switch w.race {
	case "rival first":
		decide(target.id, rival)
		first[target.id] = w.rival
	case "the list moves":
		decide(other.id, rival)
		first[other.id] = w.rival
	case "after the end":
		decide(target.id, rival)
		decide(other.id, rival)
		first[target.id], first[other.id] = w.rival, w.rival
		s.Done(t, solve)
	case "restart":
		s.Restart(t, nil)
	case "does not fit":
		bad := api.Verdict{Verdict: "edit", Args: `{"text":7}`}
		if err := on.answers(t, s, solve, id, bad); err == nil || !errors.Is(err, errCannot) && !strings.Contains(err.Error(), "does not fit the tool") {
			t.Errorf("%v: arguments that do not fit the tool: %v", w, err)
		}
		if open := s.Open(t, solve); !slices.ContainsFunc(open, func(i api.Item) bool { return i.ID == id }) {
			t.Errorf("%v: the question is used up: %+v", w, open)
		}
	case "without an id":
		id = ""
		delete(first, target.id)
	case "another's id":
		id = foreign
		delete(first, target.id)
	}
	if w.race == "another's id" && (on == surface(apiSurface{}) || on == surface(aguiSurface{}) || on == surface(aguiSurface{approved: true})) {
		id = solve + ".0" // these name no solve beside the question
	}
	var err error
	if w.race == "at once" && on != surface(terminal{}) { // which ends the server
		var both sync.WaitGroup
		both.Go(func() { _ = (apiSurface{}).answers(t, s, solve, target.id, rival) }) // one of them is second
		err = on.answers(t, s, solve, id, mine)
		both.Wait()
		delete(first, target.id)
	} else {
		err = on.answers(t, s, solve, id, mine)
	}
	if errors.Is(err, errCannot) {
		for _, q := range shown {
			_ = (apiSurface{}).answers(t, s, solve, q.id, verdictOf("deny", "closer", task)) // some have an answer
		}
		s.Done(t, solve)
		return false
	}
	if refused := w.race == "without an id" || w.race == "another's id"; refused && err == nil {
		t.Errorf("%v: the answer was taken", w)
	}
	switch w.race {
	case "sent three times":
		for range 2 {
			_ = on.answers(t, s, solve, id, mine)
		}
	case "contradicted":
		_ = on.answers(t, s, solve, id, verdictOf(w.rival, "", task))
	}
	for _, q := range s.Open(t, solve) {
		_ = (apiSurface{}).answers(t, s, solve, q.ID, verdictOf("deny", "closer", task))
	}
	settled(t, s, solve, task, w, shown, first)
	return true
}

// playForm plays a case with a form.
func playForm(t *testing.T, s *hosttest.Server, version, task string, w way) {
	t.Helper()
	target, other := kinds[w.kind][w.target].Tool, kinds[w.kind][1-w.target].Tool
	rival := verdictOf(w.rival, "rival", task)
	first, solve := map[string]string{}, ""
	of := func(tool string) string {
		items, err := s.Backend.Inbox.Items(t.Context(), true)
		i := slices.IndexFunc(items, func(i api.Item) bool { return i.Solve == solve && i.Tool.Tool == tool })
		if err != nil || i < 0 {
			t.Fatal(err)
		}
		return items[i].ID
	}
	answers := func(tool string) {
		if err := (apiSurface{}).answers(t, s, solve, of(tool), rival); err != nil {
			t.Error(err)
		}
		first[of(tool)] = w.rival
	}
	shown := forms(t, s, version, task, target, verdictOf(w.verdict, "", task), func(in string) {
		switch solve = in; w.race {
		case "rival first":
			answers(target)
		case "the list moves":
			answers(other)
		}
	})
	if w.race != "rival first" {
		first[of(target)] = w.verdict
	}
	if w.race == "contradicted" {
		_ = (apiSurface{}).answers(t, s, solve, of(target), rival)
	}
	for _, q := range s.Open(t, solve) {
		shown = append(shown, asked{q.ID, q.Tool.Tool, q.Words})
		_ = (apiSurface{}).answers(t, s, solve, q.ID, verdictOf("deny", "closer", task))
	}
	settled(t, s, solve, task, w, shown, first)
}

// settled checks what ran when a solve has ended, by what was shown and what the log has.
func settled(t *testing.T, s *hosttest.Server, solve, task string, w way, shown []asked, first map[string]string) {
	t.Helper()
	s.Done(t, solve)
	items, err := s.Backend.Inbox.Items(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, i := range items {
		if i.Solve != solve {
			continue
		}
		if i.Answer == nil {
			t.Fatalf("%v: %s has no answer", w, i.ID)
		}
		if verdict, known := first[i.ID]; known && i.Answer.Verdict != verdict {
			t.Errorf("%v: %s is answered %q, want %q", w, i.ID, i.Answer.Verdict, verdict)
		}
		args := string(i.Tool.Args)
		if i.Answer.Verdict == "edit" {
			args = i.Answer.Args
		} else if rendered, err := asking.Show(args); err != nil || !slices.ContainsFunc(shown, func(q asked) bool {
			return q.id == i.ID && strings.Contains(q.text, "tool: "+i.Tool.Tool+"\n") && strings.Contains(q.text, rendered)
		}) {
			t.Errorf("%v: %s was not shown whole: %v", w, args, err)
		}
		if asking.Verdict(i.Answer.Verdict).Makes() {
			want = append(want, i.Tool.Tool+" "+args)
		}
	}
	slices.Sort(want)
	ran := slices.DeleteFunc(s.Ran(), func(call string) bool {
		return !strings.Contains(call, `"`+task+`"`) && !strings.Contains(call, "changed in "+task+`"`)
	})
	if diff := cmp.Diff(want, ran, cmp.Transformer("", func(all []string) string { return strings.Join(all, "\n") })); diff != "" {
		t.Errorf("%v: ran (+), allowed (-):\n%s", w, diff)
	}
}
