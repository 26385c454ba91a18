package consensus

// CausalLevel is the rung of Pearl's ladder that a vote's reason stands on. It travels as text:
// "correlation", "intervention", "counterfactual", and "" for the zero value, which states none. The
// built-in strategies do not read it, so that a hypothetical objection cannot drown plain agreement;
// custom ones may.
type CausalLevel uint8

// The causal levels, from weak to strong.
const (
	Correlation    CausalLevel = 1 + iota // it was observed together
	Intervention                          // it follows when we act
	Counterfactual                        // it would not have been otherwise
)

var causalLevels = texts[CausalLevel]{"CausalLevel", "causalLevel", 0, []string{
	0: "", Correlation: "correlation", Intervention: "intervention", Counterfactual: "counterfactual",
}}

// Valid reports whether c is unstated or one of the levels above.
func (c CausalLevel) Valid() bool { return causalLevels.valid(c) }

// String returns the text on the wire, or CausalLevel(n) for a value that has none.
func (c CausalLevel) String() string { return causalLevels.string(c) }

// MarshalText writes the text on the wire and refuses a value that has none.
func (c CausalLevel) MarshalText() ([]byte, error) { return causalLevels.marshal(c) }

// UnmarshalText reads what MarshalText writes and leaves c alone on anything else.
func (c *CausalLevel) UnmarshalText(text []byte) error { return causalLevels.unmarshal(text, c) }
