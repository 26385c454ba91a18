// Package typednil validates.
package typednil

// Problem is what is wrong.
type Problem struct{ Field string }

func (p *Problem) Error() string { return p.Field }

func check(name string) *Problem {
	if name == "" {
		return &Problem{"name"}
	}
	return nil
}

func validate(name string) error { return check(name) }

// Valid says whether a name may be used.
func Valid(name string) bool {
	return validate(name) == nil
}
