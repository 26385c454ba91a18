package inspect

import (
	"math"
	"slices"
	"strconv"
)

// A rule is what a finding has before it is found anywhere.
type rule struct {
	name       string
	dimension  Dimension
	severity   Severity
	confidence float64 // how often the rule is right when it speaks
	half       float64 // places that make it half relevant, whatever their share
}

// over makes one finding of all places, out of the number of candidates there
// were. No places, no finding.
func (r rule) over(places []Place, of int, message string) []Finding {
	if len(places) == 0 {
		return nil
	}
	sortPlaces(places)
	places = slices.Compact(places)
	return []Finding{r.finding(places, r.spread(len(places), of), message)}
}

// beyond makes one finding of places that exceed a limit, worst first. The
// worst sets the relevance: 1 - limit/worst, so twice the limit is one half.
func (r rule) beyond(places []measured, limit int, message string) []Finding {
	if len(places) == 0 {
		return nil
	}
	slices.SortStableFunc(places, compareMeasured)
	plain := make([]Place, len(places))
	for i, m := range places {
		plain[i] = m.Place
	}
	return []Finding{r.finding(plain, 1-float64(limit)/float64(places[0].value), message)}
}

func (r rule) finding(places []Place, relevance float64, message string) Finding {
	return Finding{
		Rule:       r.name,
		Dimension:  r.dimension,
		Severity:   r.severity,
		Message:    message,
		Places:     places,
		Relevance:  round(relevance),
		Confidence: r.confidence,
	}
}

// spread grows with the share of candidates affected and with their number: a
// rule that holds everywhere is fully relevant, one that holds half times is
// at least half relevant.
func (r rule) spread(n, of int) float64 {
	share := 0.0
	if of > 0 {
		share = min(1, float64(n)/float64(of))
	}
	return 1 - (1-share)*math.Exp2(-float64(n)/r.half)
}

// round keeps three digits, so that logs stay readable and equal on machines
// that fuse multiplications.
func round(x float64) float64 { return math.Round(min(1, max(0, x))*1000) / 1000 }

// measured is a place with the number that put it there.
type measured struct {
	Place
	value int
}

func compareMeasured(a, b measured) int {
	if a.value != b.value {
		return b.value - a.value
	}
	return a.Compare(b.Position)
}

// count returns "1 thing" or "n things".
func count(n int, singular string) string {
	if n == 1 {
		return "1 " + singular
	}
	return strconv.Itoa(n) + " " + singular + "s"
}

// share returns "n of m things".
func share(n, of int, singular string) string {
	return strconv.Itoa(n) + " of " + count(of, singular)
}
