package reliability

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

func TestTheOrderOfDecisionsChangesNothing(t *testing.T) {
	for name, about := range kinds(3) {
		for _, every := range []int{0, 3} {
			w := newWorld(76, 3, even(6, 0.9, 0.4)...)
			w.clones = 2
			if every > 0 {
				w.means = even(6, 0, 1.5)
			}
			o := &consensus.Options{Groups: map[string]string{"v4": "g", "v5": "g", "v0": "h", "v1": "h"}}
			all, right := make([]consensus.Ballots, 50), make([]string, 50)
			for i := range all {
				all[i], right[i] = w.decision(o)
			}
			learn := func(order []int) string {
				b := newBook(about)
				for _, i := range order {
					id := fmt.Sprint(i)
					if err := b.Observe(id, all[i]); err != nil {
						t.Fatal(err)
					}
					if every > 0 && i%every == 0 {
						if err := b.Resolve(id, right[i]); err != nil {
							t.Fatal(err)
						}
					}
				}
				m := b.Learn()
				saved, err := json.Marshal(m.params)
				certificate, problem := json.Marshal(m.certificate)
				if err := errors.Join(err, problem); err != nil {
					t.Fatal(err)
				}
				return fmt.Sprint(b.names, string(saved), string(certificate))
			}
			order := w.Perm(len(all))
			want := learn(order)
			for range 2 {
				w.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
				if learn(order) != want {
					t.Errorf("%s, every %d told: another order teaches something else", name, every)
				}
			}
		}
	}
}
