package openai

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/internal/wire"
)

var _ models.Embedder = (*Model)(nil)

// Embed implements [models.Embedder].
func (m *Model) Embed(ctx context.Context, texts ...string) (*models.Vectors, error) {
	all, found, a := make([][]float32, len(texts)), 0, models.Answer{}
	resp, _, err := m.post(ctx, "/embeddings", object{"input": texts, "model": m.id.Name}, func(e wire.Event) error {
		o := e.Object()
		for place, one := range o.List("data") {
			d := wire.ObjectOf(one)
			if d["index"] != nil {
				place = d.Number("index")
			}
			if place >= 0 && place < len(all) && json.Unmarshal(d["embedding"], &all[place]) != nil {
				all[place] = nil
			}
			found++
		}
		a.Usage.Input = max(a.Usage.Input, o.Object("usage").Number("prompt_tokens", "total_tokens"))
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, v := range all {
		if len(v) == 0 || len(v) != len(all[0]) {
			return nil, resp.Problem(models.ErrMalformed, fmt.Sprintf("%d texts have %d vectors, or not of one length %s", len(texts), found, resp.Words()))
		}
	}
	if !a.Counted() {
		a.Usage = models.Usage{}
	}
	return &models.Vectors{All: all, Usage: a.Usage}, nil
}
