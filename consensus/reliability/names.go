package reliability

import "math"

// named are the choices that a decision's voters named.
type named struct {
	set   uint64
	share float64 // of a vote, by which it counts that wrong answers are among these
}

func (n *named) add(c int32) { n.set |= 1 << c }

func (n named) has(c int) bool { return n.set>>c&1 == 1 }

// named returns those of votes on shared choices.
func (m *parameters) named(v votes) named {
	n := m.none(len(v.said))
	for _, l := range v.said {
		n.add(l)
	}
	return n
}

// none is before any of the votes has been looked at. What all of them share counts as often as votes with the
// discount's ρ do, 1/ρ times at most.
func (m *parameters) none(votes int) named {
	return named{share: 1 / (1 + m.Residual*max(0, float64(votes-1)))}
}

// instead is the log-probability that who is wrong says l, with row its [voter][truth]: log q[l] − share·log s.
// Wrong answers fall on what somebody else said far more often than voters' habits tell (what lures one, lures
// others), so they are taken for ones among the choices named and one more of average probability, s in all.
// Otherwise two who agree on a wrong answer of many count as if they had found the truth. A truth that nobody
// named has no such excuse.
func (m *parameters) instead(row, l int, n named) float64 {
	k := m.Choices
	q, truth := m.wrong[row*k:][:k], row%k
	if k == 2 || !n.has(truth) {
		return m.Wrong[row*k+l]
	}
	s := 1 / float64(k-1)
	for c, x := range q {
		if c != truth && n.has(c) {
			s += x
		}
	}
	return m.Wrong[row*k+l] - n.share*math.Log(min(1, s))
}
