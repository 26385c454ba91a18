package openai

import (
	"context"
	"fmt"

	openai "github.com/sashabaranov/go-openai"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/internal/wire"
)

var _ models.Embedder = (*Model)(nil)

// Embed implements [models.Embedder].
func (m *Model) Embed(ctx context.Context, texts ...string) (*models.Vectors, error) {
	inside, seen := wire.Watch(ctx)
	got, err := m.client.CreateEmbeddings(inside, openai.EmbeddingRequest{Input: texts, Model: openai.EmbeddingModel(m.id.Name)})
	if err != nil {
		return nil, m.failed(ctx, err, seen)
	}
	all := make([][]float32, len(texts))
	for _, d := range got.Data {
		if d.Index >= 0 && d.Index < len(all) {
			all[d.Index] = d.Embedding
		}
	}
	for _, v := range all {
		if len(v) == 0 || len(v) != len(all[0]) {
			return nil, &models.Error{Model: m.id, Problem: models.ErrMalformed, Status: seen.Status, Detail: fmt.Sprintf("%d texts have %d vectors, or not of one length", len(texts), len(got.Data))}
		}
	}
	a := models.Answer{Usage: models.Usage{Input: got.Usage.PromptTokens}}
	if !a.Counted() {
		a.Usage = models.Usage{}
	}
	return &models.Vectors{All: all, Usage: a.Usage}, nil
}
