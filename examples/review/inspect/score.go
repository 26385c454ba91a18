package inspect

import "slices"

// A Claim is a finding with what was said about it.
type Claim struct {
	Finding   Finding
	Arguments []Argument
}

// Claims pairs findings with all arguments there are about them.
func Claims(p *Package, findings []Finding) []Claim {
	claims := make([]Claim, len(findings))
	for i, f := range findings {
		claims[i] = Claim{f, Debate(p, f)}
	}
	return claims
}

// Risk is the finding's risk after the arguments, in [0,1]: each that eases it
// leaves 1-strength of the risk, each that worsens it takes strength of what is
// missing to the severity's full weight.
func (c Claim) Risk() float64 {
	risk, full := c.Finding.Risk(), c.Finding.Severity.Weight()
	for _, a := range c.Arguments {
		if a.Effect == Worsens {
			risk += a.Strength * (full - risk)
		}
	}
	for _, a := range c.Arguments {
		if a.Effect == Eases {
			risk *= 1 - a.Strength
		}
	}
	return risk
}

// Standing is the share of the finding's own risk that the arguments left: 1 if
// nobody had anything to say, above 1 if they made it worse.
func (c Claim) Standing() float64 {
	before := c.Finding.Risk()
	if before == 0 {
		return 1
	}
	return c.Risk() / before
}

// Score is the risk in one dimension.
type Score struct {
	Dimension Dimension
	Risk      float64 // 0 is spotless, 1 is hopeless
	Findings  int
	Worst     string // key of the riskiest finding, "" if there is none
}

// Scorecard sums claims up by dimension, in the order of the constants. Risks
// add up like chances of independent mishaps, 1 - Π(1 - risk): another finding
// never lowers a score, and no number of small ones exceeds 1.
func Scorecard(claims []Claim) []Score {
	scores := make([]Score, 0, Design)
	for d := Correctness; d <= Design; d++ {
		scores = append(scores, score(d, claims))
	}
	return scores
}

func score(d Dimension, claims []Claim) Score {
	s := Score{Dimension: d}
	safe, worst := 1.0, 0.0
	for _, c := range byRisk(claims) {
		if c.Finding.Dimension != d {
			continue
		}
		s.Findings++
		safe *= 1 - c.Risk()
		if s.Worst == "" || c.Risk() > worst {
			s.Worst, worst = c.Finding.Key(), c.Risk()
		}
	}
	s.Risk = round(1 - safe)
	return s
}

// byRisk returns claims with the riskiest first, in an order that does not
// depend on the order given.
func byRisk(claims []Claim) []Claim {
	sorted := slices.Clone(claims)
	slices.SortStableFunc(sorted, func(a, b Claim) int {
		if a.Risk() != b.Risk() {
			if a.Risk() > b.Risk() {
				return -1
			}
			return 1
		}
		return compareFindings(a.Finding, b.Finding)
	})
	return sorted
}
