package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/swarmbus/swarmbus/internal/text"
)

// A Backend implements the routes. All methods are called concurrently. An error is an
// [Error], or counts as an error of the server.
type Backend struct {
	Solves  Solves
	Inbox   Inbox
	Rooms   Rooms
	Agents  Agents
	Reports Reports
	Memory  Memory
	Runs    Runs
	System  System
}

// Solves are the solves of all runs.
type Solves interface {
	Teams(ctx context.Context) ([]Team, error)
	Start(ctx context.Context, n NewSolve) (Solve, error)
	List(ctx context.Context, q SolvesQuery) ([]Solve, error)
	// Get returns a solve, with only those of its votes, steps and signals after a position.
	Get(ctx context.Context, id string, after uint64) (SolveDetail, error)
	// Changed waits until a solve is not as it was seen: it has a newer signal, or another state, or
	// its agents are saying something else. It has no route: clients have the feed.
	Changed(ctx context.Context, seen Solve) error
	Cancel(ctx context.Context, id string) (Solve, error)
	// Resume continues a solve that was interrupted or cancelled.
	Resume(ctx context.Context, id string) (Solve, error)
	Tell(ctx context.Context, id string, o Outcome) (Solve, error)
	// Retract takes a signal of a solve back.
	Retract(ctx context.Context, id string, r Retraction) (SolveDetail, error)
	// Say gives the agents of a solve that is not over a message of a person.
	Say(ctx context.Context, id string, m Message) (Solve, error)
	// Seat lets an agent of the bench join a solve that is not over, or takes one out.
	Seat(ctx context.Context, id string, m Seat) (Solve, error)
	// WhatIf decides on the votes up to a position; 0: all.
	WhatIf(ctx context.Context, id string, at uint64, thresholds []float64) (WhatIf, error)
	Conflicts(ctx context.Context, q ConflictsQuery) ([]Conflict, error)
}

// Inbox has the items that wait for a person.
type Inbox interface {
	Items(ctx context.Context, all bool) ([]Item, error)
	Item(ctx context.Context, id string) (Item, error)
	Answer(ctx context.Context, id string, a Answer) (Item, error)
	Decide(ctx context.Context, id string, v Verdict) (Item, error)
}

// Rooms are those of the office.
type Rooms interface {
	Rooms(ctx context.Context) ([]Room, error)
	Room(ctx context.Context, room string) (Room, error)
	Create(ctx context.Context, room string) (Room, error)
	// Page returns the newest events of a room before a position; 0: the newest.
	Page(ctx context.Context, room string, before uint64, limit int) (RoomEvents, error)
	Say(ctx context.Context, room string, m NewMessage) (Receipt, error)
	Read(ctx context.Context, room string, through uint64) (Room, error)
	// Seat makes an agent of the office a member of a room until the office opens again, or ends that.
	Seat(ctx context.Context, room string, m Seat) (Room, error)
	Section(ctx context.Context, room string, ix int) (RoomEvent, error)
}

// Agents are those of all teams and rooms.
type Agents interface {
	Agents(ctx context.Context) ([]Agent, error)
	// Explain returns the decision of an agent's router about a signal of a run, or with 0
	// its routes.
	Explain(ctx context.Context, team, agent string, seq uint64) (Explanation, error)
}

// Reports are those of workers.
type Reports interface {
	Reports(ctx context.Context, run, worker string, limit int) ([]Report, error)
}

// Memory is the knowledge of teams.
type Memory interface {
	Search(ctx context.Context, q MemoryQuery) ([]Fact, error)
	Revoke(ctx context.Context, r Revocation) (Revoked, error)
}

// Runs are the journals.
type Runs interface {
	Runs(ctx context.Context) ([]Run, error)
	Run(ctx context.Context, run string) (Run, error)
	Signals(ctx context.Context, q SignalsQuery) (Signals, error)
	Replay(ctx context.Context, run string) (ReplayCheck, error)
	Verify(ctx context.Context, run string, receipts bool) (Verification, error)
	Compare(ctx context.Context, a, b string) (Comparison, error)
}

// System is the server itself.
type System interface {
	Health(ctx context.Context) (Health, error)
	// Metrics returns the counts in the text format of Prometheus.
	Metrics(ctx context.Context) ([]byte, error)
	Session(ctx context.Context) (Session, error)
}

// A SolvesQuery selects solves; the newest first.
type SolvesQuery struct {
	Run   string `query:"run" doc:"Of this run"`
	Team  string `query:"team" doc:"Of this team"`
	State string `query:"state" enum:"running,waiting,decided,undecided,interrupted,failed"`
	Text  string `query:"q" maxLength:"256" doc:"In the task or the answer, in any case"`
	Limit int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
}

// A ConflictsQuery selects conflicts; the newest first.
type ConflictsQuery struct {
	Run   string `query:"run"`
	Solve string `query:"solve"`
	Open  bool   `query:"open" doc:"Only open ones"`
	Limit int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
}

// A MemoryQuery searches memories.
type MemoryQuery struct {
	Text        string   `query:"q" required:"true" minLength:"1" maxLength:"4096"`
	Team        string   `query:"team" doc:"Default: all teams"`
	Categories  []string `query:"category,explode"`
	Quarantined bool     `query:"quarantined" doc:"Quarantined facts too"`
	Limit       int      `query:"limit" minimum:"1" maximum:"256" default:"20"`
}

// A SignalsQuery selects signals of a run. All conditions hold; bounds are inclusive,
// but for After.
type SignalsQuery struct {
	Run           string    `path:"run"`
	Thread        []string  `query:"thread,explode"`
	Kind          []string  `query:"kind,explode"`
	Source        string    `query:"source"`
	After         uint64    `query:"after"`
	Since         time.Time `query:"since"`
	Until         time.Time `query:"until"`
	ReplyTo       string    `query:"replyTo"`
	MinConfidence float64   `query:"minConfidence" minimum:"0" maximum:"1"`
	Limit         int       `query:"limit" minimum:"1" maximum:"1000" default:"100"`
}

// An Error is a problem (RFC 9457).
type Error struct {
	huma.ErrorModel
	Answered *Answered `json:"answered,omitempty" doc:"The answer that was first"`
}

// NewError returns an error with a status and an explanation.
func NewError(status int, detail string) *Error {
	e := &Error{}
	e.Title, e.Status, e.Detail = http.StatusText(status), status, detail
	return e
}

// Refuse answers a request with a problem: an [Error], or one of the server.
func Refuse(w http.ResponseWriter, err error) {
	of := problemOf(err)
	of.Detail = text.Cut(of.Detail, mostDetail)
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(of.Status)
	_ = json.NewEncoder(w).Encode(of) // the client may have gone
}

// NewFieldError returns an error that names the member of the body that is wrong, and its value.
func NewFieldError(field, value, problem, detail string) *Error {
	e := NewError(http.StatusUnprocessableEntity, detail)
	e.Errors = []*huma.ErrorDetail{{Message: problem, Location: "body." + field, Value: value}}
	return e
}
