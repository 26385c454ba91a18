package inspect

import (
	"fmt"
	"go/ast"
	"go/token"
)

// Limits of the complexity inspector. Of 3,200 functions in fifteen packages of
// the standard library and seven others, 3% exceed the first and 1% the second.
const (
	maxCognitive = 25
	maxLines     = 90
)

var (
	tangled = rule{name: "tangled-function", dimension: Design, severity: Medium, confidence: 0.85}
	long    = rule{name: "long-function", dimension: Design, severity: Low, confidence: 0.9}
)

func tangledFunctions(p *Package) []Finding {
	var places []measured
	for _, f := range p.functions() {
		if n := cognitive(f.decl); n > maxCognitive {
			places = append(places, measured{p.functionPlace(f, fmt.Sprintf("cognitive complexity %d", n)), n})
		}
	}
	return tangled.beyond(places, maxCognitive, fmt.Sprintf("%s harder to follow than a cognitive complexity of %d",
		share(len(places), len(p.functions()), "function"), maxCognitive))
}

func longFunctions(p *Package) []Finding {
	var places []measured
	for _, f := range p.functions() {
		if n := p.codeLines(f.decl); n > maxLines {
			places = append(places, measured{p.functionPlace(f, fmt.Sprintf("%d lines of code", n)), n})
		}
	}
	return long.beyond(places, maxLines, fmt.Sprintf("%s longer than %d lines of code",
		share(len(places), len(p.functions()), "function"), maxLines))
}

// codeLines counts the lines of a function on which some code begins or ends:
// comments and blank lines are free.
func (p *Package) codeLines(decl *ast.FuncDecl) int {
	lines := make(map[int]bool)
	ast.Inspect(decl, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		if _, comment := n.(*ast.CommentGroup); comment {
			return false
		}
		lines[p.at(n.Pos()).Line] = true
		lines[p.at(n.End()-1).Line] = true
		return true
	})
	return len(lines)
}

// cognitive counts what makes a function hard to follow: one for each branch,
// loop, jump to a label and change of boolean operator, and one more for each
// level of nesting around a branch, loop or function literal.
func cognitive(decl *ast.FuncDecl) int {
	if decl.Body == nil {
		return 0
	}
	var c cognition
	c.block(decl.Body, 0)
	return c.total
}

// nesting is the greatest depth of branches and loops within a function.
func nesting(decl *ast.FuncDecl) int {
	if decl.Body == nil {
		return 0
	}
	var c cognition
	c.block(decl.Body, 0)
	return c.deepest
}

type cognition struct{ total, deepest int }

// block visits n's parts, which lie depth levels deep.
func (c *cognition) block(n ast.Node, depth int) {
	if n == nil {
		return
	}
	ast.Inspect(n, func(m ast.Node) bool { return m == n || c.visit(m, depth) })
}

// visit counts one node and says whether its parts are at the same depth.
func (c *cognition) visit(n ast.Node, depth int) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		c.branch(depth)
		c.ifParts(n, depth)
		return false
	case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		c.branch(depth)
		c.block(n, depth+1)
		return false
	case *ast.FuncLit:
		c.block(n.Body, depth+1)
		return false
	case *ast.BranchStmt:
		if n.Label != nil {
			c.total++
		}
	case *ast.BinaryExpr:
		c.operators(n, depth)
		return false
	}
	return true
}

func (c *cognition) branch(depth int) {
	c.total += 1 + depth
	c.deepest = max(c.deepest, depth+1)
}

// ifParts counts else and else if flat: they read like the cases of a switch.
func (c *cognition) ifParts(n *ast.IfStmt, depth int) {
	c.within(n.Init, depth)
	c.within(n.Cond, depth)
	c.block(n.Body, depth+1)
	switch e := n.Else.(type) {
	case *ast.IfStmt:
		c.total++
		c.ifParts(e, depth)
	case *ast.BlockStmt:
		c.total++
		c.block(e, depth+1)
	}
}

// within visits n itself, which may be nil.
func (c *cognition) within(n ast.Node, depth int) {
	if n != nil {
		ast.Inspect(n, func(m ast.Node) bool { return c.visit(m, depth) })
	}
}

// operators counts one for each run of equal && or ||.
func (c *cognition) operators(n *ast.BinaryExpr, depth int) {
	if n.Op == token.LAND || n.Op == token.LOR {
		c.total++
		c.operand(n.X, n.Op, depth)
		c.operand(n.Y, n.Op, depth)
		return
	}
	c.within(n.X, depth)
	c.within(n.Y, depth)
}

func (c *cognition) operand(e ast.Expr, op token.Token, depth int) {
	if b, ok := ast.Unparen(e).(*ast.BinaryExpr); ok && b.Op == op {
		c.operand(b.X, op, depth)
		c.operand(b.Y, op, depth)
		return
	}
	c.within(e, depth)
}
