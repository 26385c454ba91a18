package reports

import (
	_ "embed" // the schema and the instructions are files
	"encoding/json"
	"slices"
)

//go:embed schema.json
var schema []byte

// SchemaName is the schema's name, where a provider wants one.
const SchemaName = "turn_report"

// Schema returns the JSON Schema of a report. It has nothing but what every
// provider of structured output takes: type, properties, required, items, enum
// and description, with all members required and no others. How many items a
// report may have, and how long texts may be, it leaves to the [Gate], which
// refuses an item where a schema would refuse the report.
func Schema() json.RawMessage { return slices.Clone(schema) }
