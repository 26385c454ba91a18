package agents_test

import (
	"reflect"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
)

func TestCostAddsUpFieldByField(t *testing.T) {
	var a, b, want agents.Cost
	for i := range reflect.TypeFor[agents.Cost]().NumField() {
		set := func(s *agents.Cost, n int) {
			f := reflect.ValueOf(s).Elem().Field(i)
			f.Set(reflect.ValueOf(n).Convert(f.Type()))
		}
		set(&a, i+1)
		set(&b, 100*(i+1))
		set(&want, 101*(i+1))
	}
	if got := a.Plus(b); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
