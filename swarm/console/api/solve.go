package api

import (
	"encoding/json"
	"time"
)

// States of a solve.
const (
	Running     = "running"
	Waiting     = "waiting"     // for a person
	Decided     = "decided"     // there is an answer
	Undecided   = "undecided"   // it stopped without one
	Interrupted = "interrupted" // its process ended, or it was cancelled; it can continue
	Failed      = "failed"
)

// A Solve is a solve in a list.
type Solve struct {
	ID     string `json:"id" doc:"RUN.THREAD"`
	Run    string `json:"run"`
	Thread string `json:"thread"`
	Team   string `json:"team,omitempty" doc:"The team that works on it, if this server has it"`
	Task   string `json:"task"`

	// Known says of a solve that was started that its log had it already.
	Known bool `json:"-"`

	State  string `json:"state" enum:"running,waiting,decided,undecided,interrupted,failed"`
	Stop   string `json:"stop,omitempty" doc:"Why it stopped: consensus, rejected, deadlock, uncertified, max-rounds, no-progress, budget, deadline, cancelled, escalated, asked, expired or error"`
	Detail string `json:"detail,omitempty" doc:"Why it stopped, in words"`
	Answer string `json:"answer,omitempty"`
	// Revised reports that a retraction after the decision changes it.
	Revised bool `json:"revised,omitempty" doc:"The votes that are left do not decide the same: something was taken back after the decision, which stays on record"`

	Leader    *Leader   `json:"leader,omitempty" doc:"The proposal with the most support; absent on a tie"`
	Threshold float64   `json:"threshold"`
	Spark     []float64 `json:"spark" doc:"The newest leader's support over time, at most 32 points"`
	Quorate   int       `json:"quorate" doc:"Index of the first point of spark with a quorum; their number if none has one"`
	Voters    int       `json:"voters" doc:"How many have voted"`
	Quorum    int       `json:"quorum"`

	Agents  int        `json:"agents"`
	Rounds  int        `json:"rounds"`
	Signals int        `json:"signals"`
	Waits   int        `json:"waits" doc:"Questions that wait for a person"`
	Began   time.Time  `json:"began"`
	Ended   *time.Time `json:"ended,omitempty" doc:"When it stopped; signals may follow, such as an outcome or a retraction"`
	Updated time.Time  `json:"updated" doc:"Time of its newest signal"`
	Seq     uint64     `json:"seq" doc:"Position of its newest signal"`

	// Saying has what the models of a solve that runs here are saying.
	Saying map[string]string `json:"saying,omitempty" doc:"While it runs: what its agents are saying, of answers that are not complete the end, by agent. It is in no log"`

	Budget *Budget `json:"budget,omitempty"`
	Cost   Cost    `json:"cost"`
}

// A Leader is the proposal that leads.
type Leader struct {
	Proposal   string  `json:"proposal"`
	Content    string  `json:"content"`
	Support    float64 `json:"support"`
	Confidence float64 `json:"confidence" doc:"Probability of being right"`
	Learned    bool    `json:"learned" doc:"The probability is based on what was learned of the voters"`
}

// A Budget is a limit and the amount used.
type Budget struct {
	Limit string  `json:"limit" doc:"Such as 0.50usd or 20000tokens"`
	Used  float64 `json:"used" doc:"Fraction; above 1 if the last call cost more than was left"`
}

// Cost is the cost of a solve.
type Cost struct {
	Calls        int     `json:"calls"`
	InputTokens  int     `json:"inputTokens"`
	CachedTokens int     `json:"cachedTokens,omitempty"`
	OutputTokens int     `json:"outputTokens"`
	Dollars      float64 `json:"dollars,omitempty"`
	Seconds      float64 `json:"seconds,omitempty"`
}

// An AgentCost is the cost of an agent.
type AgentCost struct {
	Agent string `json:"agent"`
	Cost
}

// A SolveDetail is the whole state of a solve in its log.
type SolveDetail struct {
	Solve

	Context string   `json:"context,omitempty"`
	Ref     string   `json:"ref,omitempty" doc:"What the client that gave the task calls it"`
	Terms   Terms    `json:"terms"`
	Lanes   []string `json:"lanes" doc:"Who said something: agents, then people"`

	Proposals []Proposal `json:"proposals" doc:"In log order; equal ones are one"`
	Votes     []Vote     `json:"votes" doc:"Every vote, in log order"`
	Steps     []Step     `json:"steps" doc:"Support after each signal that changed it"`
	RoundList []Round    `json:"roundList"` // not Rounds, which hides that of Solve from the description
	Said      []Said     `json:"said" doc:"Every signal in words, in log order"`

	Conflicts   []Conflict   `json:"conflicts"`
	Debates     []Debate     `json:"debates"`
	Escalations []Escalation `json:"escalations"`
	Calls       []Item       `json:"calls" doc:"Calls of tools that wait for a permission, as in the inbox"`
	Costs       []AgentCost  `json:"costs"`
	Obstacles   []string     `json:"obstacles" doc:"What withholds a decision"`

	Decision  *Decision  `json:"decision,omitempty" doc:"The newest one on record"`
	Turn      *Turning   `json:"turn,omitempty" doc:"What turned it"`
	Revision  *Revision  `json:"revision,omitempty" doc:"What the votes decide without what was taken back after the decision; absent: nothing was. Leader, proposals, steps and rests go by it"`
	Synthesis *Synthesis `json:"synthesis,omitempty" doc:"The answer as a text, once it stopped"`
	Fields    []Field    `json:"fields,omitempty" doc:"Of the value that was chosen, or leads, if the task has a schema: what is agreed on, once it stopped"`
	Rests     []Rest     `json:"rests" doc:"What the decision rests on: what it would be without each voter"`
	Trace     *Trace     `json:"trace,omitempty"`
}

// A Field is a part of a value, with how many of those who stand for one have the same there.
type Field struct {
	Path  string  `json:"path" doc:"Such as owner or at.line; empty: the whole value"`
	Value string  `json:"value,omitempty" doc:"JSON; absent: the value has no such member"`
	Agree int     `json:"agree"`
	Of    int     `json:"of" doc:"How many stand for a value"`
	Other []Other `json:"other,omitempty" doc:"What others have instead, most first"`
}

// Other is what some have in a field instead.
type Other struct {
	Value string   `json:"value,omitempty" doc:"JSON; absent: no such member"`
	By    []string `json:"by"`
}

// Terms are the rules of a decision.
type Terms struct {
	Strategy   string   `json:"strategy" doc:"Or the mode, where the agents do not deliberate"`
	Reason     string   `json:"reason,omitempty" doc:"Why this mode"`
	Threshold  float64  `json:"threshold" doc:"Of support; 1e-9: the most support decides"`
	Quorum     int      `json:"quorum"`
	Electorate []string `json:"electorate,omitempty" doc:"Who may vote; absent: anyone"`
	Learns     bool     `json:"learns" doc:"The decision uses what was learned of the voters"`
}

// A Proposal is one that agents vote on.
type Proposal struct {
	ID        string   `json:"id"`
	Letter    string   `json:"letter" doc:"A, B, … in the order in which they were made"`
	Seq       uint64   `json:"seq"`
	Round     int      `json:"round"`
	By        []string `json:"by" doc:"Who proposed it, the first one first"`
	Aliases   []string `json:"aliases,omitempty" doc:"Ids of equal proposals"`
	Content   string   `json:"content"`
	Reasoning string   `json:"reasoning,omitempty"`
	Lost      bool     `json:"lost,omitempty" doc:"It lost a conflict and cannot be chosen"`

	Agree       int     `json:"agree"`
	Disagree    int     `json:"disagree"`
	Abstain     int     `json:"abstain"`
	For         float64 `json:"for" doc:"Weight"`
	Against     float64 `json:"against" doc:"Weight"`
	Support     float64 `json:"support" doc:"Share that is compared with the threshold"`
	Probability float64 `json:"probability"`
}

// A Vote is a vote as it was cast.
type Vote struct {
	Seq         uint64  `json:"seq"`
	Round       int     `json:"round"`
	Voter       string  `json:"voter"`
	Model       string  `json:"model,omitempty" doc:"The model that answered in place of the voter's own"`
	Proposal    string  `json:"proposal" doc:"Id under which the vote counts"`
	Stance      string  `json:"stance" enum:"agree,disagree,abstain"`
	Weight      float64 `json:"weight"`
	Reasoning   string  `json:"reasoning,omitempty"`
	CausalLevel string  `json:"causalLevel,omitempty"`
	Counts      bool    `json:"counts" doc:"It is the voter's newest on the proposal that was not taken back"`
	Out         uint64  `json:"out,omitempty" doc:"Position of the signal since which it counts no more: it, or all that it rests on, was taken back"`
	Was         *Was    `json:"was,omitempty" doc:"The voter's vote that this one changes"`
}

// Was is a vote that a later one replaced.
type Was struct {
	Seq      uint64  `json:"seq"`
	Proposal string  `json:"proposal"`
	Stance   string  `json:"stance"`
	Weight   float64 `json:"weight"`
}

// A Step is the state of the votes after a signal.
type Step struct {
	Seq        uint64             `json:"seq"`
	Support    map[string]float64 `json:"support" doc:"By proposal; absent ones have none"`
	None       float64            `json:"none" doc:"Support of none of the proposals"`
	Leader     string             `json:"leader,omitempty"`
	Confidence float64            `json:"confidence"`
	Outcome    string             `json:"outcome" enum:"pending,reached,rejected,deadlocked,uncertified"`
	Voters     int                `json:"voters"`
}

// A Round is a round of turns.
type Round struct {
	Round  int       `json:"round"`
	Seq    uint64    `json:"seq" doc:"Where it begins"`
	Time   time.Time `json:"time"`
	Turns  []string  `json:"turns"`
	Debate string    `json:"debate,omitempty" doc:"The step of a debate, in words"`
	Late   []string  `json:"late,omitempty"`
	Failed []string  `json:"failed,omitempty"`
	Passed []string  `json:"passed,omitempty"`
}

// Said is a signal in words.
type Said struct {
	Seq   uint64    `json:"seq"`
	ID    string    `json:"id"`
	Time  time.Time `json:"time"`
	Round int       `json:"round"`
	By    string    `json:"by"`
	Kind  string    `json:"kind" doc:"Of the signal, such as vote"`
	Form  string    `json:"form" enum:"task,round,finding,proposal,vote,doubt,challenge,conflict,settled,consensus,escalation,answer,memory,tool,passed,late,failed,same,terms,decided,outcome,note,other" doc:"How to show it"`
	About string    `json:"about" enum:"argument,vote,person,system" doc:"For the filter"`

	Text     string   `json:"text"`
	Reason   string   `json:"reason,omitempty" doc:"Reasoning, evidence or context"`
	Proposal string   `json:"proposal,omitempty"`
	Target   uint64   `json:"target,omitempty" doc:"Position of the signal that it is about"`
	Stance   string   `json:"stance,omitempty"`
	Weight   *float64 `json:"weight,omitempty"`
	Severity string   `json:"severity,omitempty"`
	Level    string   `json:"level,omitempty" doc:"Causal level"`
	Sure     float64  `json:"sure" doc:"Confidence of the source"`
	Was      *Was     `json:"was,omitempty"`
	To       []string `json:"to,omitempty" doc:"Who it is addressed to; absent: everyone"`
	Error    bool     `json:"error,omitempty" doc:"A tool failed"`
	Millis   float64  `json:"millis,omitempty" doc:"Duration of a tool's call"`
}

// A Conflict is one between two proposals.
type Conflict struct {
	Solve   string    `json:"solve"`
	Seq     uint64    `json:"seq" doc:"Of the proposal that opened it"`
	Time    time.Time `json:"time"`
	A       string    `json:"a" doc:"Id of the older proposal"`
	B       string    `json:"b"`
	TextA   string    `json:"textA"`
	TextB   string    `json:"textB"`
	Open    bool      `json:"open"`
	How     string    `json:"how,omitempty" doc:"What settled it: same, majority, debate, escalate; absent: the decision, or nothing"`
	Winner  string    `json:"winner,omitempty" doc:"Proposal"`
	Reason  string    `json:"reason,omitempty"`
	Settled uint64    `json:"settled,omitempty" doc:"Position"`
}

// A Debate is one about a conflict.
type Debate struct {
	A         string     `json:"a"`
	B         string     `json:"b"`
	ForA      string     `json:"forA" doc:"Who argues for A"`
	ForB      string     `json:"forB"`
	Seq       uint64     `json:"seq"`
	Ended     uint64     `json:"ended,omitempty" doc:"Position of its outcome"`
	Winner    string     `json:"winner,omitempty"`
	Reason    string     `json:"reason,omitempty"`
	Arguments []Argument `json:"arguments"`
}

// An Argument is one of a debate.
type Argument struct {
	Seq  uint64 `json:"seq"`
	By   string `json:"by"`
	For  string `json:"for" doc:"Proposal"`
	Part string `json:"part" enum:"attack,answer"`
	Text string `json:"text"`
}

// An Escalation is a question to a person or program outside, with its answer.
type Escalation struct {
	Seq     uint64    `json:"seq"`
	By      string    `json:"by"`
	Time    time.Time `json:"time"`
	Reason  string    `json:"reason"`
	Context string    `json:"context,omitempty"`
	Item    string    `json:"item,omitempty" doc:"In the inbox, while it waits"`
	Answer  *Answered `json:"answer,omitempty"`
}

// A Decision is one of a solve.
type Decision struct {
	Strategy   string      `json:"strategy"`
	Outcome    string      `json:"outcome" enum:"pending,reached,rejected,deadlocked,uncertified,contested,settled,answered"`
	Choice     string      `json:"choice,omitempty"`
	Leaders    []string    `json:"leaders"`
	Support    float64     `json:"support"`
	None       float64     `json:"none"`
	Confidence float64     `json:"confidence"`
	Learned    bool        `json:"learned"`
	Voters     int         `json:"voters"`
	Reason     string      `json:"reason" doc:"The decision in a sentence: outcome, choice, why, quorum and probability"`
	Because    string      `json:"because,omitempty"`
	Firmness   string      `json:"firmness,omitempty" doc:"The fewest who could have made it fall, and how many independent voters the voters are worth"`
	Note       string      `json:"note,omitempty"`
	Withheld   string      `json:"withheld,omitempty" doc:"Why the proposal that the votes chose was not"`
	Dissent    []Vote      `json:"dissent"`
	Uncounted  []Uncounted `json:"uncounted"`
}

// A Revision is the decision by the votes of a solve without the signals taken back after its
// decision, which stays on record.
type Revision struct {
	Said    []uint64 `json:"said" doc:"Positions of the signals that took something back"`
	Changed bool     `json:"changed" doc:"It is another decision"`
	Decision
}

// A Synthesis is the answer as a text.
type Synthesis struct {
	Text string `json:"text" doc:"With the positions of the signals that each sentence is from, such as [12]"`
	By   string `json:"by,omitempty" doc:"Who wrote it; absent: the template"`
	Why  string `json:"why,omitempty" doc:"Why it is by the template, though somebody was asked to write it"`
}

// Uncounted are votes that did not count.
type Uncounted struct {
	Voter    string `json:"voter"`
	Proposal string `json:"proposal"`
	Cause    string `json:"cause"`
	Votes    int    `json:"votes"`
}

// A Turning is the signal after which the leader led for good.
type Turning struct {
	Seq      uint64   `json:"seq"`
	By       string   `json:"by"`
	Text     string   `json:"text"`
	From     string   `json:"from,omitempty" doc:"The proposal that led before"`
	To       string   `json:"to"`
	Changers []string `json:"changers" doc:"Voters who changed to it"`
	Cause    uint64   `json:"cause,omitempty" doc:"Position of what the vote replies to"`
}

// A Rest is the decision without one voter.
type Rest struct {
	Voter   string  `json:"voter"`
	Outcome string  `json:"outcome"`
	Choice  string  `json:"choice,omitempty"`
	Support float64 `json:"support"`
	Falls   bool    `json:"falls" doc:"The choice would not be made"`
}

// A Trace is where the trace of a solve is.
type Trace struct {
	ID  string `json:"id"`
	URL string `json:"url,omitempty" doc:"In Jaeger"`
}

// WhatIf is the decision by each strategy at each threshold, on the same ballots.
type WhatIf struct {
	At         uint64     `json:"at" doc:"Position up to which votes count"`
	Actual     Cell       `json:"actual" doc:"By the terms of the solve"`
	Strategies []WhatRow  `json:"strategies"`
	Thresholds []float64  `json:"thresholds"`
	Proposals  []Proposal `json:"proposals"`
}

// A WhatRow is a strategy at each threshold.
type WhatRow struct {
	Strategy string             `json:"strategy"`
	Support  map[string]float64 `json:"support" doc:"By proposal"`
	None     float64            `json:"none"`
	Cells    []Cell             `json:"cells" doc:"One for each threshold"`
}

// A Cell is one decision.
type Cell struct {
	Strategy   string  `json:"strategy"`
	Threshold  float64 `json:"threshold"`
	Outcome    string  `json:"outcome"`
	Choice     string  `json:"choice,omitempty"`
	Leader     string  `json:"leader,omitempty"`
	Support    float64 `json:"support"`
	Confidence float64 `json:"confidence"`
	Withheld   string  `json:"withheld,omitempty"`
	Same       bool    `json:"same" doc:"The outcome and the choice are the actual ones"`
}

// A NewSolve starts a solve.
type NewSolve struct {
	Team    string `json:"team" minLength:"1" maxLength:"64"`
	Task    string `json:"task" minLength:"1" maxLength:"65536"`
	Context string `json:"context,omitempty" maxLength:"65536"`
	// Schema is a JSON Schema.
	Schema json.RawMessage `json:"schema,omitempty" doc:"JSON Schema that answers conform to. Default: that of the team, or none"`

	Ref string `json:"ref,omitempty" maxLength:"512" doc:"What the client calls the task; a solve of the team with the same one is the answer, and none begins"`

	Attachments []Attachment `json:"attachments,omitempty" maxItems:"8" doc:"Files that the task is about, of at most 512 KiB together"`

	FactsDiffer *bool `json:"factsDiffer,omitempty" doc:"The agents know different facts, all of which matter, which the mode auto goes by. Default: what the team says"`
	Checkable   *bool `json:"checkable,omitempty" doc:"Who has a right answer can prove it to the others, which auto goes by. Default: what the team says"`
}

// An Attachment is a file of a task.
type Attachment struct {
	Name string `json:"name" minLength:"1" maxLength:"256"`
	Type string `json:"type,omitempty" maxLength:"256" doc:"Media type, such as image/png. Default: by what the file begins with"`
	Data []byte `json:"data" doc:"In base64"`
}

// An Outcome names the proposal that was right.
type Outcome struct {
	Right string `json:"right" maxLength:"256" doc:"Id of a proposal; empty: none of them"`
}

// A Message is what a person says to the agents of a solve.
type Message struct {
	Text string   `json:"text" minLength:"1" maxLength:"65536" doc:"What the agents hear in their next turns, unless their routes say otherwise; not blank"`
	To   []string `json:"to,omitempty" maxItems:"256" doc:"Agents of the solve; default: all of them"`
	By   string   `json:"by,omitempty" maxLength:"64" doc:"Name of the person; must not be that of an agent"`
}

// A Seat is that of an agent that joins a solve or a room, or leaves it.
type Seat struct {
	Agent  string
	Leaves bool   // false: it joins
	By     string // who asked for it; "": whoever the token names
}

// A Retraction takes a signal back: signals that rest on it alone do not count any more.
type Retraction struct {
	Seq    uint64 `json:"seq" minimum:"1" doc:"Position of the signal"`
	Reason string `json:"reason" minLength:"1" maxLength:"4096" doc:"Why it does not hold; not blank"`
	By     string `json:"by,omitempty" maxLength:"64" doc:"Name of the person; must not be that of an agent"`
}
