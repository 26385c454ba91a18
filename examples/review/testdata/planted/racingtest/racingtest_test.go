package racingtest

import (
	"sync"
	"testing"
)

func TestAdd(t *testing.T) {
	var c Counter
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(c.Add)
	}
	wg.Wait()
	if c.N() == 0 {
		t.Error("nothing counted")
	}
}
