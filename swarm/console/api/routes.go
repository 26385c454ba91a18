package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// With is a body of a request or an answer. It is exported, as are the types below, because
// requests embed it.
type With[T any] struct{ Body T }

// ByID names a solve or an item.
type ByID struct {
	ID string `path:"id" maxLength:"256"`
}

// ByRoom names a room.
type ByRoom struct {
	Room string `path:"room" maxLength:"64"`
}

// ByRun names a run.
type ByRun struct {
	Run string `path:"run" maxLength:"128"`
}

// to is a request about a solve or an item.
type to[T any] struct {
	ByID
	With[T]
}

type none struct{}

// A route is an operation without its types.
func route(id, method, path, tag, summary string, status ...int) huma.Operation {
	return huma.Operation{
		OperationID: id, Method: method, Path: Prefix + path, Tags: []string{tag}, Summary: summary,
		Errors: append([]int{http.StatusUnauthorized}, status...),
	}
}

func add[I, O any](a huma.API, op huma.Operation, call func(context.Context, *I) (O, error)) {
	huma.Register(a, op, func(ctx context.Context, in *I) (*With[O], error) {
		out, err := call(ctx, in)
		if err != nil {
			return nil, problem(err)
		}
		return &With[O]{out}, nil
	})
}

func (b *Backend) solves(a huma.API) {
	add(a, route("list-teams", "GET", "/teams", "solves", "Teams that can be given a task"), func(ctx context.Context, _ *none) ([]Team, error) {
		return b.Solves.Teams(ctx)
	})
	start := route("start-solve", "POST", "/solves", "solves", "Start a solve", 404, 409, 422, 503)
	start.DefaultStatus = http.StatusCreated
	start.Description = "Starts a solve. One that there is already, with the same ref or in a log of several machines, is the answer with 200; by other terms such a log answers with 409."
	start.Responses = map[string]*huma.Response{"200": {
		Description: "The solve that there is already", Content: map[string]*huma.MediaType{"application/json": {Schema: a.OpenAPI().Components.Schemas.Schema(typeOf[Solve](), true, "Solve")}},
	}}
	type started struct {
		Status int
		Body   Solve
	}
	huma.Register(a, start, func(ctx context.Context, in *With[NewSolve]) (*started, error) {
		one, err := b.Solves.Start(ctx, in.Body)
		if err != nil {
			return nil, problem(err)
		}
		if one.Known {
			return &started{http.StatusOK, one}, nil
		}
		return &started{http.StatusCreated, one}, nil
	})
	add(a, route("list-solves", "GET", "/solves", "solves", "Solves, the newest first", 404), func(ctx context.Context, in *SolvesQuery) ([]Solve, error) {
		return b.Solves.List(ctx, *in)
	})
	type one struct {
		ByID
		After uint64 `query:"after" doc:"Only votes, steps and signals after this position"`
	}
	add(a, route("get-solve", "GET", "/solves/{id}", "solves", "Everything that the log of a solve says", 404), func(ctx context.Context, in *one) (SolveDetail, error) {
		return b.Solves.Get(ctx, in.ID, in.After)
	})
	add(a, route("cancel-solve", "POST", "/solves/{id}/cancel", "solves", "Cancel a solve that runs or waits", 404, 409), func(ctx context.Context, in *ByID) (Solve, error) {
		return b.Solves.Cancel(ctx, in.ID)
	})
	add(a, route("resume-solve", "POST", "/solves/{id}/resume", "solves", "Continue a solve that was interrupted or cancelled", 404, 409, 503), func(ctx context.Context, in *ByID) (Solve, error) {
		return b.Solves.Resume(ctx, in.ID)
	})
	type other struct {
		ByID
		At         uint64    `query:"at" doc:"Only votes up to this position of the log, which has it; default: all"`
		Thresholds []float64 `query:"threshold,explode" maxItems:"32" doc:"Default: 0.5, 0.6, 0.7, 0.8, 0.9 and that of the solve"`
	}
	add(a, route("what-if", "GET", "/solves/{id}/whatif", "solves", "Decide on the same ballots by every strategy and threshold", 400, 404, 422), func(ctx context.Context, in *other) (WhatIf, error) {
		return b.Solves.WhatIf(ctx, in.ID, in.At, in.Thresholds)
	})
	add(a, route("list-conflicts", "GET", "/conflicts", "solves", "Conflicts between proposals, the newest first", 404), func(ctx context.Context, in *ConflictsQuery) ([]Conflict, error) {
		return b.Solves.Conflicts(ctx, *in)
	})
}

// said are the routes by which somebody says something of a solve.
func (b *Backend) said(a huma.API) {
	add(a, route("tell-outcome", "PUT", "/solves/{id}/outcome", "solves", "Say which proposal turned out to be right", 404, 409, 422), func(ctx context.Context, in *to[Outcome]) (Solve, error) {
		return b.Solves.Tell(ctx, in.ID, in.Body)
	})
	add(a, route("retract", "POST", "/solves/{id}/retractions", "solves", "Take back a signal, and get the solve with what that changes", 404, 409, 422), func(ctx context.Context, in *to[Retraction]) (SolveDetail, error) {
		return b.Solves.Retract(ctx, in.ID, in.Body)
	})
	tell := route("say-to-solve", "POST", "/solves/{id}/messages", "solves", "Say something to the agents of a solve that is not over", 404, 409, 422, 503)
	tell.DefaultStatus = http.StatusCreated
	add(a, tell, func(ctx context.Context, in *to[Message]) (Solve, error) { return b.Solves.Say(ctx, in.ID, in.Body) })
	type seat struct {
		ByID
		Agent string `path:"agent" maxLength:"256"`
	}
	add(a, route("join-solve", "PUT", "/solves/{id}/agents/{agent}", "solves", "Let an agent of the bench join a solve that is not over, from its next round on", 404, 409, 422, 503), func(ctx context.Context, in *seat) (Solve, error) {
		return b.Solves.Seat(ctx, in.ID, Seat{Agent: in.Agent})
	})
	add(a, route("leave-solve", "DELETE", "/solves/{id}/agents/{agent}", "solves", "Take an agent out of a solve that is not over; its votes count", 404, 409, 422, 503), func(ctx context.Context, in *seat) (Solve, error) {
		return b.Solves.Seat(ctx, in.ID, Seat{Agent: in.Agent, Leaves: true})
	})
}

func (b *Backend) inbox(a huma.API) {
	type which struct {
		All bool `query:"all" doc:"Answered ones too"`
	}
	add(a, route("list-inbox", "GET", "/inbox", "inbox", "What waits for a person: the most urgent first, then the oldest"), func(ctx context.Context, in *which) ([]Item, error) {
		return b.Inbox.Items(ctx, in.All)
	})
	add(a, route("get-item", "GET", "/inbox/{id}", "inbox", "One item", 404), func(ctx context.Context, in *ByID) (Item, error) {
		return b.Inbox.Item(ctx, in.ID)
	})
	add(a, route("answer", "POST", "/inbox/{id}/answer", "inbox", "Answer a question; a second answer gets 409 and the first one", 404, 409, 422, 503), func(ctx context.Context, in *to[Answer]) (Item, error) {
		return b.Inbox.Answer(ctx, in.ID, in.Body)
	})
	add(a, route("decide-call", "POST", "/inbox/{id}/verdict", "inbox", "Allow or deny the call of a tool; a second verdict gets 409 and the first one", 404, 409, 422, 503), func(ctx context.Context, in *to[Verdict]) (Item, error) {
		return b.Inbox.Decide(ctx, in.ID, in.Body)
	})
}

func (b *Backend) rooms(a huma.API) {
	add(a, route("list-rooms", "GET", "/rooms", "rooms", "Rooms, the most urgent first"), func(ctx context.Context, _ *none) ([]Room, error) {
		return b.Rooms.Rooms(ctx)
	})
	create := route("create-room", "POST", "/rooms", "rooms", "Make a room", 404, 422)
	create.DefaultStatus = http.StatusCreated
	add(a, create, func(ctx context.Context, in *With[NewRoom]) (Room, error) { return b.Rooms.Create(ctx, in.Body.Room) })
	add(a, route("get-room", "GET", "/rooms/{room}", "rooms", "One room", 404), func(ctx context.Context, in *ByRoom) (Room, error) {
		return b.Rooms.Room(ctx, in.Room)
	})
	type page struct {
		ByRoom
		Before uint64 `query:"before" doc:"Only events before this position; default: the newest"`
		Limit  int    `query:"limit" minimum:"1" maximum:"1000" default:"200"`
	}
	add(a, route("list-events", "GET", "/rooms/{room}/events", "rooms", "A page of events, in log order", 404), func(ctx context.Context, in *page) (RoomEvents, error) {
		return b.Rooms.Page(ctx, in.Room, in.Before, in.Limit)
	})
	type said struct {
		ByRoom
		With[NewMessage]
	}
	say := route("say", "POST", "/rooms/{room}/messages", "rooms", "Say something in a room", 404, 422, 503)
	say.DefaultStatus = http.StatusCreated
	add(a, say, func(ctx context.Context, in *said) (Receipt, error) { return b.Rooms.Say(ctx, in.Room, in.Body) })
	type read struct {
		ByRoom
		With[ReadTo]
	}
	add(a, route("mark-read", "PUT", "/rooms/{room}/read", "rooms", "Say how far the user has read", 404), func(ctx context.Context, in *read) (Room, error) {
		return b.Rooms.Read(ctx, in.Room, in.Body.Through)
	})
	type seat struct {
		ByRoom
		Agent string `path:"agent" maxLength:"256"`
	}
	add(a, route("join-room", "PUT", "/rooms/{room}/agents/{agent}", "rooms", "Make an agent of the office a member of a room, until the office opens again", 404, 503), func(ctx context.Context, in *seat) (Room, error) {
		return b.Rooms.Seat(ctx, in.Room, Seat{Agent: in.Agent})
	})
	add(a, route("leave-room", "DELETE", "/rooms/{room}/agents/{agent}", "rooms", "End the membership of an agent in a room, until the office opens again", 404, 503), func(ctx context.Context, in *seat) (Room, error) {
		return b.Rooms.Seat(ctx, in.Room, Seat{Agent: in.Agent, Leaves: true})
	})
	type section struct {
		ByRoom
		Ix int `path:"ix" minimum:"1"`
	}
	add(a, route("get-section", "GET", "/rooms/{room}/sections/{ix}", "rooms", "A section §N with all that it has", 404), func(ctx context.Context, in *section) (RoomEvent, error) {
		return b.Rooms.Section(ctx, in.Room, in.Ix)
	})
}

func (b *Backend) agents(a huma.API) {
	add(a, route("list-agents", "GET", "/agents", "agents", "Agents of teams and rooms"), func(ctx context.Context, _ *none) ([]Agent, error) {
		return b.Agents.Agents(ctx)
	})
	type routes struct {
		Team  string `path:"team" maxLength:"64"`
		Agent string `path:"agent" maxLength:"256"`
		Seq   uint64 `query:"seq" doc:"The signal in question; default: only the routes"`
	}
	add(a, route("explain-routes", "GET", "/agents/{team}/{agent}/routes", "agents", "What an agent's router does about a signal, and why", 404), func(ctx context.Context, in *routes) (Explanation, error) {
		return b.Agents.Explain(ctx, in.Team, in.Agent, in.Seq)
	})
	type which struct {
		Run    string `query:"run"`
		Worker string `query:"worker"`
		Limit  int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
	}
	add(a, route("list-reports", "GET", "/reports", "reports", "Reports as they were sent, beside what was accepted; the newest first", 404), func(ctx context.Context, in *which) ([]Report, error) {
		return b.Reports.Reports(ctx, in.Run, in.Worker, in.Limit)
	})
	add(a, route("search-memory", "GET", "/memory", "memory", "Search what teams know", 404), func(ctx context.Context, in *MemoryQuery) ([]Fact, error) {
		return b.Memory.Search(ctx, *in)
	})
	add(a, route("revoke", "POST", "/memory/revocations", "memory", "Revoke all that a source said", 404), func(ctx context.Context, in *With[Revocation]) (Revoked, error) {
		return b.Memory.Revoke(ctx, in.Body)
	})
}

func (b *Backend) runs(a huma.API) {
	add(a, route("list-runs", "GET", "/runs", "runs", "Journals in the server's directory"), func(ctx context.Context, _ *none) ([]Run, error) {
		return b.Runs.Runs(ctx)
	})
	add(a, route("get-run", "GET", "/runs/{run}", "runs", "One journal", 404), func(ctx context.Context, in *ByRun) (Run, error) {
		return b.Runs.Run(ctx, in.Run)
	})
	add(a, route("list-signals", "GET", "/runs/{run}/signals", "runs", "A page of a log", 404, 422), func(ctx context.Context, in *SignalsQuery) (Signals, error) {
		return b.Runs.Signals(ctx, *in)
	})
	add(a, route("replay-run", "GET", "/runs/{run}/replay", "runs", "Derive conflicts and decisions anew and compare them with the log", 404), func(ctx context.Context, in *ByRun) (ReplayCheck, error) {
		return b.Runs.Replay(ctx, in.Run)
	})
	type verified struct {
		ByRun
		Receipts bool `query:"receipts" doc:"Also say what allowed each call of a tool"`
	}
	add(a, route("verify-run", "GET", "/runs/{run}/verify", "runs", "Verify the checksums, hash chains and signatures of a run", 404), func(ctx context.Context, in *verified) (Verification, error) {
		return b.Runs.Verify(ctx, in.Run, in.Receipts)
	})
	type both struct {
		A string `query:"a" required:"true" maxLength:"256" doc:"A solve"`
		B string `query:"b" required:"true" maxLength:"256"`
	}
	add(a, route("compare", "GET", "/compare", "runs", "Compare two solves signal by signal", 404), func(ctx context.Context, in *both) (Comparison, error) {
		return b.Runs.Compare(ctx, in.A, in.B)
	})
}

func (b *Backend) system(a huma.API) {
	add(a, route("health", "GET", "/health", "system", "Account, readers, backlog, and who is slow"), func(ctx context.Context, _ *none) (Health, error) {
		return b.System.Health(ctx)
	})
	add(a, route("get-session", "GET", "/session", "system", "Who the cookie belongs to"), func(ctx context.Context, _ *none) (Session, error) {
		return b.System.Session(ctx)
	})
	metrics := route("metrics", "GET", "/metrics", "system", "Counts in the text format of Prometheus")
	metrics.Responses = map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{
		"text/plain": {Schema: &huma.Schema{Type: huma.TypeString}},
	}}}
	type text struct {
		Type string `header:"Content-Type"`
		Body []byte
	}
	huma.Register(a, metrics, func(ctx context.Context, _ *none) (*text, error) {
		all, err := b.System.Metrics(ctx)
		return &text{"text/plain; version=0.0.4; charset=utf-8", all}, problem(err)
	})
}
