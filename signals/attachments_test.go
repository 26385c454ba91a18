package signals_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/signals"
)

var picture = signals.Attachment{Name: "plot.png", Data: []byte("\x89PNG\r\n\x1a\nxabc")}

func TestAttachmentsGoWithTheTask(t *testing.T) {
	t.Parallel()
	task := signals.Task{Task: "What does it show?", Attachments: signals.Attach(picture, signals.Attachment{Name: "notes.md", Data: []byte("# It")}, signals.Attachment{Name: "x", Data: []byte{0, 1}})}
	text, err := signals.Marshal(sign(task))
	if err != nil {
		t.Fatal(err)
	}
	back, err := signals.Unmarshal(text)
	if err != nil {
		t.Fatal(err)
	}
	if back.Body() != signals.Payload(task) {
		t.Errorf("got %+v, want %+v", back.Body(), task)
	}
	types := []string{}
	for _, f := range back.Body().(signals.Task).Attachments.All() {
		types = append(types, f.Type)
	}
	if diff := cmp.Diff([]string{"image/png", "text/plain", "application/octet-stream"}, types); diff != "" {
		t.Error(diff)
	}
	if text, err := json.Marshal(signals.Task{Task: "t"}); err != nil || string(text) != `{"task":"t"}` {
		t.Errorf("without files it is %s, %v", text, err)
	}
}

func TestAttachmentsAreBoundedAndHashed(t *testing.T) {
	t.Parallel()
	large := signals.Attachment{Name: "large", Data: make([]byte, signals.AttachmentBytes)}
	altered := strings.Replace(string(must(json.Marshal(signals.Attach(picture)))), "YWJj", "YWJk", 1)
	for want, text := range map[string]string{
		"":                           string(must(json.Marshal(signals.Attach(large)))),
		"bytes together":             string(must(json.Marshal(signals.Attach(large, picture)))),
		"more than 8 files":          string(must(json.Marshal(signals.Attach(picture, picture, picture, picture, picture, picture, picture, picture, picture)))),
		"attachments.name":           string(must(json.Marshal(signals.Attach(signals.Attachment{Data: []byte("a")})))),
		"not that of the data":       altered,
		"attachments.sha256 = \"0\"": `[{"name":"a","type":"text/plain","sha256":"0","data":""}]`,
	} {
		var files signals.Attachments
		if err := json.Unmarshal([]byte(text), &files); err != nil {
			t.Fatal(err)
		}
		err := signals.Validate(sign(signals.Task{Task: "t", Attachments: files}))
		if want == "" && err != nil || want != "" && (!errors.Is(err, signals.ErrInvalid) || !strings.Contains(err.Error(), want)) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func must(text []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return text
}
