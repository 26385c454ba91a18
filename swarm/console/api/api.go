package api

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// Prefix begins the path of every route.
const Prefix = "/api"

// formats writes JSON in which no character means something in HTML.
var formats = func() map[string]huma.Format {
	f := huma.Format{Marshal: func(w io.Writer, v any) error { return json.NewEncoder(w).Encode(v) }, Unmarshal: json.Unmarshal}
	return map[string]huma.Format{"application/json": f, "json": f}
}()

// A list without elements is [], never null.
func init() { huma.DefaultArrayNullable = false }

// Register adds the routes to a mux, and returns their description. It is at
// /api/openapi.json, too.
func Register(mux *http.ServeMux, version string, b *Backend) *huma.OpenAPI {
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	a := humago.New(mux, huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "swarmbus", Version: cmp.Or(version, "devel"),
				Description: "What the agents of a server decide, say and ask. A request has the cookie of a session, or the header Authorization: Bearer TOKEN.",
			},
			Components: &huma.Components{Schemas: registry},
		},
		OpenAPIPath: Prefix + "/openapi", Formats: formats, DefaultFormat: "application/json",
		RejectUnknownQueryParameters: true,
	})
	for _, some := range []func(huma.API){b.solves, b.inbox, b.rooms, b.agents, b.runs, b.system, described} {
		some(a)
	}
	return a.OpenAPI()
}

// Describe returns the OpenAPI description of the routes as JSON.
func Describe(version string) ([]byte, error) {
	return Register(http.NewServeMux(), version, &Backend{}).MarshalJSON()
}

// problem returns an error that has a status.
func problem(err error) error {
	if err == nil {
		return nil
	}
	if e := (*Error)(nil); errors.As(err, &e) {
		return e
	}
	return NewError(http.StatusInternalServerError, err.Error())
}

func typeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }
