package consensus

// Round is a decision while it is being made: proposals and votes come one by one, and after each one
// [Round.Decision] equals what the strategy decides on [Round.Ballots]. A vote costs the same however many
// there are. It is not safe for concurrent use.
type Round struct{}

// NewRound opens a round; a nil strategy means [Default]. It returns a wrapped [*FieldError] for an option
// out of range.
func NewRound(s Strategy, o *Options) (*Round, error) { return &Round{}, nil }

// Propose adds a proposal. Adding one again changes nothing; an empty id is refused with a wrapped
// [*FieldError], anything after [Round.Close] with [ErrClosed]. Votes on it may have come before and count
// from now on.
func (r *Round) Propose(id string) error { return nil }

// Vote adds a vote, or returns why it is refused, as [Vote.Validate] does, or [ErrClosed]; a refused vote
// changes nothing.
func (r *Round) Vote(v Vote) error { return nil }

// Close ends voting: the decision is no longer [Pending]. It may be called more than once.
func (r *Round) Close() {}

// Closed reports whether voting is closed.
func (r *Round) Closed() bool { return false }

// Decision returns the decision as it stands. It costs a pass over the proposals, not over the votes.
func (r *Round) Decision() Decision { return Decision{} }

// Ballots returns the votes so far. It costs a pass over them.
func (r *Round) Ballots() Ballots { return Ballots{} }
