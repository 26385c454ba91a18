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
		{"compile", "explained", Eases, []string{"dropped-error", "swallowed-panic", "lost-error", "exit", "SA4006"}, (*Package).answerExplained},
		{"hazards", "makes-a-secret", Worsens, []string{"G401", "G404"}, (*Package).answerSecret},
		{"errors", "could-return", Worsens, []string{"exit"}, (*Package).answerCouldReturn},
		{"tests", "untested", Worsens, []string{"removal", "dynamic-command", "exit", "dropped-error", "swallowed-panic"}, (*Package).answerUntested},
	}
}

func (p *Package) answerGenerated(at Place) (string, bool) {
	f := p.file(at.File)
	return at.File + " is generated: the generator is what to change", f != nil && f.Generated
}

// answerExplained looks for a comment on the place's line or right above it, that
// is not a function's documentation: someone gave it a thought.
func (p *Package) answerExplained(at Place) (string, bool) {
	f, around := p.file(at.File), p.named[at.Name]
	if f == nil || around == nil {
		return "", false
	}
	for _, group := range f.syntax.Comments {
		last := p.at(group.End()).Line
		if group.Pos() > around.decl.Name.Pos() && group.Text() != "" && (last == at.Line || last == at.Line-1) {
			return fmt.Sprintf("a comment at %s explains it: %q", p.at(group.Pos()).At(), oneLine(group.Text())), true
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
	says := strings.Contains(doc, "panic") || strings.Contains(doc, "recover")
	return fmt.Sprintf("the documentation of %s at %s speaks of panics", f.name, p.at(f.decl.Pos()).At()), says
}

// answerSecret looks at what the function around a place is called and takes.
func (p *Package) answerSecret(at Place) (string, bool) {
	f := p.named[at.Name]
	if f == nil {
		return "", false
	}
	for _, name := range append(identifiers(f.decl.Type.Params), f.decl.Name.Name) {
		for _, word := range []string{"token", "password", "passwd", "secret", "session", "nonce", "apikey", "otp", "salt"} {
			if strings.Contains(strings.ToLower(name), word) {
				return fmt.Sprintf("%s at %s is about a secret: %q", f.name, p.at(f.decl.Pos()).At(), name), true
			}
		}
	}
	return "", false
}

// answerCouldReturn points out that a function that ends the process because of
// an error has an error to return.
func (p *Package) answerCouldReturn(at Place) (string, bool) {
	f := p.named[at.Name]
	if f == nil || !p.returnsError(f.decl.Type) {
		return "", false
	}
	because := false
	for n := range ast.Preorder(f.decl.Body) {
		stmt, ok := n.(*ast.IfStmt)
		if ok && p.at(stmt.Pos()).Line <= at.Line && at.Line <= p.at(stmt.End()).Line {
			because = because || p.errorNotNil(stmt.Cond)
		}
	}
	return fmt.Sprintf("%s at %s returns an error and could return this as one", f.name, p.at(f.decl.Pos()).At()), because
}

func (p *Package) answerUntested(at Place) (string, bool) {
	f := p.named[at.Name]
	if f == nil || f.file.Test || !p.TestsTyped {
		return "", false
	}
	return fmt.Sprintf("no test reaches %s at %s", at.Name, p.at(f.decl.Pos()).At()), p.tested[f.decl.Name.Name] == ""
}
