package main

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
)

// oppositesOfJS maps an operator of JavaScript to its replacements. The first replacement of a comparison is its
// boundary.
var oppositesOfJS = map[string][]string{
	"<": {"<=", ">="}, "<=": {"<", ">"}, ">": {">=", "<="}, ">=": {">", "<"},
	"===": {"!=="}, "!==": {"==="}, "&&": {"||"}, "||": {"&&"}, "??": {"&&"},
	"+": {"-"}, "-": {"+"}, "*": {"/"}, "/": {"*"}, "%": {"*"},
	"+=": {"-="}, "-=": {"+="}, "++": {"--"}, "--": {"++"},
	"true": {"false"}, "false": {"true"}, "break": {"continue"}, "continue": {"break"},
}

// tokenOfJS is a token of JavaScript.
type tokenOfJS struct {
	kind     js.TokenType
	text     string
	from, to int
}

// tokensOfJS returns the tokens of a script, without space and comments.
func tokensOfJS(text []byte) (all []tokenOfJS, err error) {
	lexer, at := js.NewLexer(parse.NewInputBytes(bytes.Clone(text))), 0
	for {
		kind, b := lexer.Next()
		if kind == js.ErrorToken {
			if errors.Is(lexer.Err(), io.EOF) {
				return all, nil
			}
			return nil, lexer.Err()
		}
		if (kind == js.DivToken || kind == js.DivEqToken) && startsValue(all) {
			kind, b = lexer.RegExp()
		}
		switch kind {
		case js.WhitespaceToken, js.LineTerminatorToken, js.CommentToken, js.CommentLineTerminatorToken:
		default:
			all = append(all, tokenOfJS{kind, string(b), at, at + len(b)})
		}
		at += len(b)
	}
}

// startsValue reports whether a slash after the tokens begins a regular expression.
func startsValue(before []tokenOfJS) bool {
	if len(before) == 0 {
		return true
	}
	last := before[len(before)-1]
	return !(js.IsIdentifier(last.kind) || js.IsNumeric(last.kind) || last.kind == js.StringToken ||
		last.text == ")" || last.text == "]" || last.text == "}")
}

var statementOfJS = regexp.MustCompile(`(?m)^[ \t]*([\w.$?]+\([^\n]*\));$`)

func sitesOfJS(text []byte) ([]site, error) {
	tokens, err := tokensOfJS(text)
	if err != nil {
		return nil, err
	}
	line := func(at int) int { return 1 + bytes.Count(text[:at], []byte("\n")) }
	var sites []site
	add := func(kind string, from, to int, new string) {
		sites = append(sites, site{line(from), line(from), from, to, new, kind})
	}
	for i, t := range tokens {
		for k, other := range oppositesOfJS[t.text] {
			switch {
			case t.kind == js.StringToken:
				continue
			case (t.text == "+" || t.text == "-") && (startsValue(tokens[:i]) || nextToString(tokens, i)):
				continue // a sign, or a concatenation
			case k == 0 && len(oppositesOfJS[t.text]) == 2:
				add("boundary", t.from, t.to, other)
			default:
				add("operator", t.from, t.to, other)
			}
		}
		if v, err := strconv.Atoi(t.text); err == nil && js.IsNumeric(t.kind) {
			add("boundary", t.from, t.to, strconv.Itoa(v+1))
		}
		if end := closing(tokens, i+1); t.text == "if" && end > 0 {
			open := tokens[i+1].to
			add("condition", open, tokens[end].from, "!("+string(text[open:tokens[end].from])+")")
		}
		if i > 0 && t.text == "(" && js.IsIdentifier(tokens[i-1].kind) {
			addSwaps(add, text, tokens, i)
		}
	}
	for _, m := range statementOfJS.FindAllSubmatchIndex(text, -1) {
		add("removed call", m[2], m[3], "")
	}
	return slices.DeleteFunc(sites, func(s site) bool {
		_, err := js.Parse(parse.NewInputString(string(text[:s.from])+s.text+string(text[s.to:])), js.Options{})
		return err != nil
	}), nil
}

func nextToString(tokens []tokenOfJS, i int) bool {
	for _, k := range []int{i - 1, i + 1} {
		if k >= 0 && k < len(tokens) && (tokens[k].kind == js.StringToken || tokens[k].kind == js.TemplateToken) {
			return true
		}
	}
	return false
}

// closing returns the index of the bracket that closes the bracket at i; 0: none.
func closing(tokens []tokenOfJS, i int) int {
	depth := 0
	for ; i < len(tokens); i++ {
		switch tokens[i].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
		if depth <= 0 {
			return i
		}
	}
	return 0
}

// addSwaps adds the swaps of two arguments of the call with its bracket at open.
func addSwaps(add func(kind string, from, to int, new string), text []byte, tokens []tokenOfJS, open int) {
	end := closing(tokens, open)
	if open > 2 && commutes.MatchString(tokens[open-3].text+"."+tokens[open-1].text) {
		return
	}
	if end == 0 || end+1 < len(tokens) && tokens[end+1].text == "{" {
		return // declaration of a method
	}
	type span struct{ from, to int }
	var args []span
	start := open + 1
	for i := start; i <= end; i++ {
		switch tokens[i].text {
		case "(", "[", "{":
			i = max(i, closing(tokens, i))
		case ",", ")":
			if i > start {
				args = append(args, span{tokens[start].from, tokens[i-1].to})
			}
			start = i + 1
		}
	}
	for i := 1; i < len(args); i++ {
		a, b := args[i-1], args[i]
		x, y := string(text[a.from:a.to]), string(text[b.from:b.to])
		if x != y {
			add("swapped arguments", a.from, b.to, y+string(text[a.to:b.from])+x)
		}
	}
}
