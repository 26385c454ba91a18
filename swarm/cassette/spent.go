package cassette

import (
	"encoding/json"
	"iter"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
)

// booking is the body of a record of [Book].
type booking[C any] struct {
	Booked *C `json:"booked"`
}

// Book records a change of the account of a run, for [Booked]. It fits
// [limits.Budget.Keep].
//
// [limits.Budget.Keep]: https://pkg.go.dev/github.com/swarmbus/swarmbus/agents/models/limits#Budget.Keep
func Book[C any](j journal.Store, change C) error {
	head, err := json.Marshal(journal.Key{Agent: "cassette", Request: "booked"})
	if err != nil {
		return err
	}
	body, err := json.Marshal(booking[C]{&change})
	if err == nil {
		_, err = j.Append(journal.Record{Type: journal.TypeResult, Head: head, Body: body})
	}
	return err
}

// Booked yields the changes that a journal has, in order, for the account of a run that
// continues. An error of the journal ends it.
func Booked[C any](j journal.Reader) iter.Seq2[C, error] {
	return func(yield func(C, error) bool) {
		for record, err := range resultsOf[booking[C]](j) {
			var change C
			if record.body.Booked != nil {
				change = *record.body.Booked
			} else if err == nil {
				continue
			}
			if !yield(change, err) {
				return
			}
		}
	}
}

// Spent returns what the recorded answers took, by the key of the call. Failed calls are
// not in it. The time of a call is recorded by [Answers] alone.
func Spent(j journal.Reader) (map[journal.Key]agents.Cost, error) {
	spent := map[journal.Key]agents.Cost{}
	for record, err := range resultsOf[entry](j) {
		if err != nil {
			return nil, err
		}
		if took, ok := record.body.spent(); ok {
			spent[record.key] = took
		}
	}
	return spent, nil
}

// SpentBy returns what the call of a record took, and whether it is one that was answered:
// [Spent] for readers that follow a journal.
func SpentBy(record *journal.Record) (k journal.Key, took agents.Cost, ok bool) {
	var e entry
	if k, ok = resultIn(record, &e); ok {
		took, ok = e.spent()
	}
	return k, took, ok
}

func (e *entry) spent() (agents.Cost, bool) {
	a := e.Answer
	if a == nil {
		return agents.Cost{}, false
	}
	return agents.Cost{
		Calls: 1, InputTokens: a.Usage.Input, CachedTokens: a.Usage.CacheRead, OutputTokens: a.Usage.Output,
		Dollars: a.Cost.Dollars(), Time: e.Took,
	}, true
}

type result[B any] struct {
	key  journal.Key
	body B
}

// resultIn reads the result in a record, and reports whether it is one of that form.
func resultIn[B any](record *journal.Record, body *B) (k journal.Key, ok bool) {
	ok = record.Type == journal.TypeResult && json.Unmarshal(record.Head, &k) == nil && json.Unmarshal(record.Body, body) == nil
	return k, ok
}

// resultsOf yields the results in a journal that are of a form.
func resultsOf[B any](j journal.Reader) iter.Seq2[result[B], error] {
	return func(yield func(result[B], error) bool) {
		snapshot, err := j.Snapshot()
		if err != nil {
			yield(result[B]{}, err)
			return
		}
		for record, err := range j.Read(snapshot.Through) {
			var r result[B]
			ok := err != nil
			if err == nil {
				r.key, ok = resultIn(&record, &r.body)
			}
			if ok && (!yield(r, err) || err != nil) {
				return
			}
		}
	}
}
