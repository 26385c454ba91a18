package mcp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/internal/schema"
	"github.com/swarmbus/swarmbus/internal/text"
)

// resultOf returns a result as text: the structured result, if there is one, then the
// contents, without texts that only repeat it.
func resultOf(spec tools.Spec, r *sdk.CallToolResult) (tools.Result, error) {
	if r.NeedsInput() {
		return tools.Result{Text: "the tool asks for input from a person, which it cannot have here", IsError: true}, nil
	}
	var parts []string
	if r.StructuredContent != nil {
		structured, err := json.Marshal(r.StructuredContent)
		if err != nil {
			return tools.Result{}, err
		}
		parts = append(parts, string(structured))
		if err := schema.Check(spec.Output, structured); err != nil && !r.IsError {
			return tools.Result{}, fmt.Errorf("the structured result does not conform to the tool's own schema: %.300s", text.Line(err.Error()))
		}
	}
	for _, c := range r.Content {
		text, isText := c.(*sdk.TextContent)
		if isText && r.StructuredContent != nil && repeats(text.Text, r.StructuredContent) {
			continue
		}
		parts = append(parts, stated(c))
	}
	return tools.Result{Text: strings.Join(parts, "\n"), IsError: r.IsError}, nil
}

func repeats(text string, structured any) bool {
	var value any
	return json.Unmarshal([]byte(text), &value) == nil && reflect.DeepEqual(value, structured)
}

// stated returns a content as text. Binary data is not shown.
func stated(c sdk.Content) string {
	switch c := c.(type) {
	case *sdk.TextContent:
		return c.Text
	case *sdk.ImageContent:
		return fmt.Sprintf("[an image, %s, %d bytes, not shown]", kind(c.MIMEType), len(c.Data))
	case *sdk.AudioContent:
		return fmt.Sprintf("[audio, %s, %d bytes, not shown]", kind(c.MIMEType), len(c.Data))
	case *sdk.ResourceLink:
		return fmt.Sprintf("[a link to the resource %s, %s, %s]", c.URI, kind(c.MIMEType), cmp.Or(c.Description, c.Title, c.Name))
	case *sdk.EmbeddedResource:
		if r := c.Resource; r != nil && r.Blob == nil {
			return fmt.Sprintf("[the resource %s, %s]\n%s", r.URI, kind(r.MIMEType), r.Text)
		} else if r != nil {
			return fmt.Sprintf("[the resource %s, %s, %d bytes, not shown]", r.URI, kind(r.MIMEType), len(r.Blob))
		}
	}
	return fmt.Sprintf("[content of a kind that cannot be shown: %T]", c)
}

func kind(mime string) string { return cmp.Or(mime, "of an unknown type") }
