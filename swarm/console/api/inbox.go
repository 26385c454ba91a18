package api

import (
	"encoding/json"
	"time"
)

// An Item is a question that waits for a person, or was answered.
type Item struct {
	ID    string    `json:"id"`
	Type  string    `json:"type" enum:"question,tool"`
	Solve string    `json:"solve"`
	Run   string    `json:"run"`
	Task  string    `json:"task"`
	Asks  string    `json:"asks" doc:"Who asks: an agent, or system for a conflict"`
	Seq   uint64    `json:"seq"`
	Since time.Time `json:"since"`
	Open  bool      `json:"open"`

	Reason  string   `json:"reason"`
	Context string   `json:"context,omitempty"`
	Options []Option `json:"options" doc:"Proposals that an answer may vote for"`
	Tool    *Call    `json:"tool,omitempty"`

	Answer *Answered `json:"answer,omitempty"`
}

// An Option is a proposal that an answer may vote for.
type Option struct {
	Proposal string   `json:"proposal"`
	Letter   string   `json:"letter"`
	Content  string   `json:"content"`
	Support  float64  `json:"support"`
	For      []string `json:"for" doc:"Voters"`
	Against  []string `json:"against"`
}

// A Call is the call of a tool that needs a permission.
type Call struct {
	ID      string          `json:"id,omitempty" doc:"Commits to the call: solve, agent, turn, tool, arguments, definition and rule. An answer counts for it and for nothing else"`
	Agent   string          `json:"agent"`
	Tool    string          `json:"tool"`
	Args    json.RawMessage `json:"args"`
	Why     string          `json:"why"`
	Detail  string          `json:"detail"`
	Changed bool            `json:"changed" doc:"The tool is not what it was when it was allowed"`
	Solve   bool            `json:"solve" doc:"It can be allowed for the whole solve"`
}

// Answered is an answer that was given.
type Answered struct {
	By      string    `json:"by"`
	Time    time.Time `json:"time"`
	Text    string    `json:"text,omitempty"`
	Vote    string    `json:"vote,omitempty" doc:"Proposal"`
	Stance  string    `json:"stance,omitempty"`
	Verdict string    `json:"verdict,omitempty" doc:"Of the call of a tool"`
	Seq     uint64    `json:"seq,omitempty"`
}

// An Answer answers a question: a text, a vote, or both.
type Answer struct {
	Text   string `json:"text,omitempty" maxLength:"65536"`
	Vote   string `json:"vote,omitempty" maxLength:"256" doc:"Id of a proposal"`
	Stance string `json:"stance,omitempty" enum:"agree,disagree,abstain" doc:"Default: agree"`
	By     string `json:"by,omitempty" maxLength:"64" doc:"Name of the person; must not be that of an agent"`
}

// A Verdict answers a question about the call of a tool.
type Verdict struct {
	Verdict string `json:"verdict" enum:"once,solve,deny"`
	Reason  string `json:"reason,omitempty" maxLength:"4096" doc:"Required to deny; the agent sees it"`
	By      string `json:"by,omitempty" maxLength:"64" doc:"Name of the person; must not be that of an agent"`
}
