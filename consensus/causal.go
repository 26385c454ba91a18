package consensus

// CausalLevel is the rung of Pearl's ladder of causation on which a vote's reason rests. Its text
// form is "correlation", "intervention", "counterfactual", or "" for the zero value, which states
// none. The built-in strategies ignore it, so that a hypothetical objection cannot outweigh plain
// agreement; custom ones may read it.
type CausalLevel uint8

// The causal levels, weakest first.
const (
	Correlation    CausalLevel = 1 + iota // observed together
	Intervention                          // the effect of an action
	Counterfactual                        // it would not have happened otherwise
)

var causalLevels = texts[CausalLevel]{"CausalLevel", "causalLevel", 0, []string{
	0: "", Correlation: "correlation", Intervention: "intervention", Counterfactual: "counterfactual",
}}

// String returns the wire text, or CausalLevel(n) for a value that has none.
func (c CausalLevel) String() string { return causalLevels.string(c) }

// MarshalText returns the wire text; a value that has none is an error.
func (c CausalLevel) MarshalText() ([]byte, error) { return causalLevels.marshal(c) }

// UnmarshalText reads what MarshalText writes and leaves c unchanged on
// anything else.
func (c *CausalLevel) UnmarshalText(text []byte) error { return causalLevels.unmarshal(text, c) }
