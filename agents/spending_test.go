package agents_test

import (
	"reflect"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
)

func TestSpendingAddsUpFieldByField(t *testing.T) {
	var a, b, want agents.Spending
	for i := range reflect.TypeFor[agents.Spending]().NumField() {
		set := func(s *agents.Spending, n int) {
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
