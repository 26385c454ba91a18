package wire

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/swarmbus/swarmbus/agents/models"
)

// Failed returns the error for a failure without a message of the provider: the cause
// of ctx's end, if it has ended, or a [*models.Error] without the secrets.
func (s *Seen) Failed(ctx context.Context, id models.ID, err error, secrets ...string) error {
	if ctx.Err() != nil { // err may be nil, if the answer ended as well
		return models.TransportError(ctx, id, err, s.Status != 0)
	}
	e := &models.Error{Model: id, Status: s.Status, Detail: models.Detail(err.Error(), secrets...), Err: err}
	switch {
	case !s.Sent || errors.Is(err, ErrRedirect): // the library refused the request, or the server did
		e.Problem, e.Unbilled = models.ErrInvalid, true
		return e
	case errors.As(err, new(*NoStreamError)):
		e.Problem, e.Final = models.ErrMalformed, true
		return e
	case isJSON(err) || errors.Is(err, ErrTooLong):
		e.Problem = models.ErrMalformed
		return e
	}
	return models.TransportError(ctx, id, err, s.Status != 0, secrets...)
}

func isJSON(err error) bool {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	return errors.As(err, &syntax) || errors.As(err, &kind)
}
