package yamlfile_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/internal/yamlfile"
)

type config struct {
	Name  string         `json:"name,omitempty"`
	Wait  time.Duration  `json:"wait"`
	Parts []part         `json:"parts"`
	Ports map[string]int `json:"ports"`
}

type part struct {
	Size int `json:"size"`
}

func TestAllThatIsWrongIsSaidInTheOrderOfTheFileWithItsPlace(t *testing.T) {
	for text, want := range map[string]string{
		"nam: x\nparts:\n  - {siez: 1}\n  - size: 2\n    form: y\n": "f.yaml:1:1: nam: there is no such key; did you mean \"name\"?\n" +
			"f.yaml:3:6: parts[0].siez: there is no such key; did you mean \"size\"?\nf.yaml:5:5: parts[1].form: there is no such key",
		"wait: 5":                    "f.yaml:1:7: wait: not a duration such as 90s or 10m",
		"parts: 3":                   "f.yaml:1:8: parts: not a list",
		"ports: {http: many}":        "f.yaml:1:15: ports.http: not a whole number",
		"name: ''":                   "f.yaml:1:1: name: is zero or empty: leave it out for the default",
		"name: a\n\tparts: []":       "f.yaml:2:1: a tab: indent with spaces, as YAML asks",
		"parts: &a []\nports: *a":    "anchors, aliases, merge keys and tags are not supported",
		"- name":                     "f.yaml: not one YAML document with keys and their values",
		"name: a\n---\nname: b":      "f.yaml: not one YAML document with keys and their values",
		strings.Repeat("#", 1<<20+1): "f.yaml: 1048577 bytes, at most 1048576 are allowed",
	} {
		var c config
		err := yamlfile.New("f.yaml").Decode([]byte(text), &c)
		var known *yamlfile.Error
		if err == nil || !strings.Contains(err.Error(), want) || !errors.As(err, &known) {
			t.Errorf("%.40q: got %v, want %s", text, err, want)
		}
	}
}

func TestWhatIsFoundLaterIsAtTheFieldOrWhatIsAroundIt(t *testing.T) {
	f := yamlfile.New("f.yaml")
	var c config
	if err := f.Decode([]byte("\ufeffname: a\nwait: 2s\nparts:\n  - size: 1\n"), &c); err != nil || c.Wait != 2*time.Second || c.Parts[0].Size != 1 {
		t.Fatal(c, err)
	}
	f.Add("parts[0].color", "is required")
	f.Add("name", "is taken")
	if err, want := f.Err(), "f.yaml:1:1: name: is taken\nf.yaml:4:5: parts[0].color: is required"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
