package bus

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// MaxAhead is how far the time of a published signal may be ahead of the bus's
// clock.
const MaxAhead = time.Minute

// Permissions of an agent's handle. The zero value allows every kind that is
// not reserved, in every thread.
type Permissions struct {
	CanEmit []signals.Kind // nil: every kind that is not reserved; empty: none
	Threads []string       // nil: every thread; empty: none
}

// refusal returns the reason why a handle may not publish a signal with that
// header, or "" if it may.
func (p *Publisher) refusal(k signals.Kind, h *signals.Header) string {
	switch {
	case h.Source != "" && h.Source != p.agent && p.role != layerRole:
		return "the source is another agent's: " + h.Source
	case p.role >= systemRole:
		return ""
	case p.role == agentRole && p.bus.isReserved(k):
		return "the kind is reserved"
	case p.permissions.CanEmit != nil && !slices.Contains(p.permissions.CanEmit, k):
		return "not in CanEmit"
	case p.permissions.Threads != nil && !slices.Contains(p.permissions.Threads, h.Thread):
		return "not in its threads"
	}
	return ""
}

// isReserved reports whether agents may not publish the kind.
func (b *Bus) isReserved(k signals.Kind) bool {
	return ofSystem(k) || (*b.reserved.Load())[k]
}

func ofSystem(k signals.Kind) bool {
	switch k {
	case signals.KindTask, signals.KindConsensus, signals.KindConflict, conflict.KindResolved:
		return true
	default:
		return false
	}
}

// checkID refuses ids that could belong to other signals: those in the form of
// the bus's own mint and, from agents, of any mint, because a log that this one
// is fed to may have the same id.
func (b *Bus) checkID(p *Publisher, d *draft) error {
	if p.role == ruleRole {
		return nil
	}
	own, ours := b.log.Minted(d.ID, d.Seq)
	taken := ours || strings.HasPrefix(d.ID.String(), conflict.IDPrefix)
	if p.role == agentRole {
		taken = taken || d.ID.Minted()
	} else if own {
		taken, d.Foreign = false, false // the layer got this id from Moment.ID
	}
	if !taken {
		return nil
	}
	return &signals.FieldError{
		Kind: d.KindText, Field: "id", Value: d.ID.String(), Problem: "has the form reserved for ids that the log assigns",
	}
}

func checkTime(d *draft, now int64) error {
	if d.At > now+int64(MaxAhead) {
		return &signals.FieldError{
			Kind: d.KindText, Field: "timestamp", Value: d.Time.String(),
			Problem: fmt.Sprintf("more than %v ahead of the clock", MaxAhead),
		}
	}
	if d.Due < now {
		return fmt.Errorf("%w: %s %s ended at %v", ErrExpired, d.KindText, d.ID, d.Time.Add(d.TTL))
	}
	return nil
}

// admission tracks how much of their limits agents have used. It is pure: the
// time is a parameter.
type admission struct {
	rate, burst float64
	capacity    int // bytes of text in the history; 0: no limit
	buckets     map[string]*bucket
	bytes       map[string]int
}

func newAdmission(o *Options) admission {
	return admission{o.Rate, float64(o.Burst), o.Bytes, map[string]*bucket{}, map[string]int{}}
}

// A bucket is a token bucket: how much an agent may still publish at once.
type bucket struct {
	tokens float64
	at     int64
}

func (a *admission) limited() bool { return a.rate > 0 || a.capacity > 0 }

// admit charges the drafts to the limits of the agents that are their sources, or
// refuses all of them. What a layer appends at once is one act of each agent that
// it speaks for, because a layer adds signals of its own making. The system, layers
// themselves and their records have no limits.
func (a *admission) admit(p *Publisher, ds []draft, now int64) error {
	if a.capacity > 0 {
		a.weigh(ds)
	}
	if p.role >= systemRole {
		return nil
	}
	if p.role == agentRole {
		return a.charge(p.agent, float64(len(ds)), weight(ds, p.agent), now)
	}
	var charged []string
	for i := range ds {
		agent := ds[i].Source
		if ds[i].record || agent == p.agent || agent == System || slices.Contains(charged, agent) {
			continue
		}
		if err := a.charge(agent, 1, weight(ds, agent), now); err != nil {
			a.refund(charged)
			return err
		}
		charged = append(charged, agent)
	}
	return nil
}

func (a *admission) charge(agent string, n float64, bytes int, now int64) error {
	if held := a.bytes[agent] + bytes; a.capacity > 0 && held > a.capacity {
		return &LimitError{Agent: agent, Problem: fmt.Sprintf("%d bytes of text in the history, more than %d", held, a.capacity)}
	}
	if a.rate <= 0 {
		return nil
	}
	return a.bucket(agent, now).take(a, agent, n)
}

// refund gives one act back to each agent.
func (a *admission) refund(agents []string) {
	for _, agent := range agents {
		if k := a.buckets[agent]; k != nil {
			k.tokens++
		}
	}
}

// bucket returns the agent's bucket, refilled up to now.
func (a *admission) bucket(agent string, now int64) *bucket {
	k := a.buckets[agent]
	if k == nil {
		k = &bucket{a.burst, now}
		a.buckets[agent] = k
	}
	k.tokens = min(a.burst, k.tokens+a.rate*float64(now-k.at)/1e9)
	k.at = now
	return k
}

func (k *bucket) take(a *admission, agent string, n float64) error {
	if k.tokens >= n {
		k.tokens -= n
		return nil
	}
	wait := time.Duration(min((n-k.tokens)/a.rate*1e9, math.MaxInt64/2))
	if n > a.burst {
		wait = 0
	}
	return &LimitError{Agent: agent, Problem: fmt.Sprintf("more than %v signals a second", a.rate), Retry: wait}
}

// forgetIdle removes the buckets that are full again.
func (a *admission) forgetIdle(now int64) {
	for agent := range a.buckets {
		if a.bucket(agent, now).tokens >= a.burst {
			delete(a.buckets, agent)
		}
	}
}

// weigh records the length of each draft's texts.
func (a *admission) weigh(ds []draft) {
	for i := range ds {
		ds[i].bytes = size(ds[i].Signal)
	}
}

// weight returns the length of the texts in the drafts of a source.
func weight(ds []draft, source string) (n int) {
	for i := range ds {
		if ds[i].Source == source {
			n += ds[i].bytes
		}
	}
	return n
}

// held and lost count the texts of signals that enter and leave the history.
func (a *admission) held(d *draft) {
	if a.capacity > 0 {
		a.bytes[d.Source] += d.bytes
	}
}

func (a *admission) lost(source string, s signals.Any) {
	if a.capacity == 0 {
		return
	}
	if a.bytes[source] -= size(s); a.bytes[source] <= 0 {
		delete(a.bytes, source)
	}
}

// size returns the length of a payload's texts. It reads them in place: Body
// would copy them to the heap.
func size(s signals.Any) int { return textIn(reflect.ValueOf(s).Elem().FieldByName("Payload")) }

func textIn(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.String:
		return v.Len()
	case reflect.Struct:
		for i := range v.NumField() {
			n += textIn(v.Field(i))
		}
	case reflect.Array, reflect.Slice:
		for i := range v.Len() {
			n += textIn(v.Index(i))
		}
	}
	return n
}
