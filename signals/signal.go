package signals

import (
	"fmt"
	"time"
)

// Signal is one message of one agent. A log copies what it is given; a signal
// obtained from a log is shared and must not be modified.
type Signal[P Payload] struct {
	Header
	Payload P
}

// New returns a signal with that header and payload.
func New[P Payload](h Header, p P) *Signal[P] { return &Signal[P]{h, p} }

// Any is a signal of any kind. Only *Signal[P] implements it.
type Any interface {
	// Kind returns the payload's kind; "" if the payload type is not a value
	// type.
	Kind() Kind
	// Head returns the header.
	Head() Header
	// Body returns the payload, for a type switch; [As] is cheaper.
	Body() Payload

	check(Limits) error
	checkBody(Limits) error
	with(Header) Any
	marshal() ([]byte, error)
	payload() ([]byte, error)
	form() formOf
}

// As returns s as a *Signal[P], and whether its payload type is P. A reader of
// mixed signals uses it to pick those it knows, as with errors.As.
func As[P Payload](s Any) (*Signal[P], bool) {
	typed, ok := s.(*Signal[P])
	return typed, ok
}

// With returns a copy of s with header h, its time converted to UTC without the
// monotonic part.
func With(s Any, h Header) Any {
	h.Time = wallTime(h.Time)
	return s.with(h)
}

// Kind implements [Any].
func (s *Signal[P]) Kind() Kind {
	if !isValue[P]() {
		return ""
	}
	return s.Payload.Kind()
}

// Head implements [Any].
func (s *Signal[P]) Head() Header { return s.Header }

// Body implements [Any].
func (s *Signal[P]) Body() Payload { return s.Payload }

func (s *Signal[P]) with(h Header) Any { return &Signal[P]{h, s.Payload} }

func (s *Signal[P]) check(l Limits) error {
	if s == nil {
		return &FieldError{Field: "signal", Value: "nil", Problem: "missing"}
	}
	if err := checkType[P](); err != nil {
		return err
	}
	kind := s.Payload.Kind()
	if err := kind.check(); err != nil {
		return err
	}
	if err := s.Header.check(); err != nil {
		return withKind(err, kind)
	}
	if err := s.checkBody(l); err != nil {
		return withKind(err, kind)
	}
	return nil
}

func (s *Signal[P]) checkBody(l Limits) error {
	// The pointer to the payload has the same methods and, unlike the payload,
	// is converted to an interface without being copied to the heap.
	if c, ok := any(&s.Payload).(Checker); ok {
		return check(c, l)
	}
	return nil
}

// check turns a panic of Check into an error: what one agent made must not end
// the program of all.
func check(c Checker, l Limits) (err error) {
	defer recovered(c, &err)
	return c.Check(l)
}

func recovered(c Checker, err *error) {
	if v := recover(); v != nil {
		*err = &FieldError{Field: "payload", Value: fmt.Sprintf("%T", c), Problem: fmt.Sprintf("its Check panicked: %v", v)}
	}
}

func withKind(err error, kind Kind) error {
	//nolint:errorlint // a wrapped one says more, and is not ours to take apart
	if field, ok := err.(*FieldError); ok && field.Kind == "" {
		named := *field
		named.Kind = kind
		return &named
	}
	return err
}

func wallTime(t time.Time) time.Time { return t.Round(0).UTC() }
