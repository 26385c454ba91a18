package signals

// Stance is a voter's position. The zero value is no stance and is refused.
type Stance uint8

// The stances.
const (
	Agree Stance = 1 + iota
	Disagree
	Abstain
)

// Severity grades a doubt. The zero value is no severity and is refused.
type Severity uint8

// The severities, mildest first.
const (
	Low Severity = 1 + iota
	Medium
	High
)

// CausalLevel is a rung of Pearl's ladder of causation (Pearl 2009, Causality):
// how strong the evidence in a signal is. The zero value says nothing about it.
// The level may affect which readers a signal is shown to, but never the weight
// of a vote.
type CausalLevel uint8

// The causal levels, weakest first.
const (
	Correlation    CausalLevel = 1 + iota // seen together
	Intervention                          // doing this has that effect
	Counterfactual                        // without this, that would not have happened
)

var (
	stances      = NewEnum[Stance]("stance", "agree", "disagree", "abstain")
	severities   = NewEnum[Severity]("severity", "low", "medium", "high")
	causalLevels = NewEnum[CausalLevel]("causalLevel", "correlation", "intervention", "counterfactual")
)

// String returns the wire name, or the number of an unknown stance.
func (s Stance) String() string { return stances.String(s) }

// String returns the wire name, or the number of an unknown severity.
func (s Severity) String() string { return severities.String(s) }

// String returns the wire name, "" for the zero value, or the number of an
// unknown level.
func (c CausalLevel) String() string {
	if c == 0 {
		return ""
	}
	return causalLevels.String(c)
}

// MarshalText returns the wire name; an unknown stance is an error.
func (s Stance) MarshalText() ([]byte, error) { return stances.Marshal(s) }

// MarshalText returns the wire name; an unknown severity is an error.
func (s Severity) MarshalText() ([]byte, error) { return severities.Marshal(s) }

// MarshalText returns the wire name; an unknown level, or none, is an error.
func (c CausalLevel) MarshalText() ([]byte, error) { return causalLevels.Marshal(c) }

// UnmarshalText accepts the three wire names and nothing else.
func (s *Stance) UnmarshalText(text []byte) error { return stances.Unmarshal(text, s) }

// UnmarshalText accepts the three wire names and nothing else.
func (s *Severity) UnmarshalText(text []byte) error { return severities.Unmarshal(text, s) }

// UnmarshalText accepts the three wire names and nothing else.
func (c *CausalLevel) UnmarshalText(text []byte) error { return causalLevels.Unmarshal(text, c) }
