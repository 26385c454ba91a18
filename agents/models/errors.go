package models

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/agents"
)

// A Problem is a reason why a model did not answer. It is an error, for use
// with errors.Is(err, models.ErrRateLimited).
type Problem struct {
	text   string
	passes bool
	is     error // of another package; nil: none
}

func (p *Problem) Error() string { return "models: " + p.text }

// Unwrap returns the corresponding error of another package, if any.
func (p *Problem) Unwrap() error { return p.is }

// The problems that a retry may solve.
var (
	ErrRateLimited = &Problem{text: "too many requests", passes: true}
	ErrOverloaded  = &Problem{text: "the provider is overloaded or failed", passes: true}
	ErrTimeout     = &Problem{text: "no answer in time", passes: true}
	ErrConnection  = &Problem{text: "the connection failed", passes: true}
	ErrCutOff      = &Problem{text: "the answer broke off", passes: true}
	ErrMalformed   = &Problem{text: "the provider's answer cannot be read", passes: true}
	ErrOpen        = &Problem{text: "the provider failed too often: it is left alone for a while", passes: true}
)

// The problems that a retry does not solve.
var (
	ErrAuth     = &Problem{text: "the key is missing, wrong or not enough"}
	ErrNotFound = &Problem{text: "no such model"}
	ErrInvalid  = &Problem{text: "the request was refused"}
	ErrQuota    = &Problem{text: "the account has no credit left"}
	ErrFiltered = &Problem{text: "the provider withheld the answer"}
	ErrBudget   = &Problem{text: "the budget does not allow the call", is: agents.ErrBudget}
	ErrPrice    = &Problem{text: "the budget is in money and the model has no price"}
	ErrScript   = &Problem{text: "the script has no more answers"}
)

// An Error describes a failed call.
type Error struct {
	Model   ID
	Problem *Problem
	Status  int           // HTTP status; 0: none
	After   time.Duration // the wait that the provider asks for; 0: none
	Detail  string        // details, at most 500 bytes
	Err     error         // the cause; may be nil
	// Unbilled says that the call cost nothing: it was refused, or did not
	// reach the provider. Other failed calls may have cost something.
	Unbilled bool
	// Final says that a retry was made or given up already: the error is not
	// temporary, whatever the problem.
	Final bool
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v: %s", e.Problem, e.Model)
	if e.Status != 0 {
		fmt.Fprintf(&b, ": status %d", e.Status)
	}
	if e.After > 0 {
		fmt.Fprintf(&b, ": to be retried after %v", e.After.Round(time.Millisecond))
	}
	if e.Detail != "" {
		fmt.Fprintf(&b, ": %s", e.Detail)
	}
	return b.String()
}

// Unwrap returns the problem and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Problem}
	}
	return []error{e.Problem, e.Err}
}

// Temporary reports whether a retry may help: a turn that failed with such an
// error is retried.
func (e *Error) Temporary() bool { return e.Problem.passes && !e.Final }

// Outage reports whether the problem passes, also after the last retry.
func (e *Error) Outage() bool { return e.Problem.passes }

// RetryAfter returns After.
func (e *Error) RetryAfter() time.Duration { return e.After }

// StatusError returns the error for a response with a status of 400 or more. Its After
// is that of [After]; without one, for a status of 429, it is the time until the limits are
// reset that the header names. The error is Unbilled if the status says that the request was refused, or that the
// server failed by itself: 400, 401, 402, 403, 404, 405, 413, 415, 422, 429, 500, 503 and 529. After any
// other, such as a gateway's 504, the provider may have answered, and charge for it.
func StatusError(id ID, status int, h http.Header, detail string) *Error {
	after := After(h, time.Now())
	if after == 0 && status == http.StatusTooManyRequests {
		after = reset(h, time.Now())
	}
	return &Error{
		Model: id, Problem: problemOf(status), Status: status, After: after, Detail: detail, Unbilled: isFree(status),
	}
}

// overloaded is a status of some providers, which is not registered.
const overloaded = 529

func isFree(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusNotFound,
		http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity,
		http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable, overloaded:
		return true
	}
	return false
}

func problemOf(status int) *Problem {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return ErrAuth
	case status == http.StatusPaymentRequired:
		return ErrQuota
	case status == http.StatusNotFound:
		return ErrNotFound
	case status == http.StatusRequestTimeout:
		return ErrTimeout
	case status == http.StatusTooManyRequests:
		return ErrRateLimited
	case status == http.StatusConflict || status >= 500 && status != http.StatusNotImplemented:
		return ErrOverloaded
	default:
		return ErrInvalid
	}
}

// After returns how long a response asks to wait, at most a year: Retry-After-Ms, or
// Retry-After in seconds or as a date. It is 0 if the header is missing, invalid or in
// the past.
func After(h http.Header, now time.Time) time.Duration {
	if ms, ok := number(h.Get("Retry-After-Ms")); ok {
		return upToAYear(ms / 1000)
	}
	value := strings.TrimSpace(h.Get("Retry-After"))
	if s, ok := number(value); ok {
		return upToAYear(s)
	}
	if date, err := http.ParseTime(value); err == nil {
		return upToAYear(date.Sub(now).Seconds())
	}
	return 0
}

// reset returns how long it takes until all limits are reset of which nothing remains, by the
// pairs of headers that providers have for them, such as x-ratelimit-remaining-tokens and
// x-ratelimit-reset-tokens. Their values are durations, seconds or times.
func reset(h http.Header, now time.Time) (after time.Duration) {
	for name := range h {
		lower := strings.ToLower(name)
		if !strings.Contains(lower, "ratelimit-") || !strings.Contains(lower, "remaining") || strings.Trim(h.Get(name), "0. ") != "" || h.Get(name) == "" {
			continue
		}
		value := strings.TrimSpace(h.Get(strings.Replace(lower, "remaining", "reset", 1)))
		seconds, isNumber := number(value)
		lasts, err := time.ParseDuration(value)
		switch at, wrong := time.Parse(time.RFC3339, value); {
		case wrong == nil:
			seconds = at.Sub(now).Seconds()
		case isNumber && seconds > 1e12: // milliseconds since 1970
			seconds = seconds/1000 - float64(now.Unix())
		case isNumber && seconds > 1e9:
			seconds -= float64(now.Unix())
		case !isNumber && err == nil:
			seconds = lasts.Seconds()
		}
		after = max(after, upToAYear(seconds))
	}
	return after
}

func upToAYear(seconds float64) time.Duration {
	return time.Duration(min(max(0, seconds), 366*24*3600) * float64(time.Second))
}

// number parses digits, which may have a point.
func number(s string) (float64, bool) {
	x, err := strconv.ParseFloat(s, 64)
	return x, strings.Trim(s, "0123456789.") == "" && (err == nil || errors.Is(err, strconv.ErrRange))
}

// TransportError returns the error for a failure without a complete response: the
// cause of ctx's end, or an [*Error]. received says that a response had begun.
func TransportError(ctx context.Context, id ID, err error, received bool, secrets ...string) error {
	if ctx.Err() != nil {
		return fmt.Errorf("models: %s: %w", id, context.Cause(ctx))
	}
	e := &Error{Model: id, Problem: ErrConnection, Detail: Detail(err.Error(), secrets...), Err: err}
	var op *net.OpError
	var slow net.Error
	switch {
	case received:
		e.Problem = ErrCutOff
	case errors.As(err, &op) && op.Op == "dial":
		e.Unbilled = true
	case errors.As(err, &slow) && slow.Timeout():
		e.Problem = ErrTimeout
	}
	return e
}

// ProblemOf returns the problem with that text, to restore recorded errors. For an
// unknown text it returns a new problem that is not temporary.
func ProblemOf(text string) *Problem {
	for _, p := range []*Problem{
		ErrRateLimited, ErrOverloaded, ErrTimeout, ErrConnection, ErrCutOff, ErrMalformed, ErrOpen,
		ErrAuth, ErrNotFound, ErrInvalid, ErrQuota, ErrFiltered, ErrBudget, ErrPrice, ErrScript,
	} {
		if p.Error() == text {
			return p
		}
	}
	return &Problem{text: strings.TrimPrefix(text, "models: ")}
}
