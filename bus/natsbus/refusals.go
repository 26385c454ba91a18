package natsbus

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
)

// refusals are the subjects to which the servers did not let this process publish, with why. The
// servers say so beside the request, which is not answered.
type refusals struct{ bySubject sync.Map }

// note keeps an error of the connection that is such a refusal.
func (r *refusals) note(err error) {
	if subject := refusedSubject(err); subject != "" {
		r.bySubject.Store(subject, err)
	}
}

// try calls what publishes to a subject. If it failed because the servers refused that, the error
// wraps [ErrDenied] and says what the process needs.
func (r *refusals) try(subject, needs string, publish func() error) error {
	r.bySubject.Delete(subject) // what was refused earlier may be allowed now
	err := publish()
	if err == nil {
		return nil
	}
	if why, refused := r.bySubject.Load(subject); refused {
		return fmt.Errorf("%w: %w: the user of this process needs the permission to publish to %s", ErrDenied, why.(error), needs)
	}
	return err
}

// refusedSubject returns the subject that an error of the servers names; "": it names none.
func refusedSubject(err error) string {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		return ""
	}
	_, rest, _ := strings.Cut(err.Error(), `Publish to "`)
	subject, _, _ := strings.Cut(rest, `"`)
	return subject
}
