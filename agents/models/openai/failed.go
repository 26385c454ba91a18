package openai

import (
	"context"
	"errors"
	"net/http"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/internal/wire"
)

// failed converts an error of the library.
func (m *Model) failed(ctx context.Context, err error, seen *wire.Seen) error {
	var said *openai.APIError
	var refused *openai.RequestError
	switch {
	case ctx.Err() != nil:
	case errors.As(err, &said):
		return m.said(said, seen)
	case errors.Is(err, errStray):
		return &models.Error{Model: m.id, Problem: models.ErrMalformed, Status: seen.Status, Detail: models.Detail(err.Error(), m.secrets...)}
	case seen.Status >= 400:
		detail := err.Error()
		if errors.As(err, &refused) {
			detail = string(refused.Body)
		}
		return m.refused(seen.Status, seen, detail)
	}
	return seen.Failed(ctx, m.id, err, m.secrets...)
}

// refused is the error of a status. That a server has no such path is more often the
// base URL's fault than the model's.
func (m *Model) refused(status int, seen *wire.Seen, detail string) *models.Error {
	if status == http.StatusNotFound && m.bare {
		detail = "the base URL has no path, such as /v1: " + detail
	}
	return models.StatusError(m.id, status, seen.Header, models.Detail(detail, m.secrets...))
}

// said converts an error message of the server, sent as the response or in the
// middle of a stream.
func (m *Model) said(said *openai.APIError, seen *wire.Seen) error {
	status, inStream := seen.Status, seen.Status < 400
	if inStream {
		status = 500
		if code, ok := said.Code.(int); ok && code >= 400 && code < 600 {
			status = code
		}
	}
	e := m.refused(status, seen, said.Message)
	e.Unbilled = e.Unbilled && !inStream
	code, _ := said.Code.(string)
	switch {
	case code == "insufficient_quota" || said.Type == "insufficient_quota":
		e.Problem = models.ErrQuota
	case inStream && (strings.HasPrefix(code, "rate_limit") || strings.HasPrefix(said.Type, "rate_limit")):
		e.Problem = models.ErrRateLimited
	case inStream && said.Type == "invalid_request_error":
		e.Problem = models.ErrInvalid
	}
	e.Status = seen.Status
	return e
}
