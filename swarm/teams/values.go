package teams

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/limits"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/teams/catalogue"
)

// A Provider serves models: see [Providers].
type Provider string

// The providers that are not in package catalogue only.
const (
	OpenAI    Provider = "openai" // or any compatible server
	Anthropic Provider = "anthropic"
	Ollama    Provider = "ollama"
	A2A       Provider = "a2a" // an agent of the Agent2Agent protocol
)

// Providers returns all providers: these, and those of package catalogue.
func Providers() []Provider {
	all := []Provider{OpenAI, Anthropic, Ollama, A2A}
	for _, p := range catalogue.All() {
		if id := Provider(p.ID); !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	return all
}

// Protocol returns what the provider's servers speak: OpenAI, Anthropic or A2A.
func (p Provider) Protocol() Provider {
	if known, found := catalogue.Find(string(p)); found {
		return Provider(known.Protocol)
	} else if p == Ollama {
		return OpenAI
	}
	return p
}

// A Strategy is the name of a strategy of package consensus; "" is a swarm's default.
type Strategy string

// A Mode is the name of a mode of package mode; "" is auto.
type Mode string

// Modes returns all modes.
func Modes() (all []Mode) {
	for _, m := range mode.All() {
		all = append(all, Mode(m.String()))
	}
	return all
}

// Conflicts says how conflicts are settled: see [settle.Policy]. "" is debate.
type Conflicts string

// A Variable is the name of an environment variable, in capitals.
type Variable string

var variableName = regexp.MustCompile(`^[A-Z_][A-Z0-9_]{0,127}$`)

// A Place is a base URL, a directory or the file of a memory, in which ${VAR} stands for an environment variable.
type Place string

var reference = regexp.MustCompile(`\$\{([^}]*)\}?`)

// Expand replaces the variables. It is an error if one is not set or empty.
func (p Place) Expand() (expanded string, err error) {
	expanded = reference.ReplaceAllStringFunc(string(p), func(text string) string {
		name := strings.TrimSuffix(strings.TrimPrefix(text, "${"), "}")
		value := os.Getenv(name)
		if value == "" {
			err = fmt.Errorf("teams: %s: the environment variable %s is not set", p, name)
		}
		return value
	})
	return expanded, err
}

// problem says what is wrong with the references.
func (p Place) problem() string {
	for _, m := range reference.FindAllStringSubmatch(string(p), -1) {
		if !strings.HasSuffix(m[0], "}") || !variableName.MatchString(m[1]) {
			return fmt.Sprintf("%s is not ${VAR} with the name of an environment variable", m[0])
		}
	}
	return ""
}

// A Duration is a [time.Duration] that is written as text, such as 90s or 10m.
type Duration time.Duration

// String returns the duration as [time.Duration.String] does.
func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText implements [encoding.TextMarshaler].
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is not a duration such as 90s or 10m", text)
	}
	*d = Duration(v)
	return nil
}

// A Budget is an amount of money or tokens, such as 0.50usd or 20000tokens; "" is no limit.
type Budget string

// Most returns the amount.
func (b Budget) Most() (limits.Spend, error) {
	if b == "" {
		return limits.Spend{}, nil
	}
	if number, ok := strings.CutSuffix(string(b), "tokens"); ok {
		n, err := strconv.Atoi(number)
		if err != nil || n <= 0 {
			return limits.Spend{}, fmt.Errorf("%q is not a positive number of tokens", b)
		}
		return limits.Spend{Tokens: n}, nil
	}
	m, err := models.ParseMoney(string(b))
	if err != nil || m <= 0 {
		return limits.Spend{}, fmt.Errorf("%q is not an amount such as 0.50usd or 20000tokens", b)
	}
	return limits.Spend{Money: m}, nil
}
