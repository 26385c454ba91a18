package teams

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/internal/text"
)

// A Policy says whether the call of a tool is made: one of [Policies], or rules by argument, as the
// JSON of a list of objects. In a file such a rule is a mapping, and several are a list of them:
// policy, else, check, expires and onExpiry have their own meaning, and any other key is a condition on the member of
// that name ([tools.Condition]). The default policy allows functions, and those tools of servers
// that only read by their own hint, and asks for others.
type Policy string

// Policies returns all policies that do not go by arguments.
func Policies() []Policy { return []Policy{"default", "allow", "ask", "deny"} }

// Policy returns the policy of package tools; Ask for one that goes by arguments.
func (p Policy) Policy() tools.Policy {
	if p.isRules() {
		return tools.Ask
	}
	return tools.Policy(slices.Index(Policies(), p))
}

func (p Policy) isRules() bool { return strings.HasPrefix(string(p), "[") }

// UnmarshalYAML reads a policy, a rule or a list of rules.
func (p *Policy) UnmarshalYAML(read func(any) error) error {
	var v any
	if err := read(&v); err != nil {
		return err
	}
	switch of := v.(type) {
	case string:
		*p = Policy(of)
		return nil
	case map[string]any:
		v = []any{of}
	case []any:
	default:
		return fmt.Errorf("%v is neither a policy nor rules by argument", v)
	}
	all, err := json.Marshal(v)
	*p = Policy(all)
	return err
}

// MarshalYAML writes what UnmarshalYAML reads.
func (p Policy) MarshalYAML() (any, error) {
	if !p.isRules() {
		return string(p), nil
	}
	var all []map[string]any
	err := json.Unmarshal([]byte(p), &all)
	if len(all) == 1 {
		return all[0], err
	}
	return all, err
}

// Rules returns the rules of package tools for a tool, or server/*.
func (p Policy) Rules(tool string) ([]tools.Rule, error) {
	if !p.isRules() {
		if !slices.Contains(Policies(), p) && p != "" {
			return nil, fmt.Errorf("%q is not one of %q%s", p, Policies(), text.Suggest(p, Policies()))
		}
		return []tools.Rule{{Tools: tool, Policy: p.Policy()}}, nil
	}
	var all []map[string]any
	d := json.NewDecoder(strings.NewReader(string(p)))
	d.UseNumber()
	if err := d.Decode(&all); err != nil {
		return nil, errors.New("not a list of rules, each with policy, else, check and conditions")
	}
	var rules []tools.Rule
	for _, keys := range all {
		r, err := ruleOf(tool, keys)
		if err != nil {
			return nil, err
		}
		rules = append(rules, r)
	}
	return rules, (&tools.Set{May: rules}).Validate()
}

// words are the keys of a rule that are no conditions.
var words = []string{"policy", "else", "check", "expires", "onExpiry"}

// mistyped reports whether a key is likely one of the words, with a wrong letter: as the condition on a
// member that calls do not have it would never hold.
func mistyped(key, word string) bool {
	return len(key) >= len("else") && strings.EqualFold(key[:1], word[:1]) && text.Suggest(key, []string{word}) != ""
}

// ruleOf returns the rule that a mapping is.
func ruleOf(tool string, keys map[string]any) (r tools.Rule, err error) {
	r.Tools = tool
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		switch value := keys[key]; key {
		case "policy":
			r.Policy, err = policyOf(value)
		case "else":
			r.Else, err = policyOf(value)
		case "check":
			r.Check, err = checkOf(value)
		case "expires":
			var d Duration
			err = d.UnmarshalText([]byte(fmt.Sprint(value)))
			r.Expires = time.Duration(d)
		case "onExpiry":
			r.OnExpiry = asking.Expiry(fmt.Sprint(value))
		default:
			if i := slices.IndexFunc(words, func(w string) bool { return mistyped(key, w) }); i >= 0 {
				return r, fmt.Errorf("%s: no condition on a member may have this name (%v)%s", key, value, text.Suggest(key, words[i:i+1]))
			}
			var c tools.Condition
			c, err = conditionOf(key, value)
			r.When = append(r.When, c)
		}
		if err != nil {
			return r, err
		}
	}
	if len(r.When) == 0 && r.Check == nil && r.Policy == 0 {
		return r, errors.New("a rule has a policy, a check or a condition")
	}
	return r, nil
}

// conditionOf returns the condition that a value of a file is.
func conditionOf(member string, value any) (tools.Condition, error) {
	switch value.(type) {
	case []any, map[string]any, nil:
		return tools.Condition{}, fmt.Errorf("%s: a condition is a glob or a comparison, not %v", member, value)
	}
	return tools.Condition{Member: member, Is: fmt.Sprint(value)}, nil
}

func policyOf(value any) (tools.Policy, error) {
	p := Policy(fmt.Sprint(value))
	if !slices.Contains(Policies(), p) {
		return 0, fmt.Errorf("%q is not one of %q%s", p, Policies(), text.Suggest(p, Policies()))
	}
	return p.Policy(), nil
}

// checkOf returns a check that is a command: a text whose words it is made of, or a list of them.
func checkOf(value any) (func(context.Context, json.RawMessage) (tools.Policy, error), error) {
	var command []string
	switch of := value.(type) {
	case string:
		command = strings.Fields(of)
	case []any:
		for _, word := range of {
			command = append(command, fmt.Sprint(word))
		}
	}
	if len(command) == 0 {
		return nil, errors.New("check: want a command")
	}
	return func(ctx context.Context, call json.RawMessage) (tools.Policy, error) {
		return check(ctx, command, call)
	}, nil
}

// checking is how long a check may take.
const checking = 10 * time.Second

// check gives a command the call on its standard input, and reads the policy that it prints. It has
// PATH and HOME of the environment.
func check(ctx context.Context, command []string, call json.RawMessage) (p tools.Policy, err error) {
	ctx, cancel := context.WithTimeout(ctx, checking)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...) //nolint:gosec // the team's file says what to run
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}
	cmd.Stdin, cmd.WaitDelay = bytes.NewReader(call), time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	said, err := io.ReadAll(io.LimitReader(out, 64))
	if len(said) == 64 {
		cancel()
	}
	if err := errors.Join(err, cmd.Wait()); err != nil {
		return 0, err
	}
	return p, p.UnmarshalText(bytes.TrimSpace(said))
}
