package inspect

import (
	"fmt"
	"go/ast"
	"strings"
	"unicode"
)

func (p *Package) answerTested(at Place) (string, Place, bool) {
	f := p.named[at.Name]
	if f == nil || f.file.Test || !p.TestsTyped {
		return "", Place{}, false
	}
	test, ok := p.graph().testOf(f)
	return fmt.Sprintf("%s at %s reaches %s", test.Name, test.Position, at.Name), test, ok
}

func (p *Package) answerUntested(at Place) (string, Place, bool) {
	f := p.named[at.Name]
	if f == nil || f.file.Test || f.obj == nil || !p.TestsTyped {
		return "", Place{}, false
	}
	_, tested := p.graph().testOf(f)
	return fmt.Sprintf("no test reaches %s at %s", at.Name, p.at(f.decl.Pos())), p.functionPlace(f, ""), !tested
}

func (p *Package) answerOnlyInTests(at Place) (string, Place, bool) {
	f := p.file(at.File)
	return at.File + " is a test file and ships to no one", at, f != nil && f.Test
}

// answerDocumented looks for words of the finding in the doc comment of the
// function around it.
func (p *Package) answerDocumented(at Place) (string, Place, bool) {
	f := p.named[at.Name]
	if f == nil || f.decl.Doc == nil {
		return "", Place{}, false
	}
	word, ok := mentioned(f.decl.Doc.Text(), f.decl.Name.Name, wordsFor(at.Note))
	doc := Place{p.at(f.decl.Doc.Pos()), f.name, ""}
	return fmt.Sprintf("the doc comment of %s at %s says %q", f.name, doc.Position, word), doc, ok
}

// wordsFor lists stems that a doc comment would use to announce what was found.
func wordsFor(note string) []string {
	switch {
	case note == "panic":
		return []string{"panic"}
	case strings.Contains(note, "Exit"), strings.Contains(note, "Fatal"):
		return []string{"exit", "terminat", "fatal"}
	case strings.Contains(note, "context."):
		return []string{"background", "detach", "outliv"}
	case strings.Contains(note, "Sleep"):
		return []string{"sleep", "wait", "delay", "pause"}
	}
	if name, ok := strings.CutSuffix(note, " bool"); ok {
		return []string{strings.ToLower(name)}
	}
	return nil
}

// mentioned finds a word of text, other than the function's own name, that
// starts with one of stems.
func mentioned(text, own string, stems []string) (string, bool) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		for _, stem := range stems {
			if word != own && strings.HasPrefix(strings.ToLower(word), stem) {
				return word, true
			}
		}
	}
	return "", false
}

// answerExplained looks for a comment on the finding's line or right above it:
// someone gave it a thought.
func (p *Package) answerExplained(at Place) (string, Place, bool) {
	f := p.file(at.File)
	if f == nil {
		return "", Place{}, false
	}
	for _, group := range f.syntax.Comments {
		last := p.at(group.End()).Line
		if group.Text() != "" && !p.isDoc(group) && (last == at.Line || last == at.Line-1) {
			comment := Place{p.at(group.Pos()), at.Name, ""}
			return fmt.Sprintf("a comment at %s explains it: %q", comment.Position, firstWords(group.Text(), 12)), comment, true
		}
	}
	return "", Place{}, false
}

// isDoc says whether a comment documents a function: it says what the function
// does, not why one of its lines is as it is.
func (p *Package) isDoc(group *ast.CommentGroup) bool {
	for _, f := range p.funcs {
		if f.decl.Doc == group {
			return true
		}
	}
	return false
}

// firstWords quotes the beginning of a comment.
func firstWords(text string, n int) string {
	words := strings.Fields(text)
	if len(words) > n {
		return strings.Join(words[:n], " ") + " …"
	}
	return strings.Join(words, " ")
}
