package consensus

// Tally is the count of one proposal. Weights are exact to a billionth.
type Tally struct {
	Proposal    string  `json:"proposal"`
	Agree       int     `json:"agree"`       // voters who agree
	Disagree    int     `json:"disagree"`    // voters who disagree
	Abstain     int     `json:"abstain"`     // voters who abstain
	For         float64 `json:"for"`         // weight that agrees
	Against     float64 `json:"against"`     // weight that disagrees
	Probability float64 `json:"probability"` // of being right, by the same reckoning as [Decision.Confidence]
}
