package tools

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

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

// A Rule lets an agent call tools.
type Rule struct {
	Tools  string `json:"tools"`            // a tool's name, server/name, or server/*
	Policy Policy `json:"policy,omitempty"` // 0: by what the tool is, see [Spec.Policy]
}

func (r Rule) validate() error {
	server, name, of := strings.Cut(r.Tools, "/")
	if !of {
		server, name = "s", r.Tools
	}
	if !specName.MatchString(server) || !specName.MatchString(name) && (!of || name != "*") {
		return &signals.FieldError{Field: "rule.tools", Value: r.Tools, Problem: "neither the name of a tool, nor server/name, nor server/*"}
	}
	if int(r.Policy) >= len(policyNames) {
		return &signals.FieldError{Field: "rule.policy", Value: r.Policy.String(), Problem: "not one of allow, ask and deny"}
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

// Policy returns the policy of a tool whose rule states none: Allow for a Go function and
// for a server's tool whose hint says that it only reads, Ask for any other.
func (s Spec) Policy() Policy {
	if s.Server == "" || s.Hints.ReadsOnly {
		return Allow
	}
	return Ask
}

// PolicyOf returns the policy of a tool by the first rule with its name, or else by the
// first for its server; 0: no rule lets the agent call it.
func PolicyOf(s Spec, rules []Rule) Policy {
	r, _ := ruleOf(s, rules)
	return r.Policy
}

// ruleOf returns the rule for a tool, with its policy, and how it is written; the zero rule if
// there is none.
func ruleOf(s Spec, rules []Rule) (r Rule, text string) {
	at := slices.IndexFunc(rules, func(r Rule) bool { return r.Tools == s.Full() })
	if at < 0 && s.Server != "" {
		at = slices.IndexFunc(rules, func(r Rule) bool { return r.Tools == s.Server+"/*" })
	}
	if at < 0 {
		return Rule{}, ""
	}
	r = rules[at]
	text = r.Tools + ": default"
	if r.Policy != 0 {
		text = fmt.Sprintf("%s: %s", r.Tools, r.Policy)
	}
	r.Policy = cmp.Or(r.Policy, s.Policy())
	return r, text
}
