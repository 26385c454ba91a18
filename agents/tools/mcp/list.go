package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/internal/text"
)

// The bounds of a server's list.
const (
	mostTools = 512
	mostPages = 64
)

// listed returns the list of tools, which it reads if it has changed.
func (v *Server) listed(ctx context.Context, l *link) ([]tools.Tool, error) {
	if err := l.reading.enter(ctx); err != nil {
		return nil, fmt.Errorf("mcp: server %s: the list of tools cannot be read: %w", v.spec.Name, err)
	}
	defer l.reading.leave()
	if changed := v.stale.Swap(false); l.list != nil && !changed { // a change from here on is read next time
		return l.list, nil
	}
	all, err := v.read(ctx, l)
	if err != nil {
		l.list = nil
		return nil, fmt.Errorf("mcp: server %s: the list of tools cannot be read: %w", v.spec.Name, v.why(ctx, l, err))
	}
	l.list = []tools.Tool{}
	var leftOut []error
	for _, t := range all {
		spec := v.specOf(t)
		if err := spec.Validate(); err != nil {
			leftOut = append(leftOut, fmt.Errorf("mcp: server %s: the tool %s is left out: %w", v.spec.Name, strconv.Quote(fmt.Sprintf("%.64s", spec.Name)), err))
			continue
		}
		l.list = append(l.list, tools.Tool{Spec: spec, Call: func(ctx context.Context, args json.RawMessage) (tools.Result, error) {
			return v.call(ctx, spec, args)
		}})
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.leftOut = leftOut
	return l.list, nil
}

// read reads all pages of the list.
func (v *Server) read(ctx context.Context, l *link) (all []*sdk.Tool, err error) {
	params := &sdk.ListToolsParams{}
	for range mostPages {
		page, err := l.session.ListTools(ctx, params)
		if err != nil {
			return nil, err
		}
		if all = append(all, page.Tools...); len(all) > mostTools {
			return nil, fmt.Errorf("more than %d tools", mostTools)
		}
		if page.NextCursor == "" {
			return all, nil
		}
		params = &sdk.ListToolsParams{Cursor: page.NextCursor}
	}
	return nil, fmt.Errorf("more than %d pages", mostPages)
}

func (v *Server) specOf(t *sdk.Tool) tools.Spec {
	s := tools.Spec{Server: v.spec.Name, Name: t.Name, Description: text.Lines(t.Description), Input: schemaOf(t.InputSchema), Output: schemaOf(t.OutputSchema)}
	s.Hints.ReachesOutside = true // unless it says otherwise
	if a := t.Annotations; a != nil {
		s.Hints = tools.Hints{
			ReadsOnly: a.ReadOnlyHint, Repeatable: a.ReadOnlyHint || a.IdempotentHint, ReachesOutside: a.OpenWorldHint == nil || *a.OpenWorldHint,
		}
	}
	return s.Lenient()
}

// schemaOf returns a schema that was decoded from JSON; nil for none.
func schemaOf(schema any) json.RawMessage {
	if schema == nil {
		return nil
	}
	text, _ := json.Marshal(schema) // what was decoded marshals
	return text
}
