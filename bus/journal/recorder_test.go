package journal_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/bus/journal"
)

func recorder(t testing.TB, s journal.Store) *journal.Recorder {
	t.Helper()
	r, err := journal.NewRecorder(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func call(n int, request string) journal.Key {
	return journal.Key{Thread: "t", Agent: "a", Turn: 1, Call: n, Request: journal.HashRequest([]byte(request))}
}

func TestARecordedCallIsMadeOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	made := 0
	for range 3 { // as often as the program is started
		j := open(t, path, nil)
		r := recorder(t, j)
		for n := range 5 {
			got, err := r.Do(t.Context(), call(n, "q"), func(context.Context) ([]byte, error) {
				made++
				return fmt.Appendf(nil, "answer %d", n), nil
			})
			if err != nil || string(got) != fmt.Sprintf("answer %d", n) {
				t.Fatalf("got %q, %v", got, err)
			}
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if made != 5 {
		t.Errorf("made %d calls, want 5", made)
	}
	results, err := journal.ReadResults(view(t, path))
	if err != nil || results.Len() != 5 {
		t.Fatalf("%d results, %v", results.Len(), err)
	}
	got, err := results.Do(t.Context(), call(3, "q"), func(context.Context) ([]byte, error) { panic("called") })
	if err != nil || string(got) != "answer 3" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestMissIsAnErrorThatNamesTheDifference(t *testing.T) {
	m := new(journal.Memory)
	r := recorder(t, m)
	if _, err := r.Do(t.Context(), call(0, "what was asked"), func(context.Context) ([]byte, error) { return nil, nil }); err != nil {
		t.Fatal(err)
	}
	for request, text := range map[string]string{"something else": "the request was another", "what was asked": ""} {
		_, err := r.Results().Get(call(0, request))
		if text == "" && err != nil || text != "" && (err == nil || !strings.Contains(err.Error(), text)) {
			t.Errorf("%s: got %v", request, err)
		}
	}
	var miss *journal.MissError
	if _, err := r.Results().Get(call(1, "what was asked")); !errors.As(err, &miss) || miss.Key.Call != 1 || miss.Other != "" {
		t.Errorf("got %v", err)
	}
}

func TestFailedCallsAreNotRecorded(t *testing.T) {
	r := recorder(t, new(journal.Memory))
	broken := errors.New("broken")
	if _, err := r.Do(t.Context(), call(0, "q"), func(context.Context) ([]byte, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if got, err := r.Do(t.Context(), call(0, "q"), answers("x")); err != nil || string(got) != "x" {
		t.Errorf("got %q, %v", got, err)
	}
}

func answers(text string) func(context.Context) ([]byte, error) {
	return func(context.Context) ([]byte, error) { return []byte(text), nil }
}

func TestEqualCallsAtOnceAreMadeOneByOneUntilOneIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := recorder(t, new(journal.Memory))
		made, begin := 0, time.Now()
		for range 20 {
			go func() {
				got, err := r.Do(t.Context(), call(0, "q"), func(context.Context) ([]byte, error) {
					time.Sleep(time.Second)
					if made++; made < 3 {
						return nil, errors.New("broken")
					}
					return []byte("x"), nil
				})
				if (err != nil || string(got) != "x") && (err == nil || err.Error() != "broken") {
					t.Errorf("got %q, %v", got, err)
				}
			}()
		}
		time.Sleep(time.Millisecond)
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := r.Do(ctx, call(0, "q"), answers("y")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if _, err := r.Do(t.Context(), call(1, "q"), answers("y")); err != nil || time.Since(begin) > time.Second {
			t.Errorf("another call took %v, %v", time.Since(begin), err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if made != 3 {
			t.Errorf("made %d calls", made)
		}
	})
}

func TestAResultThatCannotBeRecordedIsNotUsed(t *testing.T) {
	m := new(journal.Memory)
	r := recorder(t, m)
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := r.Do(t.Context(), call(0, "q"), func(context.Context) ([]byte, error) { return []byte("x"), nil })
	if !errors.Is(err, journal.ErrClosed) || got != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestOfTwoResultsOfOneCallTheFirstCounts(t *testing.T) {
	m := new(journal.Memory)
	one, two := recorder(t, m), recorder(t, m)
	got, err := one.Do(t.Context(), call(0, "q"), func(ctx context.Context) ([]byte, error) {
		got, err := two.Do(ctx, call(0, "q"), answers("first")) // meanwhile
		if err != nil || string(got) != "first" {
			t.Errorf("got %q, %v", got, err)
		}
		return []byte("second"), nil
	})
	if err != nil || string(got) != "first" || m.Last() != 2 {
		t.Errorf("got %q, %v, after %d results", got, err, m.Last())
	}
	for _, r := range []*journal.Recorder{one, two, recorder(t, m)} {
		got, err := r.Do(t.Context(), call(0, "q"), answers("third"))
		if err != nil || string(got) != "first" {
			t.Errorf("got %q, %v", got, err)
		}
	}
	if _, err := two.Do(t.Context(), call(1, "q"), answers("x")); err != nil {
		t.Fatal(err)
	}
	got, err = one.Do(t.Context(), call(1, "q"), func(context.Context) ([]byte, error) { panic("made again") })
	if err != nil || string(got) != "x" {
		t.Errorf("got %q, %v of what another recorder recorded", got, err)
	}
}

func TestACallWhoseResultWasDroppedIsMadeAgain(t *testing.T) {
	m := new(journal.Memory)
	r := recorder(t, m)
	for n, want := range []string{"a", "b"} {
		for range 2 {
			if got, err := r.Do(t.Context(), call(0, "q"), answers([]string{"a", "b"}[n])); err != nil || string(got) != want {
				t.Errorf("got %q, %v, want %q", got, err, want)
			}
		}
		if err := m.Drop(m.Last(), nil); err != nil {
			t.Fatal(err)
		}
		for other := range 2 { // the second time the recorder has noticed
			_, err := r.Results().Get(call(0, "q"))
			if miss := (*journal.MissError)(nil); !errors.As(err, &miss) || miss.Other != "" {
				t.Errorf("got %v", err)
			}
			if _, err := r.Do(t.Context(), call(10+2*n+other, "q"), answers("other")); err != nil {
				t.Fatal(err)
			}
		}
	}
	if r, err := journal.ReadResults(m); err != nil || r.Len() != 2 {
		t.Errorf("%d results, %v, want the two others", r.Len(), err)
	}
}

func TestAKeyThatJSONWouldChangeIsRefused(t *testing.T) {
	m := new(journal.Memory)
	r := recorder(t, m)
	sum := sha256.Sum256([]byte("q"))
	for field, key := range map[string]journal.Key{
		"thread": {Thread: "\xff"}, "agent": {Agent: "a\xc0"}, "request": {Request: string(sum[:])},
	} {
		_, err := r.Do(t.Context(), key, func(context.Context) ([]byte, error) { panic("called") })
		var refused *journal.RecordError
		if !errors.As(err, &refused) || !strings.Contains(refused.Field, field) {
			t.Errorf("%s: got %v", field, err)
		}
	}
	if m.Last() != 0 {
		t.Errorf("%d records", m.Last())
	}
}

// A watched journal counts how often its records are read.
type watched struct {
	journal.Memory
	reads int
}

func (c *watched) Read(after uint64) iter.Seq2[journal.Record, error] {
	c.reads++
	return c.Memory.Read(after)
}

func TestARecorderReadsNothingBeforeItsFirstCallAndMakesNoRecordedCallAgain(t *testing.T) {
	m := new(watched)
	if _, err := recorder(t, m).Do(t.Context(), call(0, "q"), answers("x")); err != nil {
		t.Fatal(err)
	}
	m.reads = 0
	again, asked := recorder(t, m), recorder(t, m)
	if m.reads != 0 {
		t.Errorf("a recorder that was made has read the journal %d times", m.reads)
	}
	if got, err := again.Do(t.Context(), call(0, "q"), func(context.Context) ([]byte, error) { panic("called") }); err != nil || string(got) != "x" {
		t.Errorf("got %q, %v", got, err)
	}
	if n := asked.Results().Len(); n != 1 {
		t.Errorf("%d results, want 1", n)
	}
	if got, err := recorder(t, m).Results().Get(call(0, "q")); err != nil || string(got) != "x" {
		t.Errorf("got %q, %v", got, err)
	}
}
