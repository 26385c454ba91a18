package asking

// Begun is what is on record of a call before it is made: the tool, what it gets, and what allows it.
// Records of older programs have neither Tool nor what follows it.
type Begun struct {
	Begun    bool   `json:"begun"`
	By       string `json:"by,omitempty"` // the attempt, by which a process knows its own
	Tool     string `json:"tool,omitempty"`
	Sent     string `json:"sent,omitempty"`     // [Digest] of the arguments that the tool gets
	Rule     string `json:"rule,omitempty"`     // by which the call was judged
	Asks     bool   `json:"asks,omitempty"`     // the rule allows it by an answer alone
	Question string `json:"question,omitempty"` // whose answer allows the call; "": the rule alone does
}
