package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/swarmbus/swarmbus/swarm/console/api"
)

// Addresses of resources.
const (
	runsURI  = "swarmbus://runs"
	jsonMIME = "application/json"
)

func (s *Server) addResources() {
	s.sdk.AddResource(&sdk.Resource{URI: runsURI, Name: "runs", Title: "Runs", Description: "The journals in the server's directory", MIMEType: jsonMIME}, s.read)
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: runsURI + "/{run}/log{?after}", Name: "log", Title: "Log of a run", MIMEType: jsonMIME,
		Description: "The signals of a run, at most 200; next is the position to go on after",
	}, s.read)
}

// listRuns adds the logs of the runs to the list of resources.
func (s *Server) listRuns(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		result, err := next(ctx, method, req)
		list, ok := result.(*sdk.ListResourcesResult)
		if err != nil || !ok {
			return result, err
		}
		all, err := s.o.Backend.Runs.Runs(ctx)
		for _, r := range all[:min(len(all), 1000)] {
			list.Resources = append(list.Resources, &sdk.Resource{URI: runsURI + "/" + url.PathEscape(r.Name) + "/log", Name: r.Name, Title: "Log of " + r.Name, MIMEType: jsonMIME})
		}
		return list, err
	}
}

// read returns the list of runs, or a page of a log.
func (s *Server) read(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	address, err := url.Parse(req.Params.URI)
	if err != nil {
		return nil, sdk.ResourceNotFoundError(req.Params.URI)
	}
	var value any
	if req.Params.URI == runsURI {
		value, err = s.o.Backend.Runs.Runs(ctx)
	} else {
		run := strings.TrimSuffix(strings.TrimPrefix(address.Path, "/"), "/log")
		after, _ := strconv.ParseUint(address.Query().Get("after"), 10, 64)
		value, err = s.page(ctx, run, after)
	}
	if missing := (*api.Error)(nil); errors.As(err, &missing) && missing.Status == http.StatusNotFound {
		return nil, sdk.ResourceNotFoundError(req.Params.URI)
	}
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: req.Params.URI, MIMEType: jsonMIME, Text: string(text)}}}, nil
}

// longPage is how many bytes a page of a log has, but for the first signal.
const longPage = 1 << 20

// page returns a page of a log.
func (s *Server) page(ctx context.Context, run string, after uint64) (api.Signals, error) {
	page, err := s.o.Backend.Runs.Signals(ctx, api.SignalsQuery{Run: run, After: after, Limit: mostSaid})
	size := 0
	for i, text := range page.Signals {
		if size += len(text); size > longPage && i > 0 {
			var last struct{ Seq uint64 }
			err := json.Unmarshal(page.Signals[i-1], &last)
			page.Signals, page.Next = page.Signals[:i], last.Seq
			return page, err
		}
	}
	return page, err
}
