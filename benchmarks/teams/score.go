package main

import "math"

// phases are ranges of the number of earlier decisions of a team.
var phases = []struct {
	name string
	to   int
}{{"1–20", 20}, {"21–100", 100}, {"101–200", 1 << 30}}

func phase(n int) int {
	for i, p := range phases {
		if n < p.to {
			return i
		}
	}
	return len(phases) - 1
}

// score sums answers up.
type score struct {
	N          float64        `json:"n"`
	Right      float64        `json:"right"` // decided right, and wrong
	Wrong      float64        `json:"wrong"`
	Leads      float64        `json:"leads"` // the leader is right
	Confidence [10][3]float64 `json:"bins"`  // number, confidence and right, by tenths of confidence
}

func (s *score) add(a answer) {
	s.N++
	s.Leads += a.leads
	if a.decided {
		s.Right += number(a.right)
		s.Wrong += number(!a.right)
	}
	b := &s.Confidence[min(9, int(a.confidence*10))]
	b[0], b[1], b[2] = b[0]+1, b[1]+a.confidence, b[2]+a.sure
}

func (s *score) join(o *score) {
	s.N, s.Right, s.Wrong, s.Leads = s.N+o.N, s.Right+o.Right, s.Wrong+o.Wrong, s.Leads+o.Leads
	for i, b := range o.Confidence {
		for j, x := range b {
			s.Confidence[i][j] += x
		}
	}
}

// worth is right less 7/3 of wrong: nothing for a guess that is right in 70 %.
func (s *score) worth() float64 { return s.Right - 7*s.Wrong/3 }

// ece is the expected calibration error over ten bins (Naeini et al. 2015).
func (s *score) ece() float64 {
	gap := 0.0
	for _, b := range s.Confidence {
		gap += math.Abs(b[1] - b[2])
	}
	return gap / max(s.N, 1)
}
