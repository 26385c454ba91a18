package signals

// Kind names what a signal says. The built-in kinds have the wire names of the
// constants below; other programs choose their own, preferably with a domain in
// front: "acme.example/tick".
type Kind string

// The built-in kinds.
const (
	KindTask       Kind = "task:new"          // a task enters the swarm
	KindDiscovery  Kind = "discovery"         // an agent found something
	KindProposal   Kind = "proposal"          // an agent proposes a solution
	KindDoubt      Kind = "doubt"             // an agent is unsure of a signal
	KindChallenge  Kind = "challenge"         // an agent argues against a signal
	KindVote       Kind = "vote"              // an agent votes on a proposal
	KindConflict   Kind = "conflict"          // two signals cannot both stand
	KindConsensus  Kind = "consensus:reached" // a decision was made
	KindEscalation Kind = "escalate"          // someone outside the swarm has to look
	KindMemory     Kind = "memory:shared"     // a fact for everyone
	KindToolResult Kind = "tool:result"       // what a tool call returned
)

// BuiltIn reports whether k is one of the eleven kinds of this package.
func (k Kind) BuiltIn() bool {
	_, ok := builtIn.decoders[k]
	return ok
}

// check refuses a kind that could not be distinguished in a log or on the wire.
func (k Kind) check() error {
	if problem := nameProblem(string(k)); problem != "" {
		return &FieldError{Field: "type", Value: clip(string(k)), Problem: problem}
	}
	return nil
}
