package votes

import (
	"fmt"
	"io"
	"maps"
	"slices"
)

// argilla reads an array of records with responses. It has no truths.
func (im *Import) argilla(file string, r io.Reader) error {
	return im.eachItem(file, r, func(line int, text []byte) error {
		var record struct {
			ID          value              `json:"id"`
			Responses   map[string][]value `json:"responses"`
			Suggestions map[string]value   `json:"suggestions"`
		}
		if err := decode(text, &record); err != nil {
			im.deny(file, line, "", err)
			return nil
		}
		id, err := record.ID.scalar()
		if err != nil {
			im.deny(file, line, "id", err)
			return nil
		}
		e := entry{file: file, line: line, task: field{"id", id}}
		for _, question := range slices.Sorted(maps.Keys(record.Responses)) {
			at := "responses." + question
			ours, err := im.chosen(file, line, at, question)
			if err != nil {
				return err
			}
			for i, text := range record.Responses[question] {
				if ours {
					im.response(e, fmt.Sprintf("%s[%d]", at, i), "user_id", text)
				}
			}
		}
		if !im.options.Models {
			return nil
		}
		for _, question := range slices.Sorted(maps.Keys(record.Suggestions)) {
			at := "suggestions." + question
			ours, err := im.chosen(file, line, at, question)
			if err != nil {
				return err
			}
			if ours {
				im.response(e, at, "agent", record.Suggestions[question])
			}
		}
		return nil
	})
}

// response takes in what one user, or one model, has said.
func (im *Import) response(e entry, at, who string, text value) {
	var said map[string]value
	if err := decode(text, &said); err != nil {
		im.deny(e.file, e.line, at, err)
		return
	}
	var wrong error
	get := func(member string) field {
		text, err := said[member].scalar()
		if err != nil && wrong == nil {
			wrong = err
			im.deny(e.file, e.line, at+"."+member, err)
		}
		return field{at + "." + member, text}
	}
	e.voter, e.label, e.confidence = get(who), get("value"), 1
	if score := get("score"); score.value != "" && wrong == nil {
		if e.confidence, wrong = probability(score.value); wrong != nil {
			im.deny(e.file, e.line, score.name, wrong)
		}
	}
	if wrong == nil {
		im.vote(&e)
	}
}
