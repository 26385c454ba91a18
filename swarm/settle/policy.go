package settle

import (
	"fmt"
	"slices"
)

// A Policy is how conflicts between proposals are settled. A conflict that was
// settled is recorded as a conflict.Resolution with its winner.
type Policy uint8

// The policies.
const (
	// ByDebate holds a debate between the two proposals when no agent has
	// anything left to hear and the votes have not decided, or have chosen one of them
	// that is less than [Certain] to be right rather than the other. It takes
	// two agents that can argue ([agents.Agent.CanArgue]), one for each, and as many
	// rounds and signals as one round of a debate may take. Both advocates must be able
	// to pay for its turns before each round ([agents.Payer]): one who cannot prevents
	// the debate, or ends it. Without a debate, or with one that ends even, the votes
	// decide alone.
	//
	// [agents.Payer]: https://pkg.go.dev/github.com/swarmbus/swarmbus/agents#Payer
	ByDebate Policy = iota
	// ByMajority settles a conflict at the end of the first round that began
	// with both proposals in the log, by the votes that there are then: one for each
	// voter, without weights. A tie is settled as soon as one side has more, or else,
	// when no agent has anything left to hear, by a debate or, if that is not possible
	// or ends even, by a question to somebody outside. There is no decision while a
	// conflict is open.
	ByMajority
	// ByEscalation asks somebody outside about a conflict that the votes have not
	// decided when no agent has anything left to hear, or when the rounds are used up.
	ByEscalation
)

var policies = []string{"debate", "majority", "escalate"}

// String returns the wire name, or the number of an unknown policy.
func (p Policy) String() string {
	if int(p) >= len(policies) {
		return fmt.Sprintf("Policy(%d)", uint8(p))
	}
	return policies[p]
}

// MarshalText returns the wire name; an unknown policy is an error.
func (p Policy) MarshalText() ([]byte, error) {
	if int(p) >= len(policies) {
		return nil, fmt.Errorf("settle: unknown policy %d", uint8(p))
	}
	return []byte(policies[p]), nil
}

// UnmarshalText reads what MarshalText writes.
func (p *Policy) UnmarshalText(text []byte) error {
	i := slices.Index(policies, string(text))
	if i < 0 {
		return fmt.Errorf("settle: policy %q is not one of %q", text, policies)
	}
	*p = Policy(i)
	return nil
}
