package signals

import "time"

// A Payload is the content of a signal and names its kind, so that payload and
// kind cannot disagree. It is a value: a struct, string, number or array, never
// a pointer, map, slice, function or channel; what it holds must not change
// once published. Kind is called from any goroutine, on zero values too, and
// returns the same for every value of a type, except for [Raw].
//
// A payload that does not implement [Checker] is not validated. Its JSON may be
// anything except null.
type Payload interface{ Kind() Kind }

// A Checker is a payload that validates itself. Check returns an error for the
// first rule that is broken, preferably a [*FieldError], as the methods of
// [Limits] and [Unit] return; nil means that the payload is valid. It must not
// keep or change anything.
type Checker interface{ Check(Limits) error }

// Task opens a thread: the problem to solve.
type Task struct {
	Task    string `json:"task"`              // required
	Context string `json:"context,omitempty"` // background
	// Schema is a JSON Schema; "": none. The content of proposals is then JSON that conforms to it, in
	// canonical form (RFC 8785), and equal values are one proposal.
	Schema string `json:"schema,omitempty"`
	Ref    string `json:"ref,omitempty"` // what who gives the task calls it, so that giving it again is no second one
	// Attachments are files that the task is about. An agent is shown those that its model can read.
	Attachments Attachments `json:"attachments,omitzero"`
}

// Discovery is something that an agent found.
type Discovery struct {
	Finding   string  `json:"finding"`            // required
	Evidence  string  `json:"evidence,omitempty"` // what supports it
	Relevance float64 `json:"relevance"`          // to the task, in [0,1]
}

// Proposal is a solution that agents can vote on. It is no vote: who proposes and
// wants it counted votes for it too, and who proposes one thing and votes for its
// rival counts for the rival alone.
type Proposal struct {
	ProposalID string `json:"proposalId"` // required; what votes refer to
	Content    string `json:"content"`    // required; the solution
	Reasoning  string `json:"reasoning"`  // why it is good
}

// Doubt says that a signal may be wrong.
type Doubt struct {
	TargetSignalID ID       `json:"targetSignalId"` // required
	Concern        string   `json:"concern"`        // required
	Severity       Severity `json:"severity"`       // required
}

// Challenge argues against a signal and may offer another solution.
type Challenge struct {
	TargetSignalID      ID     `json:"targetSignalId"`  // required
	CounterArgument     string `json:"counterArgument"` // required
	AlternativeProposal string `json:"alternativeProposal,omitempty"`
}

// Vote is one agent's position on one proposal.
type Vote struct {
	ProposalID string  `json:"proposalId"` // required
	Stance     Stance  `json:"stance"`     // required
	Reasoning  string  `json:"reasoning,omitempty"`
	Weight     float64 `json:"weight"` // in [0,1]
}

// Conflict says that two signals cannot both stand.
type Conflict struct {
	SignalA     ID     `json:"signalA"`     // required; the older one
	SignalB     ID     `json:"signalB"`     // required; the newer one
	Description string `json:"description"` // what the conflict is about
}

// Consensus announces a decision.
type Consensus struct {
	ProposalID string  `json:"proposalId"` // required; the winner
	Decision   string  `json:"decision"`   // required; the winner's content
	Confidence float64 `json:"confidence"` // in [0,1]: the probability of being right
}

// Escalation asks someone outside the swarm to look.
type Escalation struct {
	Reason  string `json:"reason"` // required
	Context string `json:"context"`
}

// Memory is a fact shared with everyone.
type Memory struct {
	Content    string  `json:"content"`         // required
	Category   string  `json:"category"`        // required
	Importance float64 `json:"importance"`      // in [0,1]
	Origin     Origin  `json:"origin,omitzero"` // of a fact that the system recalled; zero: the source says so itself
}

// Origin says where a fact that the system recalled comes from, and how far it can be
// relied on. In a signal of anybody else it means nothing.
type Origin struct {
	Fact   string    `json:"fact"`            // its id in the memory
	State  string    `json:"state"`           // what the memory calls it, such as "confirmed"
	Source string    `json:"source"`          // who said it first
	Group  string    `json:"group,omitempty"` // of the source
	Thread string    `json:"thread"`          // in which it was said
	Signal ID        `json:"signal"`          // that said it
	Time   time.Time `json:"time"`            // when
}

// ToolResult is what a tool call returned.
type ToolResult struct {
	ToolName    string  `json:"toolName"` // required
	Result      string  `json:"result"`
	IsError     bool    `json:"isError"`
	DurationMs  float64 `json:"durationMs"`  // milliseconds, at least 0
	TriggeredBy string  `json:"triggeredBy"` // required; the agent that called
	// Witnessed says that a tool of the swarm's process returned it, and not only that the agent says so. A swarm sets
	// it; what an agent states is overwritten.
	Witnessed bool `json:"witnessed,omitempty"`
}

// Kind returns KindTask.
func (Task) Kind() Kind { return KindTask }

// Kind returns KindDiscovery.
func (Discovery) Kind() Kind { return KindDiscovery }

// Kind returns KindProposal.
func (Proposal) Kind() Kind { return KindProposal }

// Kind returns KindDoubt.
func (Doubt) Kind() Kind { return KindDoubt }

// Kind returns KindChallenge.
func (Challenge) Kind() Kind { return KindChallenge }

// Kind returns KindVote.
func (Vote) Kind() Kind { return KindVote }

// Kind returns KindConflict.
func (Conflict) Kind() Kind { return KindConflict }

// Kind returns KindConsensus.
func (Consensus) Kind() Kind { return KindConsensus }

// Kind returns KindEscalation.
func (Escalation) Kind() Kind { return KindEscalation }

// Kind returns KindMemory.
func (Memory) Kind() Kind { return KindMemory }

// Kind returns KindToolResult.
func (ToolResult) Kind() Kind { return KindToolResult }

// Check implements [Checker].
func (p Task) Check(l Limits) error {
	return first(l.Required("task", p.Task), l.Text("context", p.Context), l.Text("schema", p.Schema), l.Text("ref", p.Ref), p.Attachments.check(l))
}

// Check implements [Checker].
func (p Discovery) Check(l Limits) error {
	return first(
		l.Required("finding", p.Finding),
		l.Text("evidence", p.Evidence),
		Unit("relevance", p.Relevance),
	)
}

// Check implements [Checker].
func (p Proposal) Check(l Limits) error {
	return first(
		l.Name("proposalId", p.ProposalID),
		l.Required("content", p.Content),
		l.Text("reasoning", p.Reasoning),
	)
}

// Check implements [Checker].
func (p Doubt) Check(l Limits) error {
	return first(
		l.Ref("targetSignalId", p.TargetSignalID),
		l.Required("concern", p.Concern),
		severities.Check(p.Severity),
	)
}

// Check implements [Checker].
func (p Challenge) Check(l Limits) error {
	return first(
		l.Ref("targetSignalId", p.TargetSignalID),
		l.Required("counterArgument", p.CounterArgument),
		l.Text("alternativeProposal", p.AlternativeProposal),
	)
}

// Check implements [Checker].
func (p Vote) Check(l Limits) error {
	return first(
		l.Name("proposalId", p.ProposalID),
		stances.Check(p.Stance),
		l.Text("reasoning", p.Reasoning),
		Unit("weight", p.Weight),
	)
}

// Check implements [Checker].
func (p Conflict) Check(l Limits) error {
	return first(
		l.Ref("signalA", p.SignalA),
		l.Ref("signalB", p.SignalB),
		l.Text("description", p.Description),
	)
}

// Check implements [Checker].
func (p Consensus) Check(l Limits) error {
	return first(
		l.Name("proposalId", p.ProposalID),
		l.Required("decision", p.Decision),
		Unit("confidence", p.Confidence),
	)
}

// Check implements [Checker].
func (p Escalation) Check(l Limits) error {
	return first(l.Required("reason", p.Reason), l.Text("context", p.Context))
}

// Check implements [Checker].
func (p Memory) Check(l Limits) error {
	return first(
		l.Required("content", p.Content),
		l.Name("category", p.Category),
		Unit("importance", p.Importance),
		p.Origin.check(),
	)
}

func (o Origin) check() error {
	if o == (Origin{}) {
		return nil
	}
	return first(
		Limits{}.Name("origin.fact", o.Fact),
		Limits{}.Name("origin.state", o.State),
		Limits{}.Name("origin.source", o.Source),
		optionalName("origin.group", o.Group),
		optionalName("origin.thread", o.Thread),
		checkTime(o.Time),
	)
}

// Check implements [Checker].
func (p ToolResult) Check(l Limits) error {
	return first(
		l.Name("toolName", p.ToolName),
		l.Text("result", p.Result),
		AtLeastZero("durationMs", p.DurationMs),
		l.Name("triggeredBy", p.TriggeredBy),
	)
}
