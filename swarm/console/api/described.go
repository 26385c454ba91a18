package api

import (
	"net/http"

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
	socket.Responses = map[string]*huma.Response{"101": {Description: "Switching Protocols"}}

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

func subscribing() (all []*huma.Param) {
	texts := &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString}}
	for _, name := range []string{"solve", "room", "kind", "type", "after"} {
		all = append(all, &huma.Param{Name: name, In: "query", Schema: texts, Description: "See Subscription"})
	}
	return all
}
