package cassette

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/bus/journal"
)

var _ models.Payer = (*recorded)(nil)

// errPaid keeps what could be paid for out of the record.
var errPaid = errors.New("cassette: the budget suffices")

// Reserve implements [models.Payer]. Only that a budget did not suffice is recorded; a
// replay can pay for everything else.
func (r *recorded) Reserve(ctx context.Context, q *models.Request, n int) (release func(), ok bool) {
	if r.answers {
		return models.Reserve(ctx, r.model, q, n) // the log of the run that continues has it
	}
	text, err := r.request(q)
	if err != nil {
		return func() {}, true // the call itself fails
	}
	release = func() {}
	key := journal.Key{Agent: "cassette", Request: journal.HashRequest(fmt.Appendf(text, "×%d", n))}
	_, err = r.by.Do(ctx, key, func(ctx context.Context) ([]byte, error) {
		if r.model != nil {
			release, ok = models.Reserve(ctx, r.model, q, n)
		}
		if ok {
			return nil, errPaid
		}
		return json.Marshal(entry{Unpaid: true})
	})
	return release, err != nil
}
