package untested

import (
	"fmt"
	"testing"
)

func TestOuter(t *testing.T) { check(t, Outer(1)) }

func check(t *testing.T, n int) {
	if n != 2 {
		t.Errorf("got %d, want 2", n)
	}
}

func TestIdle(t *testing.T) {
	_ = Outer(2)
	fmt.Sprint(Outer(3))
}
