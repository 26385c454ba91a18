package api

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/swarmbus/swarmbus/internal/text"
)

// tags group the routes.
var tags = []*huma.Tag{
	{Name: "solves", Description: "Tasks of teams, and what they decide"},
	{Name: "inbox", Description: "What waits for a person"},
	{Name: "rooms", Description: "Rooms of the office, and what is said in them"},
	{Name: "agents", Description: "Agents, and what is known of them"},
	{Name: "reports", Description: "What workers reported, and what was accepted of it"},
	{Name: "memory", Description: "What teams know"},
	{Name: "runs", Description: "Journals"},
	{Name: "feed", Description: "What happens, as it happens"},
	{Name: "system", Description: "The server itself"},
}

// Root begins the paths of all protocols of the server, and Prefix those of the routes of this one: in
// a version nothing is taken away that a client may rely on.
const (
	Root   = "/api"
	Prefix = Root + "/v1"
)

// formats writes JSON in which no character means something in HTML.
var formats = func() map[string]huma.Format {
	f := huma.Format{Marshal: func(w io.Writer, v any) error { return json.NewEncoder(w).Encode(v) }, Unmarshal: json.Unmarshal}
	return map[string]huma.Format{"application/json": f, "json": f}
}()

// A list without elements is [], never null.
func init() { huma.DefaultArrayNullable = false }

// Register adds the routes to a mux, and returns their description. It is at
// /api/v1/openapi.json, too.
func Register(mux *http.ServeMux, version string, b *Backend) *huma.OpenAPI {
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	a := humago.New(mux, huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "swarmbus", Version: cmp.Or(version, "devel"),
				Description: "What the agents of a server decide, say and ask. A request has the cookie of a session, or the header Authorization: Bearer TOKEN.",
				License:     &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
				Contact:     &huma.Contact{Name: "swarmbus", URL: "https://github.com/swarmbus/swarmbus"},
			},
			Components: &huma.Components{Schemas: registry, SecuritySchemes: map[string]*huma.SecurityScheme{
				"token":   {Type: "http", Scheme: "bearer", Description: "The token of the server"},
				"session": {Type: "apiKey", In: "cookie", Name: "swarmbus", Description: "The cookie that POST " + Prefix + "/session sets, whose name has the port of the server after it"},
			}},
			Security: []map[string][]string{{"token": {}}, {"session": {}}},
			Servers:  []*huma.Server{{URL: "/", Description: "This server"}},
			Tags:     tags,
		},
		OpenAPIPath: Prefix + "/openapi", Formats: formats, DefaultFormat: "application/json",
		RejectUnknownQueryParameters: true,
		Transformers:                 []huma.Transformer{bounded},
	})
	for _, some := range []func(huma.API){b.solves, b.said, b.inbox, b.rooms, b.agents, b.runs, b.system, described} {
		some(a)
	}
	complete(a.OpenAPI())
	return a.OpenAPI()
}

// Describe returns the OpenAPI description of the routes as JSON.
func Describe(version string) ([]byte, error) {
	return Register(http.NewServeMux(), version, &Backend{}).MarshalJSON()
}

// The bounds of what is said of a bad request: huma says each fault with all that it is in.
const (
	mostFaults = 16
	mostFault  = 200 // bytes of a value
	mostDetail = 4096
)

func bounded(_ huma.Context, _ string, v any) (any, error) {
	var m *huma.ErrorModel
	switch of := v.(type) {
	case *huma.ErrorModel:
		m = of
	case *Error:
		m = &of.ErrorModel
	default:
		return v, nil
	}
	if more := len(m.Errors) - mostFaults; more > 0 {
		m.Errors = append(m.Errors[:mostFaults:mostFaults], &huma.ErrorDetail{Message: fmt.Sprintf("%d more are left out", more)})
	}
	for _, e := range m.Errors {
		e.Message, e.Location = text.Cut(e.Message, mostFault), text.Cut(e.Location, mostFault)
		switch of := e.Value.(type) {
		case nil, bool, float64, int, int64:
		case string:
			e.Value = text.Cut(of, mostFault)
		default:
			e.Value = nil // the location says where it is
		}
	}
	return v, nil
}

// problem returns an error that has a status.
func problem(err error) error {
	if err == nil {
		return nil
	}
	return problemOf(err)
}

func problemOf(err error) *Error {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e
	}
	return NewError(http.StatusInternalServerError, err.Error())
}

func typeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }
