package inspect

// Consideration is what the tests know about a consideration.
type Consideration struct {
	Inspector, Name string
	Rules           []string
}

// AllConsiderations lists what inspectors can say about each other's findings.
func AllConsiderations() []Consideration {
	var all []Consideration
	for _, c := range considerations() {
		all = append(all, Consideration{c.inspector, c.name, c.rules})
	}
	return all
}
