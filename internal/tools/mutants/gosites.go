package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
)

// site is a part of a file and its replacement in a mutant.
type site struct {
	line     int
	runs     int // line of the coverage for the site: that of its statement
	from, to int // offsets of the replaced text
	text     string
	kind     string // "boundary", "operator", …
}

// opposites maps an operator to its replacements in mutants.
var opposites = map[token.Token][]token.Token{
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL},
	token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.QUO}, token.QUO: {token.MUL},
	token.REM: {token.MUL}, token.AND: {token.OR}, token.OR: {token.AND},
	token.SHL: {token.SHR}, token.SHR: {token.SHL},
	token.ADD_ASSIGN: {token.SUB_ASSIGN}, token.SUB_ASSIGN: {token.ADD_ASSIGN},
	token.MUL_ASSIGN: {token.QUO_ASSIGN}, token.QUO_ASSIGN: {token.MUL_ASSIGN},
	token.INC: {token.DEC}, token.DEC: {token.INC},
	token.BREAK: {token.CONTINUE}, token.CONTINUE: {token.BREAK},
}

// commutes matches the functions of Go and JavaScript whose arguments have no order.
var commutes = regexp.MustCompile(`^([Mm]ath\.)?[Mm](in|ax)$|^(slices|maps|bytes)\.Equal$|^strings\.EqualFold$|^vec\.Dot$`)

// boundaries holds the pairs of opposites that differ only for equal operands.
var boundaries = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
}

// goSites collects the sites of a Go file. Some mutants do not compile, because types are not known here.
type goSites struct {
	set     *token.FileSet
	text    []byte
	results []*ast.FieldList // results of the enclosing functions
	begun   []part
	unread  []ast.Expr // numbers returned beside an error or beside false
	sites   []site
}

// part is a statement or an expression of a case, with the beginning of its statement. A profile has no block for a case,
// and none for what follows a function within a statement.
type part struct {
	ast.Node
	of token.Pos
}

func sitesOfGo(name string, text []byte) ([]site, error) {
	s := &goSites{set: token.NewFileSet(), text: text}
	file, err := parser.ParseFile(s.set, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			s.function(f.Type, f.Body)
		}
	}
	return s.sites, nil
}

func (s *goSites) function(t *ast.FuncType, body *ast.BlockStmt) {
	s.results = append(s.results, t.Results)
	ast.Inspect(body, s.visit)
	s.results = s.results[:len(s.results)-1]
}

func (s *goSites) offset(p token.Pos) int { return s.set.Position(p).Offset }

func (s *goSites) source(n ast.Node) string {
	return string(s.text[s.offset(n.Pos()):s.offset(n.End())])
}

func (s *goSites) add(kind string, from, to token.Pos, text string) {
	runs := from
	for _, p := range s.begun { // the innermost one is the last
		if p.Pos() <= from && from < p.End() {
			runs = p.of
		}
	}
	s.sites = append(s.sites, site{s.set.Position(from).Line, s.set.Position(runs).Line, s.offset(from), s.offset(to), text, kind})
}

// instead adds the opposites of the operator at a position.
func (s *goSites) instead(op token.Token, at token.Pos) {
	for _, other := range opposites[op] {
		kind := "operator"
		if boundaries[op] == other {
			kind = "boundary"
		}
		s.add(kind, at, at+token.Pos(len(op.String())), other.String())
	}
}

func (s *goSites) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
	case ast.Stmt:
		s.begun = append(s.begun, part{n, n.Pos()})
	}
	switch n := n.(type) {
	case *ast.FuncLit:
		s.function(n.Type, n.Body)
		return false
	case *ast.SwitchStmt:
		for _, c := range n.Body.List {
			for _, e := range c.(*ast.CaseClause).List {
				s.begun = append(s.begun, part{e, n.Pos()})
			}
		}
	case *ast.BinaryExpr:
		if isString(n.X) || isString(n.Y) {
			return true // there is no other operator
		}
		s.instead(n.Op, n.OpPos)
	case *ast.IncDecStmt:
		s.instead(n.Tok, n.TokPos)
	case *ast.BranchStmt:
		if n.Label == nil {
			s.instead(n.Tok, n.TokPos)
		}
	case *ast.IfStmt:
		s.add("condition", n.Cond.Pos(), n.Cond.End(), "!("+s.source(n.Cond)+")")
	case *ast.AssignStmt:
		s.assignment(n)
	case *ast.ExprStmt:
		if call, ok := n.X.(*ast.CallExpr); ok && s.source(call.Fun) != "panic" {
			s.add("removed call", n.Pos(), n.End(), "")
		}
	case *ast.DeferStmt:
		s.add("removed call", n.Pos(), n.End(), "")
	case *ast.CallExpr:
		if s.source(n.Fun) == "math.Inf" {
			return false // all numbers of one sign give the same
		}
		s.swaps(n)
	case *ast.BasicLit:
		if n.Kind == token.INT && !s.isUnread(n) {
			if v, err := strconv.Atoi(n.Value); err == nil {
				s.add("boundary", n.Pos(), n.End(), strconv.Itoa(v+1))
			}
		}
	case *ast.ReturnStmt:
		s.returned(n)
	}
	return true
}

func isString(e ast.Expr) bool {
	l, ok := e.(*ast.BasicLit)
	return ok && l.Kind == token.STRING
}

// assignment adds a site that computes the value without the assignment.
func (s *goSites) assignment(n *ast.AssignStmt) {
	s.instead(n.Tok, n.TokPos)
	if n.Tok == token.ASSIGN && len(n.Lhs) == 1 && s.source(n.Lhs[0]) != "_" {
		s.add("assignment", n.Lhs[0].Pos(), n.Lhs[0].End(), "_")
	}
}

func (s *goSites) swaps(n *ast.CallExpr) {
	if commutes.MatchString(s.source(n.Fun)) {
		return
	}
	for i := 1; i < len(n.Args); i++ {
		a, b := n.Args[i-1], n.Args[i]
		if x, y := s.source(a), s.source(b); x != y && !(n.Ellipsis.IsValid() && i == len(n.Args)-1) {
			s.add("swapped arguments", a.Pos(), b.End(), y+string(s.text[s.offset(a.End()):s.offset(b.Pos())])+x)
		}
	}
}

// returned adds sites that negate truth values and numbers, and that drop errors. A number beside an error or beside false
// has no site, because callers do not read it.
func (s *goSites) returned(n *ast.ReturnStmt) {
	fields := s.results[len(s.results)-1]
	if fields == nil {
		return
	}
	if last := len(n.Results) - 1; last > 0 {
		kind, x := s.source(fields.List[len(fields.List)-1].Type), s.source(n.Results[last])
		if kind == "error" && x != "nil" || kind == "bool" && x == "false" {
			s.unread = append(s.unread, n.Results[:last]...)
		}
	}
	var kinds []string
	for _, f := range fields.List {
		for range max(1, len(f.Names)) {
			kinds = append(kinds, s.source(f.Type))
		}
	}
	if len(kinds) != len(n.Results) {
		return
	}
	for i, e := range n.Results {
		x := s.source(e)
		switch kind := kinds[i]; {
		case kind == "bool":
			s.add("negated return", e.Pos(), e.End(), "!("+x+")")
		case (kind == "int" || kind == "float64" || kind == "int64") && !s.isUnread(e) && x != "0" && x != "math.NaN()":
			s.add("negated return", e.Pos(), e.End(), "-("+x+")")
		case kind == "error" && x != "nil":
			s.add("negated return", e.Pos(), e.End(), "nil")
		}
	}
}

// isUnread reports whether an expression is a number returned beside an error or beside false.
func (s *goSites) isUnread(e ast.Expr) bool {
	_, number := e.(*ast.BasicLit)
	return number && slices.Contains(s.unread, e)
}
