package tools

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"path"
	"regexp"
	"strings"

	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
)

// A Condition is about a member of a call's arguments.
type Condition struct {
	Member string `json:"member"` // its name; a.b is the member b of the member a
	// Is says what its value has to be: "<= 100", with one of < <= > >= = !=, compares numbers.
	// Anything else is a glob of the whole text, number, true or false, in which ? stands for a
	// character, * for any that are no /, and ** for any.
	Is string `json:"is"`
}

// String returns the condition in words.
func (c Condition) String() string {
	if op, _ := c.compares(); op != "" {
		return c.Member + " " + c.Is
	}
	return c.Member + " is " + c.Is
}

var comparison = regexp.MustCompile(`^(<=|>=|<|>|=|!=)\s*(-?[0-9]+(?:\.[0-9]+)?)$`)

// compares returns the operator and the number of a comparison; "": it is a glob.
func (c Condition) compares() (op, number string) {
	if m := comparison.FindStringSubmatch(strings.TrimSpace(c.Is)); m != nil {
		return m[1], m[2]
	}
	return "", ""
}

// Validate returns a [*signals.FieldError] for a condition that is none.
func (c Condition) Validate() error {
	op, _ := c.compares()
	switch {
	case c.Member == "":
		return &signals.FieldError{Field: "rule.when.member", Problem: "missing"}
	case c.Is == "":
		return &signals.FieldError{Field: "rule.when.is", Value: c.Member, Problem: "missing"}
	case op == "" && strings.ContainsAny(c.Is[:1], "<>=!"):
		return &signals.FieldError{Field: "rule.when.is", Value: text.Cut(c.Is, 80), Problem: "not a comparison with a number, such as <= 100"}
	}
	return nil
}

// A doubt says why a condition cannot be judged: the call is asked.
type doubt struct{ why string }

func (d *doubt) Error() string { return d.why }

// Holds reports whether members of JSON, whose numbers are json.Number, meet the condition. One about
// a member that is not there does not hold. The error says why it cannot be judged.
func (c Condition) Holds(args map[string]any) (bool, error) {
	value, there, err := member(args, strings.Split(c.Member, "."))
	if err != nil || !there {
		return false, err
	}
	if op, number := c.compares(); op != "" {
		n, ok := value.(json.Number)
		if !ok || len(n) > 64 || strings.ContainsAny(string(n), "eE") {
			return false, &doubt{fmt.Sprintf("%s is no plain number", c.Member)}
		}
		a, _ := new(big.Rat).SetString(string(n))
		b, _ := new(big.Rat).SetString(number)
		sign := a.Cmp(b)
		return map[string]bool{"<": sign < 0, "<=": sign <= 0, ">": sign > 0, ">=": sign >= 0, "=": sign == 0, "!=": sign != 0}[op], nil
	}
	switch value.(type) {
	case string, bool, json.Number:
	default:
		return false, &doubt{fmt.Sprintf("%s is no text, number or truth value", c.Member)}
	}
	said := fmt.Sprint(value)
	if strings.Contains(c.Is, "/") && !isPlain(said) {
		return false, &doubt{fmt.Sprintf("%s is no plain path", c.Member)}
	}
	return glob(c.Is).MatchString(said), nil
}

// isPlain reports whether a path, or that of a URL, means what it says.
func isPlain(s string) bool {
	if _, rest, of := strings.Cut(s, "://"); of {
		s = rest
	}
	return path.Clean(s) == s && s != ".." && !strings.HasPrefix(s, "../") && !strings.ContainsAny(s, "\\\x00%")
}

// member returns a value of the arguments by its path. A member whose name differs in case alone is
// in doubt, since some readers of JSON take one for the other.
func member(args map[string]any, names []string) (value any, there bool, err error) {
	for name := range args {
		if name != names[0] && strings.EqualFold(name, names[0]) {
			return nil, false, &doubt{fmt.Sprintf("%s is a member, too", text.Quote(name, 80))}
		}
	}
	value, there = args[names[0]]
	if !there || len(names) == 1 {
		return value, there, nil
	}
	inside, ok := value.(map[string]any)
	if !ok {
		return nil, false, &doubt{names[0] + " is no object"}
	}
	return member(inside, names[1:])
}

// glob returns what matches texts that a pattern stands for.
func glob(pattern string) *regexp.Regexp {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch {
		case strings.HasPrefix(pattern[i:], "**"):
			b.WriteString("(?s:.*)")
			i++
		case pattern[i] == '*':
			b.WriteString("[^/]*")
		case pattern[i] == '?':
			b.WriteString("[^/]")
		default:
			end := i + 1
			for end < len(pattern) && pattern[end] != '*' && pattern[end] != '?' {
				end++
			}
			b.WriteString(regexp.QuoteMeta(pattern[i:end]))
			i = end - 1
		}
	}
	return regexp.MustCompile("^" + b.String() + "$")
}

// A Judgement is the policy of a call, and why.
type Judgement struct {
	Policy Policy   `json:"policy"`
	Rule   string   `json:"rule"` // that counts, as it is written; "": no rule says anything of the call
	Why    []string `json:"why"`  // what each rule for the tool says

	by Rule // whose Rule is
}

// Judge returns the policy by which an agent may make a call with such arguments, which have to be a
// JSON object: that of the strictest rule for the tool that says something of it, or else Ask. A
// tool for which there is no rule has Deny.
func Judge(ctx context.Context, rules []Rule, agent string, s Spec, args json.RawMessage) Judgement {
	all := rulesFor(s, rules)
	if all == nil {
		return Judgement{Policy: Deny, Why: []string{"no rule is for " + s.Full()}}
	}
	var members map[string]any
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	broken := d.Decode(&members)
	var j Judgement
	for _, r := range all {
		p, why := Ask, "the arguments are no JSON object"
		if broken == nil || len(r.When) == 0 && r.Check == nil {
			p, why = r.judge(ctx, agent, s, args, members)
		}
		j.Why = append(j.Why, r.String()+": "+why)
		if p > j.Policy {
			j.Policy, j.Rule, j.by = p, r.String(), r
		}
	}
	if j.Policy == 0 {
		j.Policy, j.Rule, j.by = Ask, all[0].String(), all[0]
	}
	return j
}

// judge returns what the rule says of a call, and why; 0: nothing.
func (r Rule) judge(ctx context.Context, agent string, s Spec, args json.RawMessage, members map[string]any) (Policy, string) {
	for _, c := range r.When {
		holds, err := c.Holds(members)
		switch {
		case err != nil:
			return max(Ask, r.Else), fmt.Sprintf("ask, because %v", err)
		case !holds && r.Else != 0:
			return r.Else, fmt.Sprintf("%s, because %s does not hold", r.Else, c)
		case !holds:
			return 0, fmt.Sprintf("nothing, because %s does not hold", c)
		}
	}
	p := cmp.Or(r.Policy, s.policy())
	if r.Check == nil || p == Deny {
		return p, p.String()
	}
	if r.Policy == 0 {
		p = Allow // the check alone says
	}
	call, _ := json.Marshal(map[string]any{"agent": agent, "tool": s.Full(), "args": args}) // they are JSON
	said, err := r.Check(ctx, call)
	switch {
	case err != nil:
		return Ask, fmt.Sprintf("ask, because the check failed: %v", err)
	case said == 0 || int(said) >= len(policyNames):
		return Ask, "ask, because the check says nothing"
	}
	return max(p, said), fmt.Sprintf("%s, and the check says %s", p, said)
}
