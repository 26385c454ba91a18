package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/agents/models"
)

// A Said is what a server says of a failure.
type Said struct {
	Words  string        // for a person
	code   string        // what of it is for programs: codes, types and statuses, in lower case
	param  string        // the member of the request that is at fault
	status int           // of HTTP; 0: none is named
	after  time.Duration // the wait that the server asks for
}

// SaidIn returns what an event says of a failure, if it is one: by its name, an error member, or
// a form that only errors have.
func SaidIn(e Event) (Said, bool) {
	o := e.Object()
	odd := o["choices"] == nil && o["usage"] == nil && o["content"] == nil &&
		(o.Has("errors") || o.Has("detail") || TextOf(o["message"]) != "" && (o.Has("code") || o.Has("status") || o.Has("type")))
	if e.Name == "error" || o.Has("error") || o.Text("object") == "error" || o.Text("type") == "error" || odd || o.Object("base_resp").Number("status_code") != 0 {
		return said(e.Data), true
	}
	if of := o.Object("response"); of.Has("error") { // of Open Responses
		return said(of["error"]), true
	}
	for _, choice := range o.List("choices") {
		var f finish
		if c := ObjectOf(choice); c.Has("error") {
			if f.add(c); f.why == "" || f.why == broken { // else the answer came to its end before
				return said(c["error"]), true
			}
		}
	}
	return Said{}, false
}

// said reads an error in any form: a text, a page, or JSON.
func said(text []byte) (s Said) {
	text = bytes.TrimSpace(text)
	switch {
	case len(text) == 0:
	case json.Valid(text):
		s.read(text, 0)
		s.Words = cmp.Or(s.Words, string(text))
	case text[0] == '<':
		page := regexp.MustCompile(`(?is)<(script|style)\b.*?</(script|style)>|<[^>]*>`).ReplaceAll(text, []byte(" "))
		s.Words = strings.Join(strings.Fields(html.UnescapeString(string(page))), " ")
	default:
		s.Words = string(text)
	}
	return s
}

// statuses are those of HTTP for the codes that MiniMax sends in an answer with status 200.
var statuses = map[int]int{1002: http.StatusTooManyRequests, 1004: http.StatusUnauthorized, 1008: http.StatusPaymentRequired, 1041: http.StatusTooManyRequests, 2013: http.StatusBadRequest, 2049: http.StatusUnauthorized}

// deepest is how far errors are nested, at most.
const deepest = 8

// read adds what a value says.
func (s *Said) read(value json.RawMessage, depth int) {
	text := Clean(TextOf(value))
	if text != "" && !strings.Contains(s.Words, text) {
		s.Words = strings.TrimPrefix(s.Words+": "+text, ": ")
	}
	o := ObjectOf(value)
	if o == nil {
		o = ObjectOf([]byte(text)) // what another server said
	}
	if depth == deepest {
		return
	}
	if o == nil {
		for _, one := range (Object{"": value}).List("") {
			s.read(one, depth+1)
		}
		return
	}
	for _, name := range []string{"code", "type", "status", "reason", "error_type"} {
		if text := o.Label(name); text != "" && text != "error" {
			s.code = strings.TrimSpace(s.code + " " + strings.ToLower(text))
		}
	}
	for _, name := range []string{"code", "status", "status_code", "statusCode", "http_status", "error_code"} {
		if code := o.Number(name); code >= 400 && code < 600 {
			s.status = code
		}
	}
	if code := statuses[o.Number("status_code")]; code != 0 {
		s.status = code
	}
	s.after = max(s.after, wait(o))
	s.param = cmp.Or(Clean(o.Text("param")), s.param)
	if places := o.List("loc"); len(places) > 0 { // FastAPI's
		s.param = cmp.Or(Clean(TextOf(places[len(places)-1])), s.param)
		s.read(places[len(places)-1], depth+1)
	}
	for _, name := range []string{"message", "msg", "error", "errors", "detail", "details", "error_description", "base_resp", "status_msg", "metadata", "raw", "value", "error_message"} {
		s.read(o[name], depth+1)
	}
}

// wait returns how long an error asks to wait.
func wait(o Object) time.Duration {
	if d, err := time.ParseDuration(o.Text("retryDelay", "retry_delay")); err == nil {
		return d
	}
	seconds := max(o.Number("retry_after", "retry_after_seconds"), o.Object("retryDelay", "retry_delay").Number("seconds"))
	return time.Duration(min(seconds, 366*24*3600)) * time.Second
}

// again finds a wait in the words of an error.
var again = regexp.MustCompile(`(?i)(?:try again|retry) (?:in|after) ((?:\d+(?:\.\d+)?(?:ms|s|m|h))+|\d+(?:\.\d+)? (?:second|minute)s?)\b`)

var units = strings.NewReplacer(" seconds", "s", " second", "s", " minutes", "m", " minute", "m")

// sorts are the problems by the codes that servers have for them, the first that is found.
var sorts = []struct {
	problem *models.Problem
	codes   []string
	always  bool // whatever the status says
}{
	{models.ErrQuota, []string{"insufficient_quota", "insufficient_balance", "insufficient_credit", "billing", "payment"}, true},
	{models.ErrFiltered, []string{"content_filter", "content_policy", "contentfilter", "responsibleai", "data_inspection", "moderation"}, true},
	{models.ErrRateLimited, []string{"rate_limit", "ratelimit", "rate-limit", "too_many_requests", "resource_exhausted", "throttl"}, false},
	{models.ErrAuth, []string{"api_key_invalid", "invalid_api_key", "authentication", "unauthenticated", "unauthorized", "permission"}, true},
	{models.ErrNotFound, []string{"model_not_found", "not_found", "notfound", "decommissioned", "model_retired"}, true},
	{models.ErrTimeout, []string{"timeout", "deadline_exceeded"}, false},
	{models.ErrOverloaded, []string{"overloaded", "unavailable", "server_error", "internal", "api_error"}, false},
	{models.ErrInvalid, []string{"invalid", "bad_request", "badrequest", "context_length", "unsupported", "validation", "unprocessable"}, false},
}

// failure returns the error for what a server says instead of an answer, or in the middle of
// one. The status decides whether a retry may help; what is said, which problem it is.
func (r *Response) failure(s Said) *models.Error {
	status, inside := r.Status, r.Status < http.StatusBadRequest
	if inside {
		status = cmp.Or(s.status, http.StatusInternalServerError)
	}
	e := models.StatusError(r.client.id, status, r.Header, r.client.detail(s.Words))
	e.Status, e.Unbilled = r.Status, e.Unbilled && !inside
	for _, sort := range sorts {
		named := func(code string) bool { return strings.Contains(s.code, code) }
		refused := status >= 400 && status < 500
		if slices.ContainsFunc(sort.codes, named) {
			if inside && s.status == 0 || refused && sort.always {
				e.Problem = sort.problem
			}
			break
		}
	}
	e.After = cmp.Or(e.After, s.after)
	if found := again.FindStringSubmatch(s.Words); e.After == 0 && found != nil && e.Temporary() {
		e.After, _ = time.ParseDuration(units.Replace(strings.ToLower(found[1])))
	}
	if repeat, err := strconv.ParseBool(r.Header.Get("X-Should-Retry")); err == nil && !repeat {
		e.Final = true
	}
	return e
}

func (r *Response) refused(s Said) (*Response, *Said, error) {
	e := r.failure(s)
	if e.Problem != models.ErrInvalid && !s.Has("image input", "images", "vision", "multimodal") { // some say that of files with another status
		return nil, nil, e
	}
	return nil, &s, e
}
