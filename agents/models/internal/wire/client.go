package wire

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/agents/models"
)

// maxBody is the maximum size of a response in bytes.
const maxBody = 16 << 20

// errRedirect is the error of a response that sends the call elsewhere. It is not
// followed: the key and the prompt are for the host of the base URL alone.
var errRedirect = errors.New("the server redirects the call, which is not followed")

// errTooLong is returned when reading a response beyond 16 MiB.
var errTooLong = errors.New("the response has more than 16 MiB")

// A Client makes the calls of one model. It is safe for concurrent use.
type Client struct {
	id      models.ID
	http    *http.Client
	header  http.Header
	secrets []string
}

// NewClient returns a client that adds the header to each call, and whose errors quote
// none of the secrets. It is based on base, or, if that is nil, on a client of its own
// without a proxy.
func NewClient(id models.ID, base *http.Client, header http.Header, secrets []string) *Client {
	own := http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 64, IdleConnTimeout: time.Minute, TLSHandshakeTimeout: 10 * time.Second}}
	if base != nil {
		own = *base
	}
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{id, &own, header, secrets}
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Do makes one call with a body of JSON, if there is one. The caller closes the response,
// whatever its status. An error is the cause of the end of ctx or a [*models.Error].
func (c *Client) Do(ctx context.Context, method, url string, header http.Header, body []byte) (*Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, c.Invalid(err)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, all := range []http.Header{header, c.header} {
		for name, values := range all {
			r.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	hooks.Carry(ctx, r.Header.Set)
	hooks.Note(ctx, hooks.ServerOf(r.URL))
	got, err := c.http.Do(r) //nolint:bodyclose // Response.Close closes it
	if err != nil {
		return nil, models.TransportError(ctx, c.id, err, false, c.secrets...)
	}
	resp := &Response{Status: got.StatusCode, Header: got.Header, client: c, ctx: ctx, body: &limited{ReadCloser: got.Body}}
	if resp.Status >= 300 && resp.Status < 400 {
		resp.Close()
		e := c.Invalid(errRedirect)
		e.Status = resp.Status
		return nil, e
	}
	return resp, nil
}

// Ask posts a body as JSON, and passes the events of the response on to read, whose error says why
// they are no answer, or with [io.EOF] that the answer has ended. An error is that of [Client.Do], or for what the server says in place of
// events; then it comes with what is said, if the server refused the request as invalid.
func (c *Client) Ask(ctx context.Context, url string, header http.Header, body any, read func(Event) error) (*Response, *Said, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, nil, c.Invalid(err)
	}
	began := time.Now()
	resp, err := c.Do(ctx, http.MethodPost, url, header, text)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Close()
	if resp.Status >= http.StatusBadRequest {
		text, _ := io.ReadAll(io.LimitReader(resp.body, 64<<10)) // an error that breaks off is one
		return resp.refused(said(text))
	}
	first := true
	for e, err := range resp.Events() {
		if first && err == nil {
			hooks.Note(ctx, []slog.Attr{slog.Duration(hooks.AttrFirstChunk, time.Since(began)), slog.String(hooks.AttrResponse, responseID(e))})
			first = false
		}
		if err != nil || ctx.Err() != nil {
			return nil, nil, resp.Failed(err)
		}
		if said, failed := SaidIn(e); failed {
			return resp.refused(said)
		}
		if err := read(e); errors.Is(err, io.EOF) { // some servers leave the stream open
			break
		} else if err != nil {
			return nil, nil, resp.Problem(models.ErrMalformed, err.Error())
		}
	}
	if ctx.Err() != nil {
		return nil, nil, resp.Failed(ctx.Err())
	}
	return resp, nil, nil
}

// responseID returns the provider's id of the answer that begins with an event.
func responseID(e Event) string {
	o := e.Object() // an event of another form has none
	return Clean(cmp.Or(o.Text("id"), o.Object("message", "response").Text("id")))
}

// Invalid returns the error of a request that cannot be sent.
func (c *Client) Invalid(err error) *models.Error {
	return &models.Error{Model: c.id, Problem: models.ErrInvalid, Detail: c.detail(err.Error()), Err: err, Unbilled: true}
}

func (c *Client) detail(text string) string { return models.Detail(text, c.secrets...) }

// A Response is a server's response to a call.
type Response struct {
	Status int
	Header http.Header

	client *Client
	ctx    context.Context //nolint:containedctx // a response ends with its call
	body   io.ReadCloser
	stray  []byte // what is no event
}

// Close closes the response.
func (r *Response) Close() { _ = r.body.Close() }

// Read returns the whole body.
func (r *Response) Read() ([]byte, error) {
	text, err := io.ReadAll(r.body)
	if err != nil {
		return nil, r.Failed(err)
	}
	return text, nil
}

// Problem returns an error of the response.
func (r *Response) Problem(p *models.Problem, detail string) *models.Error {
	return &models.Error{Model: r.client.id, Problem: p, Status: r.Status, Detail: r.client.detail(detail)}
}

// Failed returns the error for a response that cannot be read: the cause of the end of
// the call's context, if it has ended, or a [*models.Error].
func (r *Response) Failed(err error) error {
	if r.ctx.Err() == nil && (errors.Is(err, errTooLong) || isJSON(err)) {
		e := r.Problem(models.ErrMalformed, err.Error())
		e.Err = err
		return e
	}
	return models.TransportError(r.ctx, r.client.id, err, true, r.client.secrets...)
}

func isJSON(err error) bool {
	return errors.As(err, new(*json.SyntaxError)) || errors.As(err, new(*json.UnmarshalTypeError))
}

// limited is a body limited to maxBody.
type limited struct {
	io.ReadCloser
	read int
}

func (b *limited) Read(p []byte) (int, error) {
	if b.read >= maxBody {
		return 0, errTooLong
	}
	n, err := b.ReadCloser.Read(p)
	b.read += n
	return n, err
}
