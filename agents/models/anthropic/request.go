package anthropic

import (
	"encoding/json"
	"fmt"

	anthropic "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/swarmbus/swarmbus/agents/models"
)

// request converts a request to the protocol.
func (m *Model) request(r *models.Request) (to anthropic.MessageNewParams, err error) {
	to = anthropic.MessageNewParams{Model: m.id.Name, MaxTokens: int64(r.Most), Messages: messages(r.Messages)}
	if r.System != "" {
		to.System = []anthropic.TextBlockParam{{Text: r.System}}
	}
	if r.Temperature != nil {
		to.Temperature = param.NewOpt(*r.Temperature)
	}
	if r.Schema != nil {
		var schema map[string]any
		if err := json.Unmarshal(r.Schema.JSON, &schema); err != nil {
			return to, fmt.Errorf("schema %s: %w", r.Schema.Name, err)
		}
		to.OutputConfig.Format.Schema = accepted(schema)
	}
	for _, t := range r.Tools {
		var schema map[string]any
		if err := json.Unmarshal(t.Schema, &schema); err != nil {
			return to, fmt.Errorf("tool %s: %w", t.Name, err)
		}
		delete(schema, "type") // always "object", which the library adds
		to.Tools = append(to.Tools, anthropic.ToolUnionParam{OfTool: &anthropic.ToolParam{
			Name: t.Name, Description: param.NewOpt(t.Description), InputSchema: anthropic.ToolInputSchemaParam{ExtraFields: schema},
		}})
	}
	if len(to.Tools) > 0 && r.NoCalls {
		none := anthropic.NewToolChoiceNoneParam()
		to.ToolChoice.OfNone = &none
	}
	if m.cache {
		mark(&to)
	}
	return to, nil
}

func messages(from []models.Message) (all []anthropic.MessageParam) {
	for _, m := range from {
		to := anthropic.MessageParam{Role: anthropic.MessageParamRole(m.Role)}
		for _, result := range m.Results { // before the text, as the provider requires
			to.Content = append(to.Content, anthropic.NewToolResultBlock(result.Call, result.Text, result.IsError))
		}
		if m.Text != "" {
			to.Content = append(to.Content, anthropic.NewTextBlock(m.Text))
		}
		for _, c := range m.Calls {
			to.Content = append(to.Content, anthropic.NewToolUseBlock(c.ID, c.Args, c.Name))
		}
		if len(to.Content) > 0 {
			all = append(all, to)
		}
	}
	return all
}

// mark marks everything before the last message for caching.
func mark(to *anthropic.MessageNewParams) {
	if len(to.Messages) < 2 {
		return
	}
	content := to.Messages[len(to.Messages)-2].Content
	if last := content[len(content)-1].GetCacheControl(); last != nil {
		*last = anthropic.NewCacheControlEphemeralParam()
	}
}

// accepted returns a schema without the keywords that the provider refuses:
// bounds of numbers, strings and arrays.
func accepted(schema map[string]any) map[string]any {
	for _, keyword := range []string{
		"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems",
	} {
		delete(schema, keyword)
	}
	for key, value := range schema {
		switch v := value.(type) {
		case map[string]any:
			if key == "properties" || key == "$defs" {
				for name, property := range v { // whose names may equal keywords
					if p, ok := property.(map[string]any); ok {
						v[name] = accepted(p)
					}
				}
				continue
			}
			schema[key] = accepted(v)
		case []any:
			for i, x := range v {
				if p, ok := x.(map[string]any); ok && key != "enum" {
					v[i] = accepted(p)
				}
			}
		}
	}
	return schema
}
