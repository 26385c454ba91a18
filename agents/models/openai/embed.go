package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/internal/wire"
)

var _ models.Embedder = (*Model)(nil)

// Embed implements [models.Embedder].
func (m *Model) Embed(ctx context.Context, texts ...string) (*models.Vectors, error) {
	resp, err := m.post(ctx, "/embeddings", object{"input": texts, "model": m.id.Name})
	if err != nil {
		return nil, err
	}
	defer resp.Close()
	if resp.Status >= http.StatusBadRequest {
		_, err := m.refused(resp.Refusal())
		return nil, err
	}
	all, found, a := make([][]float32, len(texts)), 0, models.Answer{}
	for e, err := range resp.Events() {
		said, failed := wire.SaidIn(e)
		switch {
		case err != nil || ctx.Err() != nil:
			return nil, resp.Failed(err)
		case failed:
			return nil, resp.Refused(said)
		}
		o := wire.ObjectOf(e.Data)
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
