package teams

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/swarmbus/swarmbus/internal/schema"
	"github.com/swarmbus/swarmbus/internal/text"
)

// An Answer says what the answers of a team are.
type Answer struct {
	// Schema is the schema as encoding/json decodes it, or the name of a file that has it, which [Parse] reads.
	Schema any `json:"schema" jsonschema:"JSON Schema that answers conform to: the schema itself, or the name of a file beside this one that has it."`
}

// AnswerOf returns what answers are that conform to a JSON Schema in a file.
func AnswerOf(file string) (*Answer, error) {
	of, err := text.ReadFile(file, 64<<10)
	if err != nil {
		return nil, err
	}
	a := &Answer{}
	if err := json.Unmarshal(of, &a.Schema); err != nil {
		return nil, fmt.Errorf("%s is no JSON: %w", file, err)
	}
	if err := a.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return a, nil
}

// read reads the file that the schema names, in a directory.
func (a *Answer) read(dir string) error {
	if a == nil {
		return nil
	}
	name, named := a.Schema.(string)
	if !named {
		return nil
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	of, err := AnswerOf(name)
	if err == nil {
		*a = *of
	}
	return err
}

func (a *Answer) check() error {
	_, err := schema.New(a.text())
	return err
}

func (a *Answer) text() string {
	of, _ := json.Marshal(a.Schema) // it was decoded
	return string(of)
}

// AnswerSchema returns the JSON Schema of the answers, for [signals.Task]; "": they are texts.
func (t *Team) AnswerSchema() string {
	if t == nil || t.Answer == nil {
		return ""
	}
	return t.Answer.text()
}
