package votes

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// samplesFile is the name of a file of samples: its task, and when it was written.
var samplesFile = regexp.MustCompile(`^samples_(.+?)(?:_\d{4}-\d{2}-\d{2}T[\d:.-]+)?\.jsonl$`)

// A sample is what one model answered to one document.
type sample struct {
	DocID     value            `json:"doc_id"`
	Target    value            `json:"target"`
	Arguments map[string]value `json:"arguments"`
	Filtered  []value          `json:"filtered_resps"`
	Filter    string           `json:"filter"`
	DocHash   string           `json:"doc_hash"`
}

// lmEval reads the samples of one model on one task, both of which the path names.
func (im *Import) lmEval(file string, r io.Reader) error {
	match := samplesFile.FindStringSubmatch(filepath.Base(file))
	model := filepath.Base(filepath.Dir(file))
	if match == nil || model == "." || model == string(filepath.Separator) {
		return fmt.Errorf("%s: a file of samples is MODEL/samples_TASK_TIME.jsonl", file)
	}
	return eachLine(r, func(line int, text []byte) error {
		var s sample
		if err := decode(text, &s); err != nil {
			im.deny(file, line, "", err)
			return nil
		}
		ours, err := im.chosen(file, line, "filter", s.Filter)
		if err != nil || !ours {
			return err
		}
		im.sample(&entry{file: file, line: line, voter: field{"directory", model}}, match[1], &s)
		return nil
	})
}

func (im *Import) sample(e *entry, task string, s *sample) {
	id, err := s.DocID.scalar()
	if err != nil || id == "" {
		im.deny(e.file, e.line, "doc_id", cmp.Or(err, errors.New("a sample has the id of its document")))
		return
	}
	e.task = field{"doc_id", task + "/" + id}
	if was, ok := im.hashes[e.task.value]; ok && was != s.DocHash {
		im.deny(e.file, e.line, "doc_hash", fmt.Errorf("another document than %s had before", clip(e.task.value)))
		return
	}
	choices, label, sure, err := s.answer()
	if err != nil {
		im.deny(e.file, e.line, "filtered_resps", err)
		return
	}
	e.label, e.confidence = field{"filtered_resps", label}, sure
	if !im.vote(e) {
		return
	}
	im.hashes[e.task.value] = s.DocHash
	truth, err := s.truth(choices)
	if err != nil {
		im.deny(e.file, e.line, "target", err)
		return
	}
	if truth != "" {
		im.right(e.file, e.line, e.task.value, field{"target", truth})
	}
}

// answer returns what the model answered: a text, or the likeliest of several choices,
// with its share of their likelihoods.
func (s *sample) answer() (choices []string, label string, sure float64, err error) {
	if len(s.Filtered) == 0 {
		return nil, "", 0, errors.New("no answer")
	}
	logs, ok := likelihoods(s.Filtered)
	if !ok {
		all := s.Filtered[0].list()
		if len(s.Filtered) > 1 || len(all) != 1 {
			return nil, "", 0, fmt.Errorf("%d answers; choose a filter that takes one", max(len(s.Filtered), len(all)))
		}
		label, err = all[0].scalar()
		return nil, label, 1, err
	}
	best := slices.Max(logs)
	sum := 0.0
	for _, l := range logs {
		sum += math.Exp(l - best)
	}
	if math.IsInf(best, 0) || math.IsNaN(sum) {
		return nil, "", 0, errors.New("log-likelihoods that are not finite")
	}
	choices = s.choices()
	return choices, choices[slices.Index(logs, best)], 1 / sum, nil
}

// likelihoods returns the log-likelihoods of several choices, each of which is given with
// whether it is the most likely text.
func likelihoods(filtered []value) (logs []float64, ok bool) {
	for _, f := range filtered {
		pair := f.list()
		if len(pair) != 2 || len(filtered) < 2 {
			return nil, false
		}
		text, err := pair[0].scalar()
		if err != nil {
			return nil, false
		}
		l, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, false
		}
		logs = append(logs, l)
	}
	return logs, true
}

// choices returns the texts of the choices, or their numbers if a text is no name or two
// are the same.
func (s *sample) choices() []string {
	var texts, numbers []string
	for i := range s.Filtered {
		numbers = append(numbers, strconv.Itoa(i))
		var args struct {
			Text value `json:"arg_1"`
		}
		if decode(s.Arguments["gen_args_"+numbers[i]], &args) != nil {
			continue
		}
		text, err := args.Text.scalar()
		if err == nil && name("choice", text) == nil && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	if len(texts) == len(numbers) {
		return texts
	}
	return numbers
}

// truth returns the label that the target means: a text, or a choice by its text or its
// number; "" for a text that is no name.
func (s *sample) truth(choices []string) (string, error) {
	target, err := s.Target.scalar()
	if err != nil || choices == nil {
		if name("target", target) != nil {
			target = ""
		}
		return target, err
	}
	i, err := strconv.Atoi(target)
	byNumber := err == nil && i >= 0 && i < len(choices)
	byText := slices.Contains(choices, target)
	switch {
	case byNumber && byText && choices[i] != target:
		return "", fmt.Errorf("%s is the text of one choice and the number of another", clip(target))
	case byText:
		return target, nil
	case byNumber:
		return choices[i], nil
	default:
		return "", nil
	}
}
