package choice

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/swarmbus/swarmbus/signals"
)

// An Arm is a strategy with its rewards.
type Arm struct {
	Name   string  `json:"name"`
	Gains  float64 `json:"gains"`  // sum of rewards
	Losses float64 `json:"losses"` // sum of 1 minus each reward
}

// Mean returns the expected reward of the strategy, in (0,1); 1/2 before
// anything is known.
func (a Arm) Mean() float64 { return (1 + a.Gains) / (2 + a.Gains + a.Losses) }

// A Sampler chooses between strategies and learns. It may be used concurrently.
// Make one with [New] or from its JSON.
type Sampler struct {
	mu   sync.Mutex // protects the fields below
	arms []Arm
}

// New returns a sampler without knowledge of the strategies. The error is a
// [*signals.FieldError]: there are no strategies, or one has an invalid or a
// repeated name.
func New(strategies ...string) (*Sampler, error) {
	var arms []Arm
	for _, name := range strategies {
		arms = append(arms, Arm{Name: name})
	}
	if err := check(arms); err != nil {
		return nil, err
	}
	return &Sampler{arms: arms}, nil
}

func check(arms []Arm) error {
	if len(arms) == 0 {
		return &signals.FieldError{Field: "strategies", Problem: "required"}
	}
	for i, a := range arms {
		if err := (signals.Limits{}).Name("strategies", a.Name); err != nil {
			return err
		}
		if slices.ContainsFunc(arms[:i], func(b Arm) bool { return a.Name == b.Name }) {
			return &signals.FieldError{Field: "strategies", Value: a.Name, Problem: "given twice"}
		}
		for field, v := range map[string]float64{"gains": a.Gains, "losses": a.Losses} {
			if err := signals.AtLeastZero(field, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// Choose returns the strategy with the highest of one draw from each
// distribution. Its only randomness is r.
func (s *Sampler) Choose(r *rand.Rand) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	best, most := "", -1.0
	for _, a := range s.arms {
		if pays := (distuv.Beta{Alpha: 1 + a.Gains, Beta: 1 + a.Losses, Src: r}).Rand(); pays > most {
			best, most = a.Name, pays
		}
	}
	return best
}

// Learn adds a reward of a strategy, in [0,1]. A number out of range or an
// unknown strategy is a [*signals.FieldError] and changes nothing.
func (s *Sampler) Learn(strategy string, reward float64) error {
	if err := signals.Unit("reward", reward); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.arms, func(a Arm) bool { return a.Name == strategy })
	if i < 0 {
		return &signals.FieldError{Field: "strategy", Value: strategy, Problem: "unknown"}
	}
	s.arms[i].Gains += reward
	s.arms[i].Losses += 1 - reward
	return nil
}

// Arms returns what is known of the strategies, in the order in which they were
// named.
func (s *Sampler) Arms() []Arm {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.arms)
}

// MarshalJSON writes the arms.
func (s *Sampler) MarshalJSON() ([]byte, error) { return json.Marshal(s.Arms()) }

// UnmarshalJSON reads what MarshalJSON writes, and refuses what New refuses.
func (s *Sampler) UnmarshalJSON(data []byte) error {
	var arms []Arm
	if err := json.Unmarshal(data, &arms); err != nil {
		return err
	}
	if err := check(arms); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arms = arms
	return nil
}
