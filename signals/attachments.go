package signals

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// Attachments are the files of a task. They never change and can be compared; the zero value has none.
type Attachments struct{ all string } // as JSON

// An Attachment is one file.
type Attachment struct {
	Name string `json:"name"`   // without a path
	Type string `json:"type"`   // its media type, such as image/png
	Hash string `json:"sha256"` // of the data, in hexadecimal digits
	Data []byte `json:"data"`
}

// AttachmentBytes is how many bytes the files of a task may have together, and mostAttachments how many
// files there may be: a task is one message on every transport.
const (
	AttachmentBytes = 512 << 10
	mostAttachments = 8
)

// Attach returns files with their hashes, and with the type of those that have none: by what they begin
// with, or text/plain for a text. Whether they are too many or too large is said when the task is published.
func Attach(files ...Attachment) Attachments {
	all := make([]Attachment, 0, len(files))
	for _, f := range files {
		if f.Hash = hash(f.Data); f.Type == "" {
			f.Type = typeOf(f.Data)
		}
		all = append(all, f)
	}
	if len(all) == 0 {
		return Attachments{}
	}
	text, _ := json.Marshal(all) // texts and bytes
	return Attachments{string(text)}
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// typeOf returns the media type of what models can be shown.
func typeOf(data []byte) string {
	for start, kind := range map[string]string{"\x89PNG\r\n\x1a\n": "image/png", "\xff\xd8\xff": "image/jpeg", "GIF8": "image/gif", "%PDF-": "application/pdf"} {
		if bytes.HasPrefix(data, []byte(start)) {
			return kind
		}
	}
	switch {
	case len(data) > 12 && string(data[:4])+string(data[8:12]) == "RIFFWEBP":
		return "image/webp"
	case utf8.Valid(data) && !bytes.Contains(data, []byte{0}):
		return "text/plain"
	}
	return "application/octet-stream"
}

// All returns the files, which the caller may modify.
func (a Attachments) All() (all []Attachment) {
	_ = json.Unmarshal([]byte(a.all), &all) // "" is none
	return all
}

// Equal reports whether the files are the same, as == does.
func (a Attachments) Equal(b Attachments) bool { return a == b }

// MarshalJSON implements [json.Marshaler].
func (a Attachments) MarshalJSON() ([]byte, error) {
	if a.all == "" {
		return []byte("[]"), nil
	}
	return []byte(a.all), nil
}

// UnmarshalJSON implements [json.Unmarshaler].
func (a *Attachments) UnmarshalJSON(text []byte) error {
	var all []Attachment
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	if *a = (Attachments{}); len(all) > 0 {
		text, err := json.Marshal(all)
		a.all = string(text)
		return err
	}
	return nil
}

// check finds what is wrong with the files.
func (a Attachments) check(l Limits) error {
	if a.all == "" { // nearly always
		return nil
	}
	bytes, all := 0, a.All()
	if len(all) > mostAttachments {
		return &FieldError{Field: "attachments", Value: strconv.Itoa(len(all)), Problem: "more than " + strconv.Itoa(mostAttachments) + " files"}
	}
	for _, f := range all {
		if err := first(l.Name("attachments.name", f.Name), l.Name("attachments.type", f.Type)); err != nil {
			return err
		}
		if f.Hash != hash(f.Data) {
			return &FieldError{Field: "attachments.sha256", Value: clip(f.Hash), Problem: "not that of the data of " + clip(f.Name)}
		}
		bytes += len(f.Data)
	}
	if bytes > AttachmentBytes {
		return &FieldError{Field: "attachments", Value: strconv.Itoa(bytes) + " bytes", Problem: "more than " + strconv.Itoa(AttachmentBytes) + " bytes together: make pictures smaller, or attach the pages that matter"}
	}
	return nil
}
