package reports

import (
	_ "embed" // the schema and the instructions are files
	"encoding/json"
	"slices"
)

//go:embed schema.json
var schema []byte

// SchemaName is the schema's name, for providers that require one.
const SchemaName = "turn_report"

// Schema returns the JSON Schema of a report. It has only keywords that every
// provider of structured output accepts: type, properties, required, items,
// enum and description, with all members required and no others. The number of
// items and the length of texts are limited by the [Gate], which rejects a
// single item where a schema would reject the report.
func Schema() json.RawMessage { return slices.Clone(schema) }
