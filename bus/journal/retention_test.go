package journal_test

import (
	"bytes"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus/journal"
)

// counting is a fold: how many records there were, and of which numbers.
func counting(state []byte, dropped iter.Seq2[journal.Record, error]) ([]byte, error) {
	for r, err := range dropped {
		if err != nil {
			return nil, err
		}
		state = fmt.Appendf(state, "%d ", r.Seq)
	}
	return state, nil
}

func TestRetentionBySizeAndAge(t *testing.T) {
	hour := func(n int) time.Time { return time.Unix(0, 0).Add(time.Duration(n) * time.Hour) }
	for name, test := range map[string]struct {
		r      journal.Retention
		n      int
		first  uint64
		events int
	}{
		"none":          {journal.Retention{}, 100, 1, 0},
		"small enough":  {journal.Retention{Bytes: 1000}, 10, 1, 0},
		"too large":     {journal.Retention{Bytes: 1000}, 11, 7, 6},
		"young enough":  {journal.Retention{Age: 9 * time.Hour}, 10, 1, 0},
		"too old":       {journal.Retention{Age: 4 * time.Hour}, 10, 6, 5},
		"one remains":   {journal.Retention{Bytes: 1}, 10, 10, 9},
		"old and large": {journal.Retention{Bytes: 500, Age: 8 * time.Hour}, 10, 9, 8},
	} {
		t.Run(name, func(t *testing.T) {
			m := new(journal.Memory)
			for i := range test.n {
				if _, err := m.Append(journal.Record{Type: 1, Time: hour(i), Body: bytes.Repeat([]byte("x"), 100)}); err != nil {
					t.Fatal(err)
				}
			}
			test.r.Fold = counting
			dropped, err := test.r.Apply(m)
			s, _ := m.Snapshot()
			if err != nil || dropped != test.events || s.Through+1 != test.first {
				t.Fatalf("dropped %d, %v: the first is %d, want %d", dropped, err, s.Through+1, test.first)
			}
			var want []byte
			for i := range test.events {
				want = fmt.Appendf(want, "%d ", i+1)
			}
			if !bytes.Equal(s.State, want) {
				t.Errorf("state %q, want %q", s.State, want)
			}
			if again, err := test.r.Apply(m); again != 0 || err != nil {
				t.Errorf("dropped %d more, %v", again, err)
			}
		})
	}
}

func TestAgeBelievesTheLastTimeAndNoOther(t *testing.T) {
	const none, year = -1, 365 * 24
	for name, test := range map[string]struct {
		hours []int
		left  int
	}{
		"all have one":          {[]int{0, 1, 2, 3, 4}, 3},
		"the first has none":    {[]int{none, none, 0, 1, 2, 3, 4}, 3},
		"none in between":       {[]int{0, none, 1, none, 2, 3, 4}, 4},
		"the last has none":     {[]int{0, 1, 2, 3, 4, none}, 4},
		"nobody has one":        {[]int{none, none, none}, 3},
		"the clock was ahead":   {[]int{3, 3, year, year, 4, 4}, 6},
		"it was ahead long ago": {[]int{0, year, 0, 3, 4}, 2},
		"the clock was behind":  {[]int{3, 0, 3, 4}, 4},
		"the last is the only":  {[]int{none, 0, 0, 9}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			m := new(journal.Memory)
			for _, h := range test.hours {
				r := journal.Record{Type: 1}
				if h != none {
					r.Time = time.Unix(1e9, 0).Add(time.Duration(h) * time.Hour)
				}
				if _, err := m.Append(r); err != nil {
					t.Fatal(err)
				}
			}
			dropped, err := journal.Retention{Age: 2 * time.Hour}.Apply(m)
			if left := len(test.hours) - dropped; err != nil || left != test.left {
				t.Errorf("%d records are left, %v, want %d", left, err, test.left)
			}
		})
	}
}

func TestFoldContinuesFromItsState(t *testing.T) {
	m := new(journal.Memory)
	want := ""
	r := journal.Retention{Bytes: 300, Fold: counting}
	for i := range 50 {
		if _, err := m.Append(journal.Record{Type: 1, Body: bytes.Repeat([]byte("x"), 100)}); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Apply(m); err != nil {
			t.Fatal(err)
		}
		want += fmt.Sprintf("%d ", i+1)
	}
	s, _ := m.Snapshot()
	if got := string(s.State); got != want[:len(got)] || s.Through < 45 {
		t.Errorf("through %d, state %q", s.Through, got)
	}
}
