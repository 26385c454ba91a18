package teams

import (
	"strings"

	"github.com/swarmbus/swarmbus/internal/text"
)

// A Memory says where a team keeps what it learns. Store is required.
type Memory struct {
	Store      Place  `json:"store" jsonschema:"SQLite file, in which ${VAR} stands for an environment variable, or the name in capitals of the environment variable that has the URL of a Postgres database."`
	Embeddings string `json:"embeddings,omitempty" jsonschema:"The name of a model of the team that makes vectors of texts, and that no agent uses. Default: words are counted, without a model."`
	Bytes      int    `json:"bytes,omitempty" jsonschema:"Bytes of the facts with which a solve begins, together. Default: 8192."`
}

// mostBrief is the most bytes of a brief.
const mostBrief = 1 << 20

// Postgres returns the variable that has the URL of the database; "": the store is a file.
func (m *Memory) Postgres() Variable {
	if variableName.MatchString(string(m.Store)) {
		return Variable(m.Store)
	}
	return ""
}

// Embeds reports whether a model makes the vectors of the team's memory.
func (t *Team) Embeds(model string) bool {
	return t.Memory != nil && model != "" && t.Memory.Embeddings == model
}

func (t *Team) checkMemory(f *faults) {
	m := t.Memory
	if m == nil {
		return
	}
	switch {
	case m.Store == "":
		f.add("memory.store", "is required")
	case strings.Contains(string(m.Store), "://"):
		f.add("memory.store", "is a URL: name the environment variable that has it")
	}
	if m.Bytes < 0 || m.Bytes > mostBrief {
		f.add("memory.bytes", "%d is not from 1 to %d", m.Bytes, mostBrief)
	}
	if about, found := t.Models[m.Embeddings]; m.Embeddings != "" && !found {
		f.add("memory.embeddings", "no model is called %q%s", m.Embeddings, text.Suggest(m.Embeddings, t.names()))
	} else if about.Provider.Protocol() == Anthropic {
		f.add("memory.embeddings", "anthropic's protocol has no models that make vectors")
	}
}
