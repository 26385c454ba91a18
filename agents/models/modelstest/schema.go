package modelstest

import (
	"encoding/json"
	"fmt"
	"slices"
)

// checkSchema refuses a schema that cannot be enforced: objects have all their
// properties required and no others, and no keyword is refused.
func checkSchema(path string, data json.RawMessage, refused ...string) error {
	var schema map[string]json.RawMessage
	if err := json.Unmarshal(data, &schema); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for keyword := range schema {
		if slices.Contains(append(refused, "allOf", "not", "if", "patternProperties", "dependentRequired"), keyword) {
			return fmt.Errorf("%s: %q is not permitted", path, keyword)
		}
	}
	if properties := schema["properties"]; properties != nil || string(schema["type"]) == `"object"` {
		if err := checkObject(path, schema, refused); err != nil {
			return err
		}
	}
	if items := schema["items"]; items != nil {
		if err := checkSchema(path+".items", items, refused...); err != nil {
			return err
		}
	}
	var choices []json.RawMessage
	_ = json.Unmarshal(schema["anyOf"], &choices)
	for i, one := range choices {
		if err := checkSchema(fmt.Sprintf("%s.anyOf[%d]", path, i), one, refused...); err != nil {
			return err
		}
	}
	return nil
}

func checkObject(path string, schema map[string]json.RawMessage, refused []string) error {
	var properties map[string]json.RawMessage
	var required []string
	_ = json.Unmarshal(schema["properties"], &properties)
	_ = json.Unmarshal(schema["required"], &required)
	if string(schema["additionalProperties"]) != "false" {
		return fmt.Errorf("%s: additionalProperties has to be false", path)
	}
	for name, property := range properties {
		if !slices.Contains(required, name) {
			return fmt.Errorf("%s: %q has to be required", path, name)
		}
		if err := checkSchema(path+"."+name, property, refused...); err != nil {
			return err
		}
	}
	if len(required) != len(properties) {
		return fmt.Errorf("%s: %d are required of %d", path, len(required), len(properties))
	}
	return nil
}
