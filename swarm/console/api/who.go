package api

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/agents/asking"
)

// A Role says what somebody may do: what those before it may, and more.
type Role string

// The roles.
const (
	RoleReader   Role = "reader"   // read
	RoleAuthor   Role = "author"   // start solves, and say something in them and in rooms
	RoleApprover Role = "approver" // answer questions
	RoleOperator Role = "operator" // everything
)

// Roles returns all of them, the least first.
func Roles() []Role { return []Role{RoleReader, RoleAuthor, RoleApprover, RoleOperator} }

// May reports whether the role may do what another one may.
func (r Role) May(what Role) bool {
	of := slices.Index(Roles(), what)
	return of >= 0 && slices.Index(Roles(), r) >= of
}

// Who is somebody whom a server knows by a token. Make a context of theirs with [By].
type Who struct {
	Name string // of the token; "": that of the server's directory, whose holder says who answers
	Role Role
	Kind asking.Answerer // that the token says; "": what the door takes them for
}

// OfAgents has those who ask through next counted as agents, unless their token says what they are.
func OfAgents(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := WhoOf(r.Context())
		who.Kind = cmp.Or(who.Kind, asking.Agent)
		next.ServeHTTP(w, r.WithContext(By(r.Context(), who)))
	})
}

type whoKey struct{}

// By returns a context of what somebody asks for.
func By(ctx context.Context, w Who) context.Context { return context.WithValue(ctx, whoKey{}, w) }

// WhoOf returns who asks for something; zero: nobody whom a server knows.
func WhoOf(ctx context.Context) Who {
	w, _ := ctx.Value(whoKey{}).(Who)
	return w
}

// takes returns who asks for something that takes a role, and a 403 if theirs is a lower one. What
// nobody asks for is refused, too.
func takes(ctx context.Context, role Role) (Who, error) {
	w := WhoOf(ctx)
	if !w.Role.May(role) {
		return w, NewError(http.StatusForbidden, fmt.Sprintf("a token with the role %q may not do this: it takes the role %s", w.Role, role))
	}
	return w, nil
}

// as sets the name under which somebody says something: that of their token, if it has one.
func (w Who) as(by *string) {
	if w.Name != "" {
		*by = w.Name
	}
}

// Guarded returns a backend that does what the [Who] of the context may, and in their name. Every
// door of a server has it, and nothing else decides what a role may do.
func (b *Backend) Guarded() *Backend {
	g := *b
	g.Solves, g.Inbox, g.Rooms, g.Memory, g.System = guardedSolves{b.Solves}, guardedInbox{b.Inbox}, guardedRooms{b.Rooms}, guardedMemory{b.Memory}, guardedSystem{b.System}
	return &g
}

type guardedSolves struct{ Solves }

func (g guardedSolves) Start(ctx context.Context, n NewSolve) (one Solve, err error) {
	if _, err = takes(ctx, RoleAuthor); err == nil {
		one, err = g.Solves.Start(ctx, n)
	}
	return one, err
}

func (g guardedSolves) Say(ctx context.Context, id string, m Message) (one Solve, err error) {
	w, err := takes(ctx, RoleAuthor)
	if err != nil {
		return one, err
	}
	w.as(&m.By)
	return g.Solves.Say(ctx, id, m)
}

func (g guardedSolves) Seat(ctx context.Context, id string, m Seat) (one Solve, err error) {
	w, err := takes(ctx, RoleOperator)
	if err != nil {
		return one, err
	}
	w.as(&m.By)
	return g.Solves.Seat(ctx, id, m)
}

func (g guardedSolves) Cancel(ctx context.Context, id string) (one Solve, err error) {
	if _, err = takes(ctx, RoleOperator); err == nil {
		one, err = g.Solves.Cancel(ctx, id)
	}
	return one, err
}

// Leave cancels a solve for a client that began it and is gone, unless it has stopped meanwhile.
func Leave(ctx context.Context, all Solves, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	ctx = By(ctx, Who{Role: RoleOperator})
	if one, err := all.Get(ctx, id, math.MaxInt64); err == nil && one.State == Running {
		_, _ = all.Cancel(ctx, id) // nobody is there to be told
	}
}

func (g guardedSolves) Resume(ctx context.Context, id string) (one Solve, err error) {
	if _, err = takes(ctx, RoleOperator); err == nil {
		one, err = g.Solves.Resume(ctx, id)
	}
	return one, err
}

func (g guardedSolves) Tell(ctx context.Context, id string, o Outcome) (one Solve, err error) {
	if _, err = takes(ctx, RoleOperator); err == nil {
		one, err = g.Solves.Tell(ctx, id, o)
	}
	return one, err
}

func (g guardedSolves) Retract(ctx context.Context, id string, r Retraction) (one SolveDetail, err error) {
	w, err := takes(ctx, RoleOperator)
	if err != nil {
		return one, err
	}
	w.as(&r.By)
	return g.Solves.Retract(ctx, id, r)
}

type guardedInbox struct{ Inbox }

func (g guardedInbox) Answer(ctx context.Context, id string, a Answer) (item Item, err error) {
	w, err := takes(ctx, RoleApprover)
	if err != nil {
		return item, err
	}
	w.as(&a.By)
	return g.Inbox.Answer(ctx, id, a)
}

func (g guardedInbox) Decide(ctx context.Context, id string, v Verdict) (item Item, err error) {
	w, err := takes(ctx, RoleApprover)
	if err != nil {
		return item, err
	}
	w.as(&v.By)
	return g.Inbox.Decide(ctx, id, v)
}

// What somebody says in a room may be the answer to what it asks, so all but reading takes an approver.
type guardedRooms struct{ places }

// places are [Rooms], whose name is that of a method.
type places interface{ Rooms }

func (g guardedRooms) Create(ctx context.Context, room string) (one Room, err error) {
	if _, err = takes(ctx, RoleApprover); err == nil {
		one, err = g.places.Create(ctx, room)
	}
	return one, err
}

func (g guardedRooms) Say(ctx context.Context, room string, m NewMessage) (got Receipt, err error) {
	if _, err = takes(ctx, RoleApprover); err == nil {
		got, err = g.places.Say(ctx, room, m)
	}
	return got, err
}

func (g guardedRooms) Read(ctx context.Context, room string, through uint64) (one Room, err error) {
	if _, err = takes(ctx, RoleApprover); err == nil {
		one, err = g.places.Read(ctx, room, through)
	}
	return one, err
}

func (g guardedRooms) Seat(ctx context.Context, room string, m Seat) (one Room, err error) {
	if _, err = takes(ctx, RoleOperator); err == nil {
		one, err = g.places.Seat(ctx, room, m)
	}
	return one, err
}

type guardedMemory struct{ Memory }

func (g guardedMemory) Revoke(ctx context.Context, r Revocation) (got Revoked, err error) {
	if _, err = takes(ctx, RoleOperator); err == nil {
		got, err = g.Memory.Revoke(ctx, r)
	}
	return got, err
}

type guardedSystem struct{ System }

func (g guardedSystem) Session(ctx context.Context) (Session, error) {
	of, err := g.System.Session(ctx)
	WhoOf(ctx).as(&of.User)
	return of, err
}
