package schema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/internal/schema"
)

func TestATypeThatThereIsNotIsRefusedWithItsPlace(t *testing.T) {
	for of, want := range map[string]string{
		`{"type":"objekt"}`: `type: "objekt" is no type; did you mean "object"?`,
		`{"type":"object","properties":{"n":{"type":"int"}}}`:                              `properties.n.type: "int" is no type; did you mean "integer"?`,
		`{"type":"object","properties":{"n":{"anyOf":[{"type":["string","nil"]}]}}}`:       `"nil" is no type`,
		`{"type":"object","properties":{"type":{"enum":[{"type":"objekt"}]}}}`:             "",
		`{"type":"object","properties":{"properties":{"type":"string","default":"type"}}}`: "",
	} {
		_, err := schema.Compile(json.RawMessage(of))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", of, err, want)
		}
	}
}
