package clean

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestAddCountsWords(t *testing.T) {
	var c Counter
	if n, err := c.Add(strings.NewReader("one two  three")); n != 3 || err != nil {
		t.Errorf("counted %d, %v", n, err)
	}
}

func TestNothingToCount(t *testing.T) {
	var c Counter
	if _, err := c.Add(strings.NewReader(" ")); !errors.Is(err, ErrEmpty) {
		t.Errorf("got %v, want %v", err, ErrEmpty)
	}
}

func ExampleCounter_AddAll() {
	var c Counter
	err := c.AddAll(context.Background(), strings.NewReader("a b"), strings.NewReader("c"))
	fmt.Println(c.Total(), err)
	// Output: 3 <nil>
}
