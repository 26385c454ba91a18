package api

import (
	"encoding/json"
	"time"
)

// A Report is a worker's report as it was sent, beside what was accepted of it.
type Report struct {
	ID       string          `json:"id" doc:"Run and turn"`
	Run      string          `json:"run"`
	Seq      uint64          `json:"seq"`
	Time     time.Time       `json:"time"`
	Worker   string          `json:"worker"`
	Task     string          `json:"task,omitempty"`
	Turn     string          `json:"turn"`
	Model    string          `json:"model,omitempty"`
	Status   string          `json:"status,omitempty"`
	Raw      json.RawMessage `json:"raw,omitempty" doc:"The report as it was sent; absent if the log does not have it"`
	Accepted []ReportPart    `json:"accepted"`
	Rejected []ReportPart    `json:"rejected"`
	Then     []ReportPart    `json:"then" doc:"What followed: decisions on its escalations, and what a watcher says of its worker"`
	Receipt  string          `json:"receipt"`
}

// A ReportPart is a part of a report that was accepted or rejected.
type ReportPart struct {
	Seq    uint64          `json:"seq"`
	Kind   string          `json:"kind"`
	Text   string          `json:"text"`
	Reason string          `json:"reason,omitempty" doc:"Why it was rejected"`
	Body   json.RawMessage `json:"body"`
}

// A Fact is an entry of a memory.
type Fact struct {
	ID         string      `json:"id"`
	Team       string      `json:"team"`
	Content    string      `json:"content"`
	Category   string      `json:"category"`
	State      string      `json:"state"`
	Importance float64     `json:"importance"`
	Score      float64     `json:"score" doc:"Likeness to what was searched, 0 to 1"`
	Time       time.Time   `json:"time"`
	Said       []Statement `json:"said"`
}

// A Statement names the source of a fact.
type Statement struct {
	Source string    `json:"source"`
	Group  string    `json:"group,omitempty"`
	Thread string    `json:"thread"`
	Time   time.Time `json:"time"`
}

// A Revocation revokes the statements of a source.
type Revocation struct {
	Team   string `json:"team" minLength:"1" maxLength:"64"`
	Source string `json:"source" minLength:"1" maxLength:"256"`
}

// Revoked is the result of a revocation.
type Revoked struct {
	Facts []string `json:"facts" doc:"Ids of facts that are no longer recalled"`
	Note  string   `json:"note"`
}
