package votes

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
)

// An annotation is one of a task of Label Studio, or a prediction of a model.
type annotation struct {
	Result       []value  `json:"result"`
	CompletedBy  value    `json:"completed_by"`
	WasCancelled bool     `json:"was_cancelled"`
	GroundTruth  bool     `json:"ground_truth"`
	ModelVersion value    `json:"model_version"`
	Score        *float64 `json:"score"`
}

// labelStudio reads an array of tasks with annotations. Skipped annotations abstain; a
// ground truth is no vote.
func (im *Import) labelStudio(file string, r io.Reader) error {
	return im.eachItem(file, r, func(line int, text []byte) error {
		var task struct {
			ID          value   `json:"id"`
			Annotations []value `json:"annotations"`
			Predictions []value `json:"predictions"`
		}
		if err := decode(text, &task); err != nil {
			im.deny(file, line, "", err)
			return nil
		}
		id, err := task.ID.scalar()
		if err != nil || id == "" {
			im.deny(file, line, "id", cmp.Or(err, errors.New("a task has an id")))
			return nil
		}
		return im.task(entry{file: file, line: line, task: field{"id", id}}, task.Annotations, task.Predictions)
	})
}

// task takes in the annotations of a task, then its truths, which its votes must precede.
func (im *Import) task(e entry, annotations, predictions []value) error {
	var truths []field
	for i, a := range annotations {
		truth, err := im.annotated(e, fmt.Sprintf("annotations[%d]", i), a)
		if err != nil {
			return err
		}
		if truth.value != "" {
			truths = append(truths, truth)
		}
	}
	for i, p := range predictions {
		if !im.options.Models {
			break
		}
		if _, err := im.annotated(e, fmt.Sprintf("predictions[%d]", i), p); err != nil {
			return err
		}
	}
	for _, truth := range truths {
		im.right(e.file, e.line, e.task.value, truth)
	}
	return nil
}

// annotated takes in one annotation. It returns the label of a ground truth.
func (im *Import) annotated(e entry, at string, text value) (truth field, err error) {
	var a annotation
	if err := decode(text, &a); err != nil {
		im.deny(e.file, e.line, at, err)
		return field{}, nil
	}
	if a.WasCancelled {
		return field{}, nil
	}
	if e.label, err = im.regions(&e, at+".result", a.Result); err != nil || e.label.value == "" {
		return field{}, err
	}
	if a.GroundTruth {
		return e.label, nil
	}
	e.voter, e.confidence = field{at + ".completed_by", person(a.CompletedBy)}, 1
	if strings.HasPrefix(at, "predictions") {
		model, _ := a.ModelVersion.scalar()
		e.voter = field{at + ".model_version", model}
		if a.Score != nil {
			e.confidence = *a.Score
		}
		if !(e.confidence >= 0 && e.confidence <= 1) {
			im.deny(e.file, e.line, at+".score", fmt.Errorf("%v is not in [0,1]", e.confidence))
			return field{}, nil
		}
	}
	im.vote(&e)
	return field{}, nil
}

// person is the number of an annotator, or the address where the export has it.
func person(by value) string {
	if text, err := by.scalar(); err == nil {
		return text
	}
	var one struct {
		ID    value  `json:"id"`
		Email string `json:"email"`
	}
	if decode(by, &one) != nil || one.Email != "" {
		return one.Email
	}
	id, _ := one.ID.scalar()
	return id
}

// A region is one part of a result.
type region struct {
	FromName string           `json:"from_name"`
	Type     string           `json:"type"`
	Value    map[string]value `json:"value"`
}

// labels are the members of a region's value that have its label, by its type.
var labels = map[string]string{"choices": "choices", "rating": "rating", "number": "number", "pairwise": "selected"}

// label returns the one label of a region.
func (r *region) label() (string, error) {
	all := r.Value[labels[r.Type]].list()
	if len(all) > 1 {
		return "", fmt.Errorf("%d labels; a vote has one", len(all))
	}
	var text string
	var err error
	if len(all) == 1 {
		text, err = all[0].scalar()
	}
	if err == nil && text == "" {
		err = errors.New("no label")
	}
	return text, err
}

// regions returns the one label that the regions of a result have for the question that
// is decided; none, after refusing the annotation, if there is not one.
func (im *Import) regions(e *entry, at string, all []value) (label field, err error) {
	var others, asked []string // types, and questions
	for i, text := range all {
		here := fmt.Sprintf("%s[%d]", at, i)
		var r region
		if err := decode(text, &r); err != nil {
			im.deny(e.file, e.line, here, err)
			return field{}, nil
		}
		if labels[r.Type] == "" {
			others = append(others, clip(r.Type))
			continue
		}
		switch ours, err := im.chosen(e.file, e.line, here+".from_name", r.FromName); {
		case err != nil:
			return field{}, err
		case !ours:
			asked = append(asked, clip(r.FromName))
			continue
		}
		here += ".value." + labels[r.Type]
		said, err := r.label()
		if err == nil && label.value != "" {
			err = errors.New("a second label of the same annotation")
		}
		if err != nil {
			im.deny(e.file, e.line, here, err)
			return field{}, nil
		}
		label = field{here, said}
	}
	if label.value == "" {
		im.deny(e.file, e.line, at, fmt.Errorf("no choice, rating, number or pair for the question%s", cmp.Or(among(im.asked, asked), only(others))))
	}
	return label, nil
}

// among says of a question that it is none of others, if there are any.
func among(question string, others []string) string {
	if len(others) == 0 {
		return ""
	}
	return fmt.Sprintf(" %s: there are %s", clip(question), strings.Join(others, ", "))
}

// only says which types there are, if there are any.
func only(types []string) string {
	if len(types) == 0 {
		return ""
	}
	return ": only " + strings.Join(types, ", ")
}
