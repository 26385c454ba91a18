package join

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/swarmbus/swarmbus/agents/remote"
	"github.com/swarmbus/swarmbus/signals"
)

// Prefix begins the path of every route.
const Prefix = "/join"

// A Turn is one that a member is to take.
type Turn struct {
	ID string `json:"id" doc:"To answer it"`
	remote.Turn
}

// A Signal is the JSON of a signal, as far as a member needs it.
type Signal struct {
	Type       string  `json:"type" doc:"Kind" example:"vote"`
	Source     string  `json:"source,omitempty" doc:"Who says it; in an answer, the agent or absent"`
	ID         string  `json:"id,omitempty" doc:"What others refer to; absent in an answer"`
	ReplyTo    string  `json:"replyTo,omitempty" doc:"Id of a signal"`
	Confidence float64 `json:"confidence,omitempty" minimum:"0" maximum:"1"`
	Payload    any     `json:"payload" doc:"By the kind"`
}

// longest is how long a request may wait for a turn, and slowest how long the rest may take.
const (
	longest = time.Minute
	slowest = 15 * time.Second
	biggest = 1 << 20 // body
)

// A list without elements is [], never null.
func init() { huma.DefaultArrayNullable = false }

// Handler returns the routes, below [Prefix].
func (d *Desk) Handler() http.Handler {
	mux := http.NewServeMux()
	d.register(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(longest + slowest)) // a recorder of tests has none
		w.Header().Set("Cache-Control", "no-store")
		mux.ServeHTTP(w, r)
	})
}

// Describe returns the OpenAPI description of the routes as JSON.
func Describe() ([]byte, error) { return json.Marshal(new(Desk).register(http.NewServeMux())) }

type toTake struct {
	Wait int `query:"wait" minimum:"0" maximum:"60" default:"25" doc:"Seconds to wait for a turn"`
}

type taken struct {
	Status int
	Body   *Turn
}

// An answer is read by [Desk.put], which counts those that cannot be read.
type toPut struct {
	ID      string `path:"id" maxLength:"64"`
	RawBody []byte `contentType:"application/json"`
}

func (d *Desk) register(mux *http.ServeMux) *huma.OpenAPI {
	registry := huma.NewMapRegistry("#/components/schemas/", named)
	registry.RegisterTypeAlias(reflect.TypeFor[json.RawMessage](), reflect.TypeFor[Signal]())
	a := humago.New(mux, huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Join a swarm", Version: "1",
				Description: "Take the turns of an agent: GET a turn, think, POST the answer. A request has the header Authorization: Bearer TOKEN, with the token of the agent.",
			},
			Components: &huma.Components{Schemas: registry, SecuritySchemes: map[string]*huma.SecurityScheme{"token": {Type: "http", Scheme: "bearer"}}},
			Security:   []map[string][]string{{"token": {}}},
		},
		OpenAPIPath: Prefix + "/openapi", Formats: huma.DefaultFormats, DefaultFormat: "application/json",
	})
	huma.Register(a, huma.Operation{
		OperationID: "take-turn", Method: http.MethodGet, Path: Prefix + "/turn", Summary: "Take the next turn, which may not be there at once",
		Description: "A turn that has no answer yet is given again. 204: there is none yet, ask again. 410: the swarm has ended.",
		Errors:      []int{http.StatusUnauthorized, http.StatusGone, http.StatusTooManyRequests},
		Middlewares: huma.Middlewares{d.admit(a)},
	}, d.takeTurn)
	huma.Register(a, huma.Operation{
		OperationID: "answer-turn", Method: http.MethodPost, Path: Prefix + "/turns/{id}", Summary: "Say what the agent says in a turn",
		Description:  "409: the turn was answered before. 410: the answer is late, or the turn has failed. 403 and 422: the answer is refused, and may be put again.",
		Errors:       []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusConflict, http.StatusGone, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity, http.StatusTooManyRequests},
		MaxBodyBytes: biggest, BodyReadTimeout: slowest, SkipValidateBody: true, DefaultStatus: http.StatusNoContent,
		Middlewares: huma.Middlewares{d.admit(a), d.nameUnread},
	}, d.putAnswer)
	of := a.OpenAPI()
	of.Paths[Prefix+"/turns/{id}"].Post.RequestBody.Content["application/json"].Schema = registry.Schema(reflect.TypeFor[remote.Answer](), true, "Answer")
	of.Paths[Prefix+"/turn"].Get.Responses["204"] = &huma.Response{Description: "No turn yet"}
	payload(registry)
	return of
}

// named names a schema. Two packages have a Signal.
func named(t reflect.Type, hint string) string {
	if t.Name() == "Signal" && path.Base(t.PkgPath()) == "coordination" {
		return "Coordination"
	}
	return huma.DefaultSchemaNamer(t, hint)
}

// payload says which payloads members use.
func payload(registry huma.Registry) {
	var all []*huma.Schema
	for name, t := range map[string]reflect.Type{
		"Discovery": reflect.TypeFor[signals.Discovery](), "Proposal": reflect.TypeFor[signals.Proposal](), "Doubt": reflect.TypeFor[signals.Doubt](),
		"Challenge": reflect.TypeFor[signals.Challenge](), "Vote": reflect.TypeFor[signals.Vote](), "Escalation": reflect.TypeFor[signals.Escalation](),
	} {
		all = append(all, registry.Schema(t, true, name))
	}
	slices.SortFunc(all, func(a, b *huma.Schema) int { return strings.Compare(a.Ref, b.Ref) })
	schemas := registry.Map()
	schemas["Signal"].Properties["payload"] = &huma.Schema{AnyOf: append(all, &huma.Schema{Type: huma.TypeObject, Description: "Other kinds"})}
	schemas["Signal"].AdditionalProperties = true // those that only readers of a log need
	schemas["Coordination"] = &huma.Schema{Type: huma.TypeObject, Description: "See package signals/coordination"}
	delete(schemas, "Grade")
	schemas["Vote"].Properties["stance"].Enum = []any{signals.Agree, signals.Disagree, signals.Abstain}
	schemas["Doubt"].Properties["severity"].Enum = []any{signals.Low, signals.Medium, signals.High}
}

// A memberKey is the key of a member in the context of its request.
type memberKey struct{}

// admit refuses requests without the token of a member, and those of members that ask too
// often, before anything of their bodies is read.
func (d *Desk) admit(a huma.API) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		token, found := strings.CutPrefix(ctx.Header("Authorization"), "Bearer ")
		m := d.members[sha256.Sum256([]byte(token))]
		switch {
		case !found || m == nil:
			ctx.SetHeader("WWW-Authenticate", "Bearer")
			_ = huma.WriteErr(a, ctx, http.StatusUnauthorized, "the request needs the header Authorization: Bearer TOKEN, with the token of a member")
		case !m.limit.Allow():
			why := fmt.Errorf("%s has asked too often", m.agent)
			d.tell(m, why)
			ctx.SetHeader("Retry-After", "1")
			_ = huma.WriteErr(a, ctx, http.StatusTooManyRequests, why.Error())
		default:
			next(huma.WithValue(ctx, memberKey{}, m))
		}
	}
}

// nameUnread calls [Options].Refused for an answer that was too big to be read, and counts one
// that is empty.
func (d *Desk) nameUnread(ctx huma.Context, next func(huma.Context)) {
	next(ctx)
	m := ctx.Context().Value(memberKey{}).(*member)
	switch ctx.Status() {
	case http.StatusRequestEntityTooLarge:
		d.tell(m, fmt.Errorf("an answer has more than %d bytes", biggest))
	case http.StatusBadRequest:
		_ = d.put(m, ctx.Param("id"), nil) // the request has been refused
	}
}

func (d *Desk) takeTurn(ctx context.Context, in *toTake) (*taken, error) {
	m := ctx.Value(memberKey{}).(*member)
	select {
	case m.slots <- struct{}{}:
		defer func() { <-m.slots }()
	default:
		return nil, huma.Error429TooManyRequests(m.agent + " has too many requests that wait")
	}
	t, err := d.take(ctx, m, time.Duration(in.Wait)*time.Second)
	switch {
	case errors.Is(err, errClosed):
		return nil, huma.Error410Gone(err.Error())
	case err != nil:
		return nil, huma.Error503ServiceUnavailable(err.Error())
	case t == nil:
		return &taken{Status: http.StatusNoContent}, nil
	}
	return &taken{Status: http.StatusOK, Body: t}, nil
}

func (d *Desk) putAnswer(ctx context.Context, in *toPut) (*struct{}, error) {
	err := d.put(ctx.Value(memberKey{}).(*member), in.ID, in.RawBody)
	forged := (*ForgedError)(nil)
	switch {
	case err == nil:
		return nil, nil
	case errors.Is(err, errUnknown):
		return nil, huma.Error404NotFound(err.Error())
	case errors.Is(err, errAnswered):
		return nil, huma.Error409Conflict(err.Error())
	case errors.Is(err, errOver), errors.Is(err, errFailed):
		return nil, huma.Error410Gone(err.Error())
	case errors.As(err, &forged):
		return nil, huma.Error403Forbidden(err.Error())
	}
	return nil, huma.Error422UnprocessableEntity(err.Error())
}
