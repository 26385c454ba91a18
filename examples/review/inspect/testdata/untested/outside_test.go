package untested_test

import "testing"

// Classify has the name of a function of the package and nothing to do with it.
func Classify(t *testing.T) { t.Helper() }

func TestOutside(t *testing.T) { Classify(t) }
