package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
)

// A Policy says whether a call is made. Its wire form is text.
type Policy uint8

// The policies.
const (
	Allow Policy = 1 + iota // the call is made
	Ask                     // a person is asked
	Deny                    // the call is refused
)

var policyNames = []string{"", "allow", "ask", "deny"}

// String returns the wire name, and "unset" for the zero value.
func (p Policy) String() string {
	switch {
	case p == 0:
		return "unset"
	case int(p) < len(policyNames):
		return policyNames[p]
	}
	return fmt.Sprintf("Policy(%d)", uint8(p))
}

// MarshalText returns the wire name; nothing for the zero value.
func (p Policy) MarshalText() ([]byte, error) {
	if p == 0 {
		return nil, nil
	}
	return []byte(p.String()), nil
}

// UnmarshalText reads what MarshalText writes.
func (p *Policy) UnmarshalText(text []byte) error {
	for i, name := range policyNames {
		if name == string(text) {
			*p = Policy(i)
			return nil
		}
	}
	return fmt.Errorf("tools: policy %q is not one of %q", text, policyNames[1:])
}

// A Rule lets an agent call tools. Of several for one tool the strictest that says something of a
// call counts: deny before ask before allow. If none does, the call is asked.
type Rule struct {
	Tools  string `json:"tools"`            // a tool's name, server/name, or server/*
	Policy Policy `json:"policy,omitempty"` // 0: by what the tool is, see [Spec.Policy]

	// When restricts the rule to calls whose arguments meet all conditions; nil: all calls. Else is
	// the policy of the others; 0: the rule says nothing of them.
	When []Condition `json:"when,omitempty"`
	Else Policy      `json:"else,omitempty"`

	// Check looks at a call for which the rule's policy would hold, as JSON with the members agent,
	// tool and args. The stricter of both counts. Ask does if it fails. It is called again before a
	// call that was asked is made, so it should say the same of the same call. Nil: the policy holds.
	Check func(ctx context.Context, call json.RawMessage) (Policy, error) `json:"-"`

	// Expires is how long a call that the rule asks about waits for an answer; 0: for ever. OnExpiry
	// is what follows.
	Expires  time.Duration `json:"expires,omitempty"`
	OnExpiry asking.Expiry `json:"onExpiry,omitempty"`
}

func (r Rule) validate() error {
	server, name, of := strings.Cut(r.Tools, "/")
	if !of {
		server, name = "s", r.Tools
	}
	if !specName.MatchString(server) || !specName.MatchString(name) && (!of || name != "*") {
		return &signals.FieldError{Field: "rule.tools", Value: r.Tools, Problem: "neither the name of a tool, nor server/name, nor server/*"}
	}
	for field, p := range map[string]Policy{"rule.policy": r.Policy, "rule.else": r.Else} {
		if int(p) >= len(policyNames) {
			return &signals.FieldError{Field: field, Value: p.String(), Problem: "not one of allow, ask and deny"}
		}
	}
	if r.Expires < 0 || r.OnExpiry != "" && r.Expires == 0 {
		return &signals.FieldError{Field: "rule.expires", Value: r.Expires.String(), Problem: "want how long a question waits"}
	}
	if !slices.Contains(asking.Expiries(), r.OnExpiry) {
		return &signals.FieldError{Field: "rule.onExpiry", Value: string(r.OnExpiry), Problem: fmt.Sprintf("not one of %q", asking.Expiries()[1:])}
	}
	if r.Else != 0 && len(r.When) == 0 {
		return &signals.FieldError{Field: "rule.else", Value: r.Else.String(), Problem: "without a condition in when"}
	}
	for _, c := range r.When {
		if err := c.Validate(); err != nil {
			return err
		}
	}
	return nil
}

// names reports whether the rule names one of the tools, by their full names.
func (r Rule) names(all []string) bool {
	server, ofAll := strings.CutSuffix(r.Tools, "*")
	return slices.ContainsFunc(all, func(name string) bool { return name == r.Tools || ofAll && strings.HasPrefix(name, server) })
}

func (r Rule) unnamed(all []string) error {
	return fmt.Errorf("tools: %w", &signals.FieldError{Field: "rule.tools", Value: r.Tools, Problem: "names no tool of Set.From" + text.Suggest(r.Tools, all)})
}

// policy returns the policy of a tool whose rule states none: Allow for a Go function and
// for a server's tool whose hint says that it only reads, Ask for any other.
func (s Spec) policy() Policy {
	if s.Server == "" || s.Hints.ReadsOnly {
		return Allow
	}
	return Ask
}

// PolicyOf returns the policy of a tool by the rules with its name, or else by those for its
// server; 0: no rule lets the agent call it. Ask stands for one that depends on the arguments.
func PolicyOf(s Spec, rules []Rule) Policy {
	p, _ := ruleOf(s, rules)
	return p
}

// rulesFor returns the rules that are for a tool.
func rulesFor(s Spec, rules []Rule) (all []Rule) {
	for _, name := range []string{s.Full(), s.Server + "/*"} {
		for _, r := range rules {
			if r.Tools == name && (name == s.Full() || s.Server != "") {
				all = append(all, r)
			}
		}
		if all != nil {
			return all
		}
	}
	return nil
}

// ruleOf returns the policy of a tool, whatever its arguments, and the rule as it is written; 0
// if there is none.
func ruleOf(s Spec, rules []Rule) (p Policy, text string) {
	for _, r := range rulesFor(s, rules) {
		of := cmp.Or(r.Policy, s.policy())
		if len(r.When) > 0 || r.Check != nil && of != Deny {
			of = max(Ask, min(of, cmp.Or(r.Else, Ask)))
		}
		if of > p {
			p, text = of, r.String()
		}
	}
	return p, text
}

// String returns the rule as it is written, such as "files/write: allow if path is docs/**, else ask".
func (r Rule) String() string {
	text := r.Tools + ": default"
	if r.Policy != 0 {
		text = fmt.Sprintf("%s: %s", r.Tools, r.Policy)
	}
	for i, c := range r.When {
		text += []string{" if ", " and "}[min(i, 1)] + c.String()
	}
	if r.Else != 0 {
		text += fmt.Sprintf(", else %s", r.Else)
	}
	if r.Check != nil {
		text += ", checked"
	}
	return text
}
