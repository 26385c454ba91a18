package reports

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"
)

// A sample is one thing of a kind that can go wrong.
type sample struct {
	at     time.Time
	worker string
	bad    bool
}

// Shares counts what went wrong in the current window, and in the one before it.
type shares struct {
	window time.Duration
	all    []sample // oldest first
	mid    int      // all[mid:] is in the current window
	bad    [2]int   // number of bad samples before mid, and from it
	rising bool
}

func (s *shares) add(x sample) {
	s.all = append(s.all, x)
	s.bad[1] += count(x.bad)
}

// slide drops what has left the windows, which include their bounds.
func (s *shares) slide(now time.Time) {
	for ; s.mid < len(s.all) && now.After(s.all[s.mid].at.Add(s.window)); s.mid++ {
		bad := count(s.all[s.mid].bad)
		s.bad[0], s.bad[1] = s.bad[0]+bad, s.bad[1]-bad
	}
	gone := 0
	for ; gone < s.mid && now.After(s.all[gone].at.Add(2*s.window)); gone++ {
		s.bad[0] -= count(s.all[gone].bad)
	}
	s.all, s.mid = s.all[gone:], s.mid-gone
}

// current returns the number of samples in the current window, and of bad ones.
func (s *shares) current() (n, bad int) { return len(s.all) - s.mid, s.bad[1] }

// due returns when a sample leaves a window next, as long as there are any in the
// current one; zero: never.
func (s *shares) due() time.Time {
	if s.mid == len(s.all) {
		return time.Time{}
	}
	t := s.all[s.mid].at.Add(s.window)
	if oldest := s.all[0].at.Add(2 * s.window); oldest.Before(t) {
		return oldest
	}
	return t
}

// workers returns who had a bad sample in the current window, and since when.
func (s *shares) workers() (who List, since time.Time) {
	all := map[string]bool{}
	for _, x := range s.all[s.mid:] {
		if x.bad && since.IsZero() {
			since = x.at
		}
		if x.bad {
			all[x.worker] = true
		}
	}
	return slices.Sorted(maps.Keys(all)), since
}

// trend reports that the share of bad samples has begun to be larger than in the window
// before: by three standard errors, which is a coincidence once in 700 windows, with at
// least so many samples in each.
func (s *shares) trend(what string, least int) []Advisory {
	n, was := float64(len(s.all)-s.mid), float64(s.mid)
	p, q, all := float64(s.bad[1])/n, float64(s.bad[0])/was, float64(s.bad[0]+s.bad[1])/(n+was)
	before := s.rising
	s.rising = min(n, was) >= float64(least) && p-q > 3*math.Sqrt(all*(1-all)*(1/n+1/was))
	if before || !s.rising {
		return nil
	}
	who, since := s.workers()
	return []Advisory{{
		Concern: Trend, Workers: who, Since: since, Count: s.bad[1],
		Text: fmt.Sprintf("%s: %.0f%% within %v, %.0f%% in the %v before", what, 100*p, s.window, 100*q, s.window),
	}}
}

func count(bad bool) int {
	if bad {
		return 1
	}
	return 0
}
