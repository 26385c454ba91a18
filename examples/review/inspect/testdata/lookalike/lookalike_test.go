package lookalike_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"fixtures.example/review/lookalike"
)

func TestEverything(t *testing.T) {
	q := lookalike.NewQueue()
	q.SetLoud(true)
	s, err := q.Take(context.Background())
	q.Drain(func(string) {})
	s += q.Ping(context.Background(), func() string { return "pong" })
	q.Close(func() {})
	text, _ := lookalike.Read(strings.NewReader("x"))
	got := []any{
		s, err, text, lookalike.Lookup("one"), lookalike.MustLookup("one"), lookalike.Shadow(),
		errors.Is(&lookalike.Failure{Code: 1}, lookalike.ErrGone), lookalike.Area(2), lookalike.Set[int]{1: true}.Has(1),
		lookalike.After(context.Background(), time.Nanosecond), lookalike.Shout(lookalike.ErrGone),
	}
	t.Log(got...)
}

func TestCancelOrFail(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	if ctx.Err() != nil {
		t.Fatal("cancelled early")
	} else {
		cancel()
	}
}

func FuzzVersion(f *testing.F) {
	f.Fuzz(func(t *testing.T, name string) {
		out, err := lookalike.Version(context.Background(), name)
		t.Log(out, err)
	})
}

func Example() {
	lookalike.Rethrow(func() {})
	// Output:
}
