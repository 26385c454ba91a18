package api

import (
	"cmp"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// described adds the routes that other packages serve to the description: the feed
// (package feed) and sessions (package guard).
func described(a huma.API) {
	schemas := a.OpenAPI().Components.Schemas
	ref := func(media, name string) map[string]*huma.MediaType {
		types := map[string]*huma.Schema{
			"Frame": schemas.Schema(typeOf[Frame](), true, "Frame"), "Token": schemas.Schema(typeOf[Token](), true, "Token"),
			"Problem": schemas.Schema(typeOf[Error](), true, "Problem"),
		}
		return map[string]*huma.MediaType{media: {Schema: types[name]}}
	}
	schemas.Schema(typeOf[Subscription](), true, "Subscription")

	events := route("feed", "GET", "/feed", "feed", "What happens, as server-sent events")
	events.Description = "The data of each event is a Frame; its id is the cursor, which a browser sends again as Last-Event-ID."
	events.Parameters = subscribing()
	events.Responses = map[string]*huma.Response{"200": {Description: "OK", Content: ref("text/event-stream", "Frame")}}
	socket := route("feed-socket", "GET", "/feed/socket", "feed", "What happens, by WebSocket")
	socket.Description = "A message of the server has one or more Frames, one on each line. A message of the client is a Subscription, which replaces that of the query."
	socket.Parameters = subscribing()
	socket.Responses = map[string]*huma.Response{
		"101": {Description: "Switching Protocols"}, "426": {Description: "Upgrade Required", Content: ref("application/problem+json", "Problem")},
	}

	open := route("open-session", "POST", "/session", "system", "Exchange a token for a cookie")
	open.RequestBody = &huma.RequestBody{Required: true, Content: ref("application/json", "Token")}
	open.Responses = map[string]*huma.Response{
		"204": {Description: "The answer sets the cookie"}, "401": {Description: "Wrong token", Content: ref("application/problem+json", "Problem")},
		"429": {Description: "Too many wrong tokens", Content: ref("application/problem+json", "Problem")},
	}
	end := route("close-session", "DELETE", "/session", "system", "End the session")
	end.Responses = map[string]*huma.Response{"204": {Description: "The cookie is void"}}
	for _, op := range []*huma.Operation{&events, &socket, &open, &end} {
		a.OpenAPI().AddOperation(op)
	}
	for _, path := range []string{"/inbox/{id}/answer", "/inbox/{id}/verdict"} {
		a.OpenAPI().Paths[Prefix+path].Post.Responses["409"] = &huma.Response{
			Description: http.StatusText(http.StatusConflict), Content: ref("application/problem+json", "Problem"),
		}
	}
}

// complete adds to the description what every route may answer, beside what it says of itself: what
// the guard refuses, and bodies and parameters that are none.
func complete(of *huma.OpenAPI) {
	for path, item := range of.Paths {
		for method, op := range map[string]*huma.Operation{"GET": item.Get, "POST": item.Post, "PUT": item.Put, "DELETE": item.Delete} {
			if op == nil {
				continue
			}
			statuses := []int{http.StatusForbidden, http.StatusUnprocessableEntity, http.StatusMisdirectedRequest, http.StatusTooManyRequests}
			if op.RequestBody != nil {
				statuses = append(statuses, http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
			}
			if path == Prefix+"/session" && method != "GET" {
				op.Security = []map[string][]string{{}}
			} else {
				statuses = append(statuses, http.StatusUnauthorized)
			}
			for _, status := range statuses {
				if code := strconv.Itoa(status); op.Responses[code] == nil {
					op.Responses[code] = &huma.Response{
						Description: http.StatusText(status), Content: map[string]*huma.MediaType{"application/problem+json": {Schema: &huma.Schema{Ref: "#/components/schemas/Error"}}},
					}
				}
			}
			op.Description = cmp.Or(op.Description, op.Summary+".")
		}
	}
}

func subscribing() (all []*huma.Param) {
	texts := &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString}}
	for _, name := range []string{"solve", "room", "kind", "type", "after"} {
		all = append(all, &huma.Param{Name: name, In: "query", Schema: texts, Description: "See Subscription"})
	}
	return all
}
