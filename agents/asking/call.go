package asking

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
)

// The kinds of questions about calls of tools and of their answers. They count if the system
// says them.
const (
	KindAsked    signals.Kind = "tool:asked"
	KindAnswered signals.Kind = "tool:answered"
)

// Payloads returns the registrations of these kinds for a [signals.Codec].
func Payloads() []signals.Registration {
	return []signals.Registration{signals.For[Call](), signals.For[Answer]()}
}

// A Call is the call of a tool that a person is asked about. Make one with [New].
type Call struct {
	ID     string `json:"id"`              // commits to what an answer allows
	Thread string `json:"thread"`          // required
	Agent  string `json:"agent"`           // required
	Turn   int    `json:"turn"`            // of the agent, from 1
	Call   int    `json:"call"`            // of a tool within the turn, from 1
	Tool   string `json:"tool"`            // required; the full name
	Args   string `json:"args"`            // required; JSON, the bytes that the tool gets
	Spec   string `json:"spec"`            // digest of the tool's definition
	Input  string `json:"input,omitempty"` // JSON schema of other arguments that an answer may have; "": any
	Rule   string `json:"rule"`            // that asks, such as "files/*: ask"

	// Attempt is 0 for a call that has not been made. Otherwise so many calls began and have
	// no result on record, so the call may have been made.
	Attempt int    `json:"attempt,omitempty"`
	Why     string `json:"why"` // required; why it needs permission

	// Expires is how long the question may wait for an answer, by the clock of the log; 0: for ever.
	// OnExpiry is what follows then.
	Expires  time.Duration `json:"expires,omitempty"`
	OnExpiry Expiry        `json:"onExpiry,omitempty"`

	Changed string `json:"changed,omitempty"` // the tool's definition as JSON, if it is not the one that was offered
	Offered string `json:"offered,omitempty"` // with Changed: the one that was offered
	// Was is the id of a question about the same call that was answered when something else was
	// asked: what the answer no longer holds for. WasArgs and WasRule are set if they differ.
	Was     string `json:"was,omitempty"`
	WasArgs string `json:"wasArgs,omitempty"`
	WasRule string `json:"wasRule,omitempty"`

	once, solve string // what answers named in an older log
}

// New returns the call with its ID.
func New(c Call) Call {
	c.ID = c.digest()
	return c
}

// digest returns the ID: a hash of what an answer allows. A field that is added to it has to be
// left out while it is empty, so that the ids in older logs stay.
func (c Call) digest() string {
	all, _ := json.Marshal(struct { // always marshals
		Thread, Agent string
		Turn, Call    int
		Tool, Args    string
		Spec, Rule    string
		Attempt       int
		Expires       time.Duration `json:",omitempty"`
		OnExpiry      Expiry        `json:",omitempty"`
	}{c.Thread, c.Agent, c.Turn, c.Call, c.Tool, Digest(c.Args), c.Spec, c.Rule, c.Attempt, c.Expires, c.OnExpiry})
	return Digest(string(all))[:32]
}

// Digest returns the SHA-256 of a text, such as arguments, in hexadecimal.
func Digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// most is the most bytes of the texts of a question.
const most = 256 << 10

// A spec is what is shown of the definition of a tool.
type spec struct {
	Server      string          `json:"server"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Input       json.RawMessage `json:"input"`
}

func (s spec) full() string { return strings.TrimPrefix(s.Server+"/"+s.Name, "/") }

// spec returns the changed definition.
func (c Call) spec() spec { return specOf(c.Changed) }

func specOf(definition string) (s spec) {
	_ = json.Unmarshal([]byte(definition), &s) // what is none is refused by Check
	return s
}

// size returns how many bytes of others the question has.
func (c Call) size() int {
	return len(c.Args) + len(c.Why) + len(c.Changed) + len(c.Offered) + len(c.WasArgs) + len(c.Input)
}

// Kind returns KindAsked.
func (Call) Kind() signals.Kind { return KindAsked }

// Check implements [signals.Checker]. The id has to be that of this call of this tool with
// these arguments, so that an answer allows what was shown and nothing else.
func (c Call) Check(l signals.Limits) error {
	wrong := func(field, value, problem string) error {
		return &signals.FieldError{Kind: KindAsked, Field: field, Value: text.Cut(value, 80), Problem: problem}
	}
	_, unclear := Show(c.Args)
	switch {
	case !json.Valid([]byte(c.Args)):
		return wrong("args", c.Args, "not JSON")
	case unclear != nil && c.Rule != "": // questions without a rule are of older logs
		return wrong("args", c.Args, unclear.Error())
	case c.size() > most:
		return wrong("args", c.Args, fmt.Sprintf("the question has %d bytes, at most %d are allowed", c.size(), most))
	case c.Changed != "" && (c.spec().full() != c.Tool || Digest(c.Changed) != c.Spec):
		return wrong("changed", c.Changed, "not the tool that is asked about")
	case c.Offered != "" && specOf(c.Offered).full() != c.Tool:
		return wrong("offered", c.Offered, "not the tool that is asked about")
	case c.WasArgs != "" && !json.Valid([]byte(c.WasArgs)):
		return wrong("wasArgs", c.WasArgs, "not JSON")
	case c.Input != "" && !json.Valid([]byte(c.Input)):
		return wrong("input", c.Input, "not JSON")
	case c.Expires < 0 || !slices.Contains(Expiries(), c.OnExpiry):
		return wrong("onExpiry", string(c.OnExpiry), fmt.Sprintf("not one of %q", Expiries()))
	case c.ID != c.digest():
		return wrong("id", c.ID, "not that of what is asked")
	}
	return cmp.Or(
		l.Name("thread", c.Thread), l.Name("agent", c.Agent), l.Name("tool", c.Tool), l.Text("args", c.Args), l.Text("input", c.Input),
		l.Text("spec", c.Spec), l.Text("rule", c.Rule), l.Required("why", c.Why), l.Text("changed", c.Changed),
		l.Text("offered", c.Offered), l.Text("was", c.Was), l.Text("wasArgs", c.WasArgs), l.Text("wasRule", c.WasRule),
	)
}

// ForSolve reports whether the call can be allowed for the solve. One that may have been made
// can be allowed once.
func (c Call) ForSolve() bool { return c.Attempt == 0 }

// String returns the question on one line. What agents and servers say in it is quoted.
// Arguments of more than 2 KiB are shown by their beginning, length and SHA-256.
func (c Call) String() string {
	return fmt.Sprintf("%s wants to call %s with %s: %s", c.Agent, c.Tool, excerpt(c.Args), c.Why)
}

// Detail returns the question on several lines: the agent, the tool, all of the arguments as [Show]
// shows them, with their length and hash, why the call needs permission, and what has changed, before
// and now.
func (c Call) Detail() string {
	lines := []string{"agent: " + c.Agent, "tool: " + c.Tool, "arguments: " + shown(c.Args)}
	if len(lines[2]) > short {
		lines = append(lines, fmt.Sprintf("  (%d bytes with the SHA-256 %s)", len(c.Args), Digest(c.Args)))
	}
	lines = append(lines, "asked because: "+c.Why)
	if c.Rule != "" {
		lines = append(lines, "the rule: "+c.Rule)
	}
	if c.Expires > 0 {
		lines = append(lines, fmt.Sprintf("without an answer within %v: %s", c.Expires, cmp.Or(c.OnExpiry, ExpiryDenies)))
	}
	if c.WasArgs != "" {
		lines = append(lines, "what was answered before was about the arguments: "+shown(c.WasArgs))
	}
	if c.WasRule != "" {
		lines = append(lines, "what was answered before was asked by the rule: "+quoted(c.WasRule), "the rule is now: "+quoted(c.Rule))
	}
	if c.Changed == "" {
		return strings.Join(lines, "\n")
	}
	was, now := specOf(c.Offered), c.spec()
	for _, part := range []struct{ name, was, now string }{
		{"description", quoted(was.Description), quoted(now.Description)}, {"schema", shown(string(was.Input)), shown(string(now.Input))},
	} {
		if c.Offered != "" {
			lines = append(lines, "its "+part.name+" was: "+part.was)
		}
		lines = append(lines, "its "+part.name+" is now: "+part.now)
	}
	return strings.Join(lines, "\n")
}

// Shown returns a hash of the question as it is shown: of [Call.Detail].
func (c Call) Shown() string { return Digest(c.Detail()) }

// shown returns JSON as [Show] does; what it refuses is quoted.
func shown(s string) string {
	if of, err := Show(s); err == nil {
		return of
	}
	return text.Quote(s, len(s))
}

// quoted returns a text of others on one line: JSON as it is, if all of it is visible.
func quoted(s string) string {
	if json.Valid([]byte(s)) && text.Printable(s) == s {
		return s
	}
	return text.Quote(s, len(s))
}

// excerpt returns a quoted text; a long one is cut, and states its length and hash.
func excerpt(s string) string {
	const most = 2 << 10
	if len(s) <= most {
		return quoted(s)
	}
	return fmt.Sprintf("%s (the beginning of %d bytes with the SHA-256 %s)", text.Quote(s, most), len(s), Digest(s))
}
