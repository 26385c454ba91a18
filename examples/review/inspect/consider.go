package inspect

import (
	"fmt"
	"go/ast"
	"strings"
)

// considerations are the points inspectors can make about each other's findings.
func considerations() []consideration {
	return []consideration{
		{"compile", "generated", Eases, nil, (*Package).answerGenerated},
		{"compile", "documented", Eases, []string{"swallowed-panic"}, (*Package).answerDocumented},
		{"compile", "explained", Eases, []string{
			"dropped-error", "swallowed-panic", "lost-error", "lost-unlock", "exit", "SA4006",
		}, (*Package).answerExplained},
		{"secrets", "makes-a-secret", Worsens, []string{"G401", "G404"}, (*Package).answerSecret},
		{"errors", "could-return", Worsens, []string{"exit"}, (*Package).answerCouldReturn},
		{"tests", "untested", Worsens, []string{"removal", "dynamic-command", "exit", "dropped-error", "swallowed-panic"}, (*Package).answerUntested},
		{"tests", "no-race-seen", Eases, []string{"racing-write", "served-write"}, (*Package).answerNoRace},
	}
}

func (p *Package) answerGenerated(at Place) (string, bool) {
	f := p.file(at.File)
	return at.File + " is generated: the generator is what to change", f != nil && f.Generated
}

// answerExplained looks for a comment on the place's line or right above it:
// someone gave it a thought.
func (p *Package) answerExplained(at Place) (string, bool) {
	f := p.file(at.File)
	if f == nil {
		return "", false
	}
	for _, group := range f.syntax.Comments {
		last := p.at(group.End()).Line
		if group.Text() != "" && !p.isDoc(group) && (last == at.Line || last == at.Line-1) {
			return fmt.Sprintf("a comment at %s explains it: %q", p.at(group.Pos()), firstWords(group.Text(), 12)), true
		}
	}
	return "", false
}

// answerDocumented looks for a function's documentation that speaks of panics.
func (p *Package) answerDocumented(at Place) (string, bool) {
	f := p.named[at.Name]
	if f == nil {
		return "", false
	}
	doc := strings.ToLower(f.decl.Doc.Text())
	return fmt.Sprintf("the documentation of %s at %s speaks of panics", f.name, p.at(f.decl.Pos())),
		strings.Contains(doc, "panic") || strings.Contains(doc, "recover")
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

// answerSecret looks at what the function around a place is called and takes.
func (p *Package) answerSecret(at Place) (string, bool) {
	f := p.named[at.Name]
	if f == nil {
		return "", false
	}
	names := []string{f.decl.Name.Name}
	for _, field := range f.decl.Type.Params.List {
		for _, id := range field.Names {
			names = append(names, id.Name)
		}
	}
	for _, name := range names {
		for _, word := range []string{"token", "password", "passwd", "secret", "session", "nonce", "apikey", "otp", "salt"} {
			if strings.Contains(strings.ToLower(name), word) {
				return fmt.Sprintf("%s at %s is about a secret: %q", f.name, p.at(f.decl.Pos()), name), true
			}
		}
	}
	return "", false
}

// answerCouldReturn points out that a function that ends the process because of
// an error has an error to return.
func (p *Package) answerCouldReturn(at Place) (string, bool) {
	f := p.named[at.Name]
	if f == nil || f.obj == nil || !p.becauseOfError(at) {
		return "", false
	}
	results := f.obj.Signature().Results()
	could := results.Len() > 0 && isError(results.At(results.Len()-1).Type())
	return fmt.Sprintf("%s at %s returns an error and could return this as one", f.name, p.at(f.decl.Pos())), could
}

// becauseOfError says whether the call at a place is handed an error, or stands
// where one is not nil.
func (p *Package) becauseOfError(at Place) bool {
	for c := range p.code.Preorder((*ast.CallExpr)(nil)) {
		call := c.Node().(*ast.CallExpr)
		if p.at(call.Pos()) != at.Position || p.callee(call) != at.Note {
			continue
		}
		for _, arg := range call.Args {
			if implementsError(p.typeOf(arg)) {
				return true
			}
		}
		for stmt := range c.Enclosing((*ast.IfStmt)(nil)) {
			if p.notNil(stmt.Node().(*ast.IfStmt).Cond) != nil {
				return true
			}
		}
	}
	return false
}

func (p *Package) answerUntested(at Place) (string, bool) {
	f := p.named[at.Name]
	if f == nil || f.file.Test || f.obj == nil || !p.TestsTyped {
		return "", false
	}
	_, tested := p.graph().testOf(f)
	return fmt.Sprintf("no test reaches %s at %s", at.Name, p.at(f.decl.Pos())), !tested
}

// answerNoRace is what the race detector saw of a function, when it ran and the
// tests passed.
func (p *Package) answerNoRace(at Place) (string, bool) {
	f := p.named[at.Name]
	if f == nil || p.Run == nil || !p.Run.Race || !p.Run.Passed {
		return "", false
	}
	test, ok := p.graph().testOf(f)
	return fmt.Sprintf("%s at %s reaches %s, and the race detector saw nothing", test.Name, test.Position, f.name), ok
}
