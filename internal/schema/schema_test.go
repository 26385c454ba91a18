package schema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/internal/schema"
)

// Each of them was read by the library as one that refers to itself, or took gigabytes.
func TestASchemaThatRefersToItselfOrMultipliesIsRefusedHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	long := `"(?:` + strings.Repeat("a", 3000) + `){1000}"`
	for name, of := range map[string]string{
		"a reference to itself": `{"$ref":"#"}`,
		"in other letters":      `{"$Ref":"#"}`,
		"nested, other letters": `{"properties":{"a":{"$REF":"#"}}}`,
		"escapes":               `{"$ref":"#/%24defs/a","%24defs":{"a":{}},"$defs":{"a":{"$ref":"#/%24defs/a"}}}`,
		"a base of its own":     `{"$defs":{"z":{},"q":{"$id":"http://x/q","$ref":"#/$defs/z","$defs":{"z":{"$ref":"#/$defs/z"}}}},"$ref":"#/$defs/q"}`,
		"a member twice":        `{"if":{"$ref":"#"},"if":{"title":"x"}}`,
		"a long pattern":        `{"pattern":` + long + `}`,
		"of names":              `{"patternProperties":{` + long + `:{}}}`,
		"repeated twice":        `{"pattern":"(?:(?:abc){200}){200}"}`,
		"many":                  `{"anyOf":[` + strings.Repeat(`{"pattern":"(?:abcdefgh){100}"},`, 20) + `{}]}`,
	} {
		if _, err := schema.Compile(json.RawMessage(of)); err == nil {
			t.Errorf("%s: it is taken", name)
		}
	}
	for name, of := range map[string]string{
		"a reference":        `{"$id":"http://x/y","$defs":{"a":{"type":"string"}},"properties":{"b":{"$ref":"#/$defs/a"}}}`,
		"a property $id":     `{"properties":{"$id":{"type":"string"},"pattern":{"type":"string"}}}`,
		"a pattern":          `{"properties":{"b":{"pattern":"^[a-z]{1,64}$"}},"patternProperties":{"^x-":{}}}`,
		"an unusual pattern": `{"pattern":"^(\\w+\\.)*\\w{2,}$"}`,
	} {
		if _, err := schema.Compile(json.RawMessage(of)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
