package signals

import "fmt"

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
// It steers whom a signal is shown to, never what a vote weighs.
type CausalLevel uint8

// The causal levels, weakest first.
const (
	Correlation    CausalLevel = 1 + iota // seen together
	Intervention                          // if we do this, then that
	Counterfactual                        // had this not been, that would not be
)

var (
	stanceNames   = []string{"agree", "disagree", "abstain"}
	severityNames = []string{"low", "medium", "high"}
	causalNames   = []string{"correlation", "intervention", "counterfactual"}
)

// String returns the wire name, or the number of an unknown stance.
func (s Stance) String() string { return enumString(stanceNames, s) }

// String returns the wire name, or the number of an unknown severity.
func (s Severity) String() string { return enumString(severityNames, s) }

// String returns the wire name, "" for the zero value, or the number of an
// unknown level.
func (c CausalLevel) String() string {
	if c == 0 {
		return ""
	}
	return enumString(causalNames, c)
}

// MarshalText returns the wire name; an unknown stance is an error.
func (s Stance) MarshalText() ([]byte, error) { return enumText("stance", stanceNames, s) }

// MarshalText returns the wire name; an unknown severity is an error.
func (s Severity) MarshalText() ([]byte, error) { return enumText("severity", severityNames, s) }

// MarshalText returns the wire name; an unknown level, or none, is an error.
func (c CausalLevel) MarshalText() ([]byte, error) { return enumText("causalLevel", causalNames, c) }

// UnmarshalText accepts the three wire names and nothing else.
func (s *Stance) UnmarshalText(text []byte) error { return enumParse("stance", stanceNames, text, s) }

// UnmarshalText accepts the three wire names and nothing else.
func (s *Severity) UnmarshalText(text []byte) error {
	return enumParse("severity", severityNames, text, s)
}

// UnmarshalText accepts the three wire names and nothing else.
func (c *CausalLevel) UnmarshalText(text []byte) error {
	return enumParse("causalLevel", causalNames, text, c)
}

// The enums count from 1: value v has the name names[v-1].

func enumString[E ~uint8](names []string, v E) string {
	if int(v) < 1 || int(v) > len(names) {
		return fmt.Sprintf("%T(%d)", v, uint8(v))
	}
	return names[v-1]
}

func enumText[E ~uint8](field string, names []string, v E) ([]byte, error) {
	if err := oneOf(field, names, v); err != nil {
		return nil, err
	}
	return []byte(names[v-1]), nil
}

func enumParse[E ~uint8](field string, names []string, text []byte, v *E) error {
	for i, name := range names {
		if string(text) == name {
			*v = E(i + 1)
			return nil
		}
	}
	return &FieldError{Field: field, Value: clip(string(text)), Problem: fmt.Sprintf("not one of %q", names)}
}

func oneOf[E ~uint8](field string, names []string, v E) error {
	if int(v) < 1 || int(v) > len(names) {
		return &FieldError{Field: field, Value: fmt.Sprint(uint8(v)), Problem: fmt.Sprintf("not one of %q", names)}
	}
	return nil
}
