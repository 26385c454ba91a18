package memory_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/agents/memory/memorytest"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/signals"
)

var day = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// pool returns a pool on a store in memory, at noon of day.
func pool(t *testing.T, o memory.Options) *memory.Pool {
	t.Helper()
	if o.Store == nil {
		o.Store = &memorytest.Twin{}
	}
	o.Clock = func() time.Time { return day }
	p, err := memory.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// claim is that a source stated something, in a thread of its own.
func claim(source, content string, from ...string) memory.Claim {
	c := memory.Claim{Content: content, Category: "c", Statement: memory.Statement{
		Signal: signals.MustID(source + " " + content[:min(len(content), 200)]), Source: source, Thread: "thread of " + source, Time: day.Add(-time.Hour), Importance: 0.5,
	}}
	for _, f := range from {
		c.From = append(c.From, memory.IDOf(f))
	}
	return c
}

func grouped(c memory.Claim, group string) memory.Claim {
	c.Group = group
	return c
}

func remember(t *testing.T, p *memory.Pool, claims ...memory.Claim) {
	t.Helper()
	if err := p.Remember(t.Context(), claims...); err != nil {
		t.Fatal(err)
	}
}

// recalled returns the contents of what is recalled, each with its state.
func recalled(t *testing.T, p *memory.Pool, q memory.Query) (all []string) {
	t.Helper()
	found, err := p.Recall(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		all = append(all, f.Content+": "+f.State().String())
	}
	return all
}

func TestFactIsConfirmedByASecondSourceThatIsIndependent(t *testing.T) {
	t.Parallel()
	first := claim("ada", "the port is 8080")
	for name, c := range map[string]struct {
		also []memory.Claim
		want memory.State
	}{
		"alone":                           {nil, memory.Quarantined},
		"itself again":                    {[]memory.Claim{claim("ada", "The port is 8080.")}, memory.Quarantined},
		"a second":                        {[]memory.Claim{claim("bob", "The port is 8080!")}, memory.Confirmed},
		"one of another port":             {[]memory.Claim{claim("bob", "the port is 8081")}, memory.Quarantined},
		"one that derived it":             {[]memory.Claim{claim("bob", "the port is 8080", "a server answers")}, memory.Quarantined},
		"one that repeats it":             {[]memory.Claim{claim("bob", "the port is 8080", "the port is 8080")}, memory.Quarantined},
		"itself under another group":      {[]memory.Claim{grouped(claim("ada", "the port is 8080 "), "g")}, memory.Quarantined},
		"two of a group":                  {[]memory.Claim{grouped(claim("bob", "x"), "g"), grouped(claim("cyd", "x"), "g")}, memory.Quarantined},
		"two of a group, and the one":     {[]memory.Claim{grouped(claim("bob", "the port is 8080"), "g"), grouped(claim("cyd", "the port is 8080"), "g")}, memory.Confirmed},
		"a group named like a source":     {[]memory.Claim{grouped(claim("bob", "the port is 8080"), "ada")}, memory.Confirmed},
		"independently, after it did not": {[]memory.Claim{claim("bob", "the port is 8080", "the port is 8080"), claim("bob", "The port is 8080")}, memory.Confirmed},
	} {
		p := pool(t, memory.Options{})
		remember(t, p, first)
		remember(t, p, c.also...)
		remember(t, p, c.also...) // once more changes nothing
		found, err := p.Recall(t.Context(), memory.Query{Text: "the port is 8080", Quarantined: true, Most: 1})
		if err != nil || len(found) != 1 || found[0].ID != memory.IDOf(first.Content) || found[0].State() != c.want {
			t.Errorf("%s: %v, %v, want %v", name, found, err, c.want)
		}
	}
}

func TestSameFactInOtherWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"The port is 8080.", "  the PORT, is\n8080", true},
		{"Größe", "GRÖSSE", false}, // ß has no single capital letter
		{"ÉTÉ", "été", true},
		{"x = -1", "x = 1", false},
		{"at 1.5 V", "at 15 V", false},
		{"at 1.5 V", "at 1 5 V", false},
		{"a + b", "a b", false},
		{"it is open", "it is not open", false},
		{"!!!", "???", false},
		{"well-known", "well known", true},
		{"debug != on", "debug = on", false},
		{"write it in C#", "write it in C", false},
		{"a discount of 5%", "a discount of 5", false},
		{"!enabled", "enabled", false},
		{"not (a)", "not !(a)", false},
		{"sort by -date", "sort by date", false},
		{"read/write", "read write", false},
		{"it is enabled!", "(it - is) \"enabled\"?!", true},
	} {
		if got := memory.IDOf(c.a) == memory.IDOf(c.b); got != c.same {
			t.Errorf("%q and %q: same %v, want %v", c.a, c.b, got, c.same)
		}
	}
}

// said is a signal of a thread.
func said(id, source string, round int32, reply string, p signals.Payload) signals.Any {
	h := signals.Header{ID: signals.MustID(id), Source: source, Thread: "t", Time: day, Round: round}
	if reply != "" {
		h.ReplyTo = signals.MustID(reply)
	}
	switch p := p.(type) {
	case signals.Discovery:
		return signals.New(h, p)
	case signals.Memory:
		return signals.New(h, p)
	case signals.Consensus:
		return signals.New(h, p)
	default:
		return signals.New(h, p.(signals.Doubt))
	}
}

func TestLogHasTheSourcesOfADerivedStatement(t *testing.T) {
	t.Parallel()
	x, withProof := signals.Discovery{Finding: "x"}, signals.Discovery{Finding: "x", Evidence: "seen"}
	asAdaFound, withResult := signals.Discovery{Finding: "x", Evidence: "I confirm it, as ada found"}, signals.Discovery{Finding: "x", Evidence: "port 8080 is shown"}
	told := signals.Memory{Content: "X!", Category: "c", Importance: 1}
	own := []string{memory.IDOf("x")}
	for name, c := range map[string]struct {
		log  []signals.Any
		from []string
		none bool
	}{
		"the first":                        {[]signals.Any{said("1", "ada", 1, "", x)}, nil, false},
		"in the same round":                {[]signals.Any{said("1", "ada", 1, "", x), said("2", "bob", 1, "", told)}, nil, false},
		"in a later round":                 {[]signals.Any{said("1", "ada", 1, "", x), said("2", "bob", 2, "", told)}, own, false},
		"with a reason in words":           {[]signals.Any{said("1", "ada", 1, "", x), said("2", "bob", 2, "", asAdaFound)}, own, false},
		"with a tool's result of its own":  {[]signals.Any{said("1", "ada", 1, "", x), looked("bob", 2, "netstat: PORT 8080 open"), said("2", "bob", 2, "", withResult)}, nil, false},
		"with a result that it only says":  {[]signals.Any{said("1", "ada", 1, "", x), stated("bob", 2, "port 8080 open"), said("2", "bob", 2, "", withResult)}, own, false},
		"with a result of an earlier turn": {[]signals.Any{said("1", "ada", 1, "", x), looked("bob", 2, "port 8080 open"), said("2", "bob", 3, "", withResult)}, own, false},
		"with another's result":            {[]signals.Any{said("1", "ada", 1, "", x), looked("ada", 2, "port 8080 open"), said("2", "bob", 2, "", withResult)}, own, false},
		"with a result of something else":  {[]signals.Any{said("1", "ada", 1, "", x), looked("bob", 2, "2 files found"), said("2", "bob", 2, "", asAdaFound)}, own, false},
		"with a result that was given":     {[]signals.Any{said("1", "ada", 1, "", withResult), looked("bob", 2, "port 8080 open"), said("2", "bob", 2, "", withResult)}, own, false},
		"with the evidence of the other":   {[]signals.Any{said("1", "ada", 1, "", withProof), said("2", "bob", 2, "", signals.Discovery{Finding: "x", Evidence: "Seen."})}, own, false},
		"of what was recalled":             {[]signals.Any{said("1", "system", 0, "", told), said("2", "bob", 0, "", x)}, own, false},
		"a reply to a fact":                {[]signals.Any{said("1", "ada", 1, "", x), said("2", "bob", 2, "1", signals.Discovery{Finding: "y"})}, own, false},
		"a reply to itself, with a reason": {[]signals.Any{said("1", "ada", 1, "", x), said("2", "bob", 2, "1", withProof)}, own, false},
		"a reply to itself, with a result": {[]signals.Any{said("1", "ada", 1, "", x), looked("bob", 2, "port 8080 open"), said("2", "bob", 2, "1", withResult)}, nil, false},
		"a reply to something else":        {[]signals.Any{said("1", "ada", 1, "", signals.Doubt{Concern: "x"}), said("2", "bob", 2, "1", x)}, nil, false},
		"no fact":                          {[]signals.Any{said("1", "ada", 1, "", signals.Doubt{Concern: "x"})}, nil, true},
		"of the system":                    {[]signals.Any{said("1", "system", 0, "", told)}, nil, true},
		"of somebody with a forged origin": {[]signals.Any{said("1", "eve", 0, "", signals.Memory{Content: "x", Category: "c", Origin: signals.Origin{State: "confirmed"}})}, nil, false},
		"nothing":                          {nil, nil, true},
	} {
		got, ok := memory.ClaimOf(c.log, "g")
		if ok == c.none || !cmp.Equal(got.From, c.from) {
			t.Errorf("%s: %v from %v, want %v", name, ok, got.From, c.from)
		}
		if ok && (got.Source == "" || got.Signal.IsZero() || got.Group != "g" || got.Thread != "t" || !got.Time.Equal(day)) {
			t.Errorf("%s: no provenance: %+v", name, got)
		}
	}
}

func TestRecallPrefersMeaningThenImportanceAgeAndConfirmation(t *testing.T) {
	t.Parallel()
	p := pool(t, memory.Options{})
	important, old, sure := claim("ada", "the cache needs a lock, said one"), claim("ada", "the cache needs a lock, said two"), claim("ada", "the cache needs a lock, said six")
	important.Importance, old.Time = 1, day.Add(-365*24*time.Hour)
	again := claim("bob", sure.Content)
	other := claim("ada", "bananas are yellow")
	other.Importance = 1
	remember(t, p, important, old, sure, again, other)
	got := recalled(t, p, memory.Query{Text: "does the cache need a lock?", Quarantined: true})
	want := []string{sure.Content + ": confirmed", important.Content + ": quarantined", old.Content + ": quarantined"}
	if diff := cmp.Diff(want, got[:min(3, len(got))]); diff != "" {
		t.Error(diff)
	}
	if i := slices.Index(got, other.Content+": quarantined"); i >= 0 && i < 3 {
		t.Error("what has nothing to do with it comes before")
	}
	if got := recalled(t, p, memory.Query{Text: "does the cache need a lock?"}); !cmp.Equal(got, want[:1]) {
		t.Errorf("without quarantined facts: %v", got)
	}
	if got := recalled(t, p, memory.Query{Text: "cache lock", Quarantined: true, Until: day.Add(-24 * time.Hour)}); !cmp.Equal(got, want[2:3]) {
		t.Errorf("of long ago: %v", got)
	}
	if got := recalled(t, p, memory.Query{Text: "cache lock", Quarantined: true, Categories: []string{"other"}}); got != nil {
		t.Errorf("of another category: %v", got)
	}
}

func TestATextWithoutWordsRecallsNothing(t *testing.T) {
	t.Parallel()
	p := pool(t, memory.Options{})
	remember(t, p, claim("ada", "the port is 8080"))
	for _, said := range []string{" ", "?!", "\u200b"} {
		if got := recalled(t, p, memory.Query{Text: said, Quarantined: true}); got != nil {
			t.Errorf("%q recalls %v", said, got)
		}
	}
}

func TestRecallStaysInItsBudget(t *testing.T) {
	t.Parallel()
	p := pool(t, memory.Options{})
	best, long, short := claim("ada", "lock the cache"), claim("ada", "lock the cache "+strings.Repeat("again ", 100)), claim("ada", "the cache, unlocked")
	remember(t, p, best, long, short)
	q := memory.Query{Text: "lock the cache", Quarantined: true, Bytes: len(best.Content) + len(short.Content)}
	if got, want := recalled(t, p, q), []string{best.Content + ": quarantined", short.Content + ": quarantined"}; !cmp.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	q.Most = 1
	if got := recalled(t, p, q); len(got) != 1 {
		t.Errorf("got %v, want 1", got)
	}
	for name, q := range map[string]memory.Query{"no text": {}, "negative": {Text: "x", Most: -1}, "bytes": {Text: "x", Bytes: -1}, "not UTF-8": {Text: "\xff"}} {
		if _, err := p.Recall(t.Context(), q); !errors.Is(err, signals.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSolveBeginsWithConfirmedFactsAndTheirOrigin(t *testing.T) {
	t.Parallel()
	p := pool(t, memory.Options{})
	first := grouped(claim("ada", "the port is 8080"), "g")
	remember(t, p, first, claim("bob", "the port is 8080"), claim("eve", "the port is 9999"))
	got, err := p.Brief(t.Context(), signals.Task{Task: "which port?"})
	want := signals.New(signals.Header{}, signals.Memory{
		Content: "the port is 8080", Category: "c", Importance: 0.5, Origin: signals.Origin{
			Fact: first.ID(), State: "confirmed", Source: "ada", Group: "g", Thread: first.Thread, Signal: first.Signal, Time: first.Time,
		},
	})
	if err != nil || len(got) != 1 || got[0].Body() != want.Body() || got[0].Head().Confidence != 1 {
		t.Fatalf("%v, %v, want %v", got, err, want)
	}
	if err := signals.Validate(got[0]); err != nil {
		t.Error(err)
	}
	text, err := signals.Marshal(signals.With(got[0], signals.Header{ID: signals.MustID("x"), Source: "system", Time: day}))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := signals.Unmarshal(text); err != nil || again.Body() != got[0].Body() {
		t.Errorf("read back: %v, %v", again, err)
	}
	all, err := pool(t, memory.Options{Quarantined: true}).Brief(t.Context(), signals.Task{Task: "which port?"})
	if err != nil || len(all) != 0 {
		t.Errorf("an empty memory: %v, %v", all, err)
	}
}

func TestExpiredFactsAreNotRecalled(t *testing.T) {
	t.Parallel()
	p := pool(t, memory.Options{Lifetime: 30 * time.Minute})
	longer := claim("ada", "it lasts")
	longer.Expires = day.Add(1)
	remember(t, p, claim("ada", "it is over"), longer)
	if got := recalled(t, p, memory.Query{Text: "it is over, it lasts", Quarantined: true}); !cmp.Equal(got, []string{"it lasts: quarantined"}) {
		t.Errorf("got %v", got)
	}
}

func TestClaimsThatBreakARuleAreRefusedWithAllOthers(t *testing.T) {
	t.Parallel()
	p := pool(t, memory.Options{})
	for name, change := range map[string]func(*memory.Claim){
		"no content":     func(c *memory.Claim) { c.Content = "" },
		"huge content":   func(c *memory.Claim) { c.Content = strings.Repeat("x", signals.DefaultTextBytes+1) },
		"not UTF-8":      func(c *memory.Claim) { c.Content = "\xff" },
		"no category":    func(c *memory.Claim) { c.Category = "" },
		"NaN":            func(c *memory.Claim) { c.Importance = math.NaN() },
		"no source":      func(c *memory.Claim) { c.Source = "" },
		"a source of \n": func(c *memory.Claim) { c.Source = "a\nb" },
		"a group of \n":  func(c *memory.Claim) { c.Group = "a\nb" },
		"huge evidence":  func(c *memory.Claim) { c.Evidence = strings.Repeat("x", signals.DefaultTextBytes+1) },
		"much":           func(c *memory.Claim) { c.From = make([]string, 65) },
	} {
		bad := claim("ada", "bad")
		change(&bad)
		if err := p.Remember(t.Context(), claim("ada", "good"), bad); !errors.Is(err, signals.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := recalled(t, p, memory.Query{Text: "good", Quarantined: true}); got != nil {
		t.Errorf("stored %v", got)
	}
}

func TestSourcesOfAFactAreBounded(t *testing.T) {
	t.Parallel()
	p := pool(t, memory.Options{})
	for i := range 100 {
		remember(t, p, claim(fmt.Sprint("s", i), "x"))
	}
	found, err := p.Recall(t.Context(), memory.Query{Text: "x"})
	if err != nil || len(found) != 1 || len(found[0].Said) != 64 {
		t.Errorf("%v, %v", len(found), err)
	}
}

func TestPoolRefusesOptionsThatBreakARule(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]memory.Options{
		"no store": {}, "lifetime": {Store: &memorytest.Twin{}, Lifetime: -1}, "most": {Store: &memorytest.Twin{}, Most: -1}, "bytes": {Store: &memorytest.Twin{}, Bytes: -1},
	} {
		if _, err := memory.New(o); !errors.Is(err, signals.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A fake embedder returns what its function does.
type fake struct {
	name  string
	embed func(texts []string) ([][]float32, error)
}

func (f fake) ID() models.ID { return models.ID{Provider: "fake", Name: f.name} }

func (f fake) Embed(_ context.Context, texts ...string) (*models.Vectors, error) {
	all, err := f.embed(texts)
	return &models.Vectors{All: all}, err
}

// lengths returns vectors that say how long the texts are.
func lengths(texts []string) (all [][]float32, _ error) {
	for _, text := range texts {
		all = append(all, []float32{float32(len(text)), 1})
	}
	return all, nil
}

func TestOtherModelEmbedsAgainWhereItStoppedAndIsNeverComparedWithTheFirst(t *testing.T) {
	t.Parallel()
	store := &memorytest.Twin{}
	p := pool(t, memory.Options{Store: store})
	var claims []memory.Claim
	for i := range 300 {
		claims = append(claims, claim("ada", fmt.Sprint("fact ", i)))
	}
	remember(t, p, claims...)
	var stale *memory.StaleError
	if _, err := p.Recall(t.Context(), memory.Query{Text: "x"}); !errors.As(err, &stale) || stale.Missing != 300 {
		t.Fatalf("300 facts without vectors: %v", err)
	}
	calls, broken := 0, errors.New("broken")
	p = pool(t, memory.Options{Store: store, Embedder: fake{"other", func(texts []string) ([][]float32, error) {
		if calls++; calls == 3 {
			return nil, broken
		}
		return lengths(texts)
	}}})
	var steps []memory.Progress
	for run, want := range []error{broken, nil} {
		for at, err := range p.Embed(t.Context()) {
			if err != nil {
				if !errors.Is(err, want) {
					t.Errorf("run %d: %v", run, err)
				}
				break
			}
			steps = append(steps, at)
		}
	}
	want := []memory.Progress{{Done: 64, Left: 236}, {Done: 128, Left: 172}, {Done: 64, Left: 108}, {Done: 128, Left: 44}, {Done: 172, Left: 0}}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Error(diff)
	}
	if got := recalled(t, p, memory.Query{Text: "fact 1", Quarantined: true, Most: 1}); len(got) != 1 {
		t.Errorf("recalled %v", got)
	}
	// The first model has no vectors yet, although the other has all.
	p = pool(t, memory.Options{Store: store})
	if _, err := p.Recall(t.Context(), memory.Query{Text: "x"}); !errors.As(err, &stale) || stale.Model != memory.Hashed().ID().String() {
		t.Errorf("the first model: %v", err)
	}
}

func TestFactsThatAModelHasNoVectorForAreLeftOut(t *testing.T) {
	t.Parallel()
	nan := float32(math.NaN())
	bad := map[string][]float32{"of NaN": {nan, 1}, "of zeros": {0, 0}, "infinite": {float32(math.Inf(1)), 0}}
	p := pool(t, memory.Options{Embedder: fake{"m", func(texts []string) ([][]float32, error) {
		all, err := lengths(texts)
		for i, text := range texts {
			if v := bad[text]; v != nil {
				all[i] = v
			}
		}
		return all, err
	}}})
	remember(t, p, claim("ada", "good"), claim("ada", "of NaN"), claim("ada", "of zeros"), claim("ada", "infinite"))
	var last memory.Progress
	for at, err := range p.Embed(t.Context()) {
		if last = at; err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(memory.Progress{Done: 4, Failed: 3}, last); diff != "" {
		t.Error(diff)
	}
	if got := recalled(t, p, memory.Query{Text: "what", Quarantined: true}); !cmp.Equal(got, []string{"good: quarantined"}) {
		t.Errorf("recalled %v", got)
	}
	var refused *memory.VectorError
	if _, err := p.Recall(t.Context(), memory.Query{Text: "of NaN"}); !errors.As(err, &refused) {
		t.Errorf("a query without a vector: %v", err)
	}
}

func TestModelThatFailsLosesNoFact(t *testing.T) {
	t.Parallel()
	broken, fails := errors.New("broken"), true
	p := pool(t, memory.Options{Embedder: fake{"m", func(texts []string) ([][]float32, error) {
		if fails {
			return nil, broken
		}
		return lengths(texts)
	}}})
	remember(t, p, claim("ada", "kept"))
	if _, err := p.Recall(t.Context(), memory.Query{Text: "x"}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	fails = false
	if got := recalled(t, p, memory.Query{Text: "x", Quarantined: true}); !cmp.Equal(got, []string{"kept: quarantined"}) {
		t.Errorf("recalled %v", got)
	}
	p = pool(t, memory.Options{Embedder: fake{"m", func([]string) ([][]float32, error) { return nil, nil }}})
	if _, err := p.Recall(t.Context(), memory.Query{Text: "x"}); !errors.Is(err, models.ErrMalformed) {
		t.Errorf("no vectors: %v", err)
	}
	p = pool(t, memory.Options{Embedder: fake{"m", func(texts []string) ([][]float32, error) {
		all, err := lengths(texts)
		if texts[0] == "query" {
			all[0] = []float32{1, 2, 3}
		}
		return all, err
	}}})
	remember(t, p, claim("ada", "kept"))
	var refused *memory.VectorError
	if _, err := p.Recall(t.Context(), memory.Query{Text: "query"}); !errors.As(err, &refused) {
		t.Errorf("a vector of another length: %v", err)
	}
}

func TestModelGetsTheBeginningOfALongText(t *testing.T) {
	t.Parallel()
	longest := 0
	p := pool(t, memory.Options{Embedder: fake{"m", func(texts []string) ([][]float32, error) {
		for _, text := range texts {
			longest = max(longest, len(text))
		}
		return lengths(texts)
	}}})
	remember(t, p, claim("ada", strings.Repeat("ä", signals.DefaultTextBytes/2)))
	if got := recalled(t, p, memory.Query{Text: "x", Quarantined: true, Bytes: signals.DefaultTextBytes}); len(got) != 1 || longest != 8<<10 {
		t.Errorf("recalled %d, the longest text has %d bytes", len(got), longest)
	}
}
