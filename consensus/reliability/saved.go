package reliability

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// savedVersion is the version of the saved form. It changes with the form, not with what is learned from it.
const savedVersion = 2

// ErrVersion is returned for a ledger that was saved in a form that this version of the package does not read: an older
// one than it reads any more, or a newer one.
var ErrVersion = errors.New("reliability: a ledger was saved in another form")

// saved is the saved form of a ledger: votes and outcomes, and no parameters.
type saved struct {
	Version   int          `json:"version"`
	Options   Options      `json:"options"`
	Decisions []decision   `json:"decisions"`
	Learned   [2][]*string `json:"learned"` // by subject, the outcomes of the first decisions when it last learned from them
}

// MarshalJSON saves the votes, the outcomes, and from which of them the ledger has learned: a restored ledger, of this
// version, continues exactly as this one would.
func (l *Ledger) MarshalJSON() ([]byte, error) {
	l.learning.Lock()
	defer l.learning.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	return json.Marshal(saved{savedVersion, l.o, l.decisions, [2][]*string{l.last[several].right, l.last[one].right}})
}

// UnmarshalJSON restores a saved ledger and learns again what that had learned, by the model of this version. If the
// ledger was saved in another form, it returns [ErrVersion], and another error if p is not a saved ledger; then it
// does not change l.
func (l *Ledger) UnmarshalJSON(p []byte) error {
	var form struct {
		Version int             `json:"version"`
		Options json.RawMessage `json:"options"`
	}
	err := json.Unmarshal(p, &form)
	if err == nil && form.Options != nil && form.Version != savedVersion {
		return fmt.Errorf("%w: form %d, and only form %d is read: begin with an empty ledger, and observe the decisions again",
			ErrVersion, form.Version, savedVersion)
	}
	var s saved
	var restored book
	err = cmp.Or(err, json.Unmarshal(p, &s))
	if form.Options == nil {
		err = cmp.Or(err, errors.New("it has no options"))
	}
	if err = cmp.Or(err, restored.restore(&s)); err != nil {
		return fmt.Errorf("reliability: not a saved ledger: %w", err)
	}
	l.learning.Lock()
	defer l.learning.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.book = restored
	return nil
}

func (b *book) restore(s *saved) error {
	if err := s.Options.validate(); err != nil {
		return err
	}
	b.o = s.Options
	for i, d := range s.Decisions {
		if i == b.o.withDefaults().Window || !b.sound(&d) {
			return fmt.Errorf("decision %d cannot be", i)
		}
		b.append(d)
	}
	for of, right := range s.Learned {
		if len(right) == 0 {
			continue
		}
		if l := b.lesson(subject(of)); len(right) > len(l.decisions) || slices.ContainsFunc(right, l.kind.wrong) {
			return errors.New("more is learned than was decided")
		}
		b.last[of] = b.learned(subject(of), right)
	}
	return nil
}

// Add adds the decisions of another ledger that l does not hold, with the names that name returns for theirs; "" leaves one
// out. nil keeps the names, and leaves out decisions without one. An outcome that the other ledger knows counts also for
// decisions that l holds. The error is a [*consensus.FieldError] if the two have other options.
func (l *Ledger) Add(from *Ledger, name func(id string) string) error {
	from.mu.Lock()
	o, all := from.o.clone(), slices.Clone(from.decisions)
	from.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !reflect.DeepEqual(l.o.clone(), o) {
		return refuse("options", fmt.Sprintf("%+v", o), fmt.Sprintf("%+v", l.o))
	}
	for _, d := range all {
		if name != nil {
			d.ID = name(d.ID)
		}
		at, held := l.index[d.ID]
		switch {
		case d.ID == "":
		case held:
			l.decisions[at].Right = cmp.Or(d.Right, l.decisions[at].Right)
		default:
			l.add(d)
		}
	}
	return nil
}

// learned learns again from the first decisions on a subject, with the outcomes that they had then.
func (b *book) learned(of subject, right []*string) lesson {
	l := b.lesson(of)
	l.decisions, l.right = l.decisions[:len(right)], right
	return l.learn()
}

// wrong reports whether an outcome cannot be.
func (k kind) wrong(right *string) bool { return right != nil && k.strange(*right) }

// sound reports whether a saved decision can be.
func (b *book) sound(d *decision) bool {
	k, rows := b.kind(), 1
	if k.stances {
		rows = len(d.Names)
	}
	return (d.ID == "" || !b.holds(d.ID)) && len(d.Rows) == rows && len(d.Names) > 0 && !k.wrong(d.Right) &&
		(!d.Single || k.own() && len(d.Names) == 1) &&
		!slices.ContainsFunc(d.Rows, func(r row) bool { return !r.sound(k.field(len(d.Names))) })
}

// sound reports whether the votes can be, among so many candidates.
func (r *row) sound(field int) bool {
	return slices.IsSorted(r.Voter) && len(slices.Compact(slices.Clone(r.Voter))) == len(r.Said) && len(r.Voter) == len(r.Said) &&
		!slices.ContainsFunc(r.Said, func(c int32) bool { return c < 0 || int(c) >= field }) &&
		(r.Stated == nil || len(r.Stated) == len(r.Voter)) &&
		!slices.ContainsFunc(r.Stated, func(x float64) bool { return !(x > 0 && x <= 1) })
}
