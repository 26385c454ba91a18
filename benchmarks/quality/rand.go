package main

import "math"

// random is splitmix64 (Steele, Lea and Flood, 2014): seeded, and the same everywhere.
type random struct{ state uint64 }

func newRandom(seed uint64) *random { return &random{seed*0x9e3779b97f4a7c15 + 1} }

func (r *random) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// float is uniform in [0,1).
func (r *random) float() float64 { return float64(r.next()>>11) / (1 << 53) }

// below is uniform in [0,n).
func (r *random) below(n int) int { return int(r.next() % uint64(n)) }

// permutation is a random order of 0 to n-1.
func (r *random) permutation(n int) []int32 {
	p := make([]int32, n)
	for i := range p {
		j := r.below(i + 1)
		p[i] = p[j]
		p[j] = int32(i)
	}
	return p
}

// known draws a share of the tasks with a truth, whose outcomes are revealed; -1 for all others.
func (s *set) known(share float64, seed uint64) []int32 {
	gold := make([]int32, s.tasks())
	truths := 0
	for t := range gold {
		gold[t] = -1
		if s.truth[t] >= 0 {
			truths++
		}
	}
	left := int(math.Round(share * float64(truths)))
	for _, t := range newRandom(seed).permutation(s.tasks()) {
		if left > 0 && s.truth[t] >= 0 {
			gold[t] = s.truth[t]
			left--
		}
	}
	return gold
}

// shuffle reorders as permutation would.
func (r *random) shuffle(x []int32) {
	was := append([]int32(nil), x...)
	for i, p := range r.permutation(len(x)) {
		x[i] = was[p]
	}
}
