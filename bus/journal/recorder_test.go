package journal_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

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

func TestAMissIsLoudAndSaysWhatWasAskedInstead(t *testing.T) {
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

func TestFailedCallsAreNotRecordedAndEqualOnesAreMadeOnce(t *testing.T) {
	r := recorder(t, new(journal.Memory))
	broken := errors.New("broken")
	if _, err := r.Do(t.Context(), call(0, "q"), func(context.Context) ([]byte, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	var made atomic.Int32
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			got, err := r.Do(t.Context(), call(0, "q"), func(context.Context) ([]byte, error) {
				made.Add(1)
				return []byte("x"), nil
			})
			if err != nil || string(got) != "x" {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	wg.Wait()
	if made.Load() != 1 {
		t.Errorf("made %d calls", made.Load())
	}
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

func TestResultsRecordedTwiceAreAnError(t *testing.T) {
	m := new(journal.Memory)
	one := journal.Record{Type: journal.TypeResult, Head: []byte(`{"thread":"t","agent":"a","turn":1,"call":0,"request":""}`)}
	if _, err := m.Append(one, one); err != nil {
		t.Fatal(err)
	}
	if _, err := journal.ReadResults(m); err == nil || !strings.Contains(err.Error(), "records 1 and 2") {
		t.Errorf("got %v", err)
	}
}
