package rx

import (
	"strings"

	"example.org/pathsum/internal/text"
)

// This file rejects texts that other programs read differently: in HFST and pyfoma a weight applies
// to everything before it, and a:sz pairs a with sz. The error contains both readings.

// run is a sequence of symbols without quotes or blanks. It is represented by the text from its
// first symbol on and the text from its end on. Both are suffixes of one text, so their lengths
// determine positions.
type run struct{ first, end string }

// and returns the run extended by a symbol, given the text from the symbol on and the text after
// it.
func (r run) and(first, end string) run {
	if strings.HasPrefix(first, `'`) {
		return run{}
	}
	if r.first != "" && len(r.end) == len(first) {
		first = r.first
	}
	return run{first, end}
}

// endsAt reports whether the run ends where rest begins.
func (r run) endsAt(rest string) bool { return r.first != "" && len(r.end) == len(rest) }

// sides are the positions of the operands of a colon: the text from the left operand on, from its
// end on, and from the right operand on. run contains the last symbols before them.
type sides struct {
	left, leftEnd, right string
	run                  run
}

// checkSides rejects the colon at pos, whose operands have been read, if longer operands may be
// meant.
func (p *parser) checkSides(pos position, x sides) {
	if p.err != nil {
		return
	}
	left, right := upTo(x.left, x.leftEnd), upTo(x.right, p.rest)
	before, behind := "", "" // text that may be meant as part of the operands
	switch {
	case x.run.endsAt(x.left) && isBare(x.left):
		before = upTo(x.run.first, x.left)
	case p.before != "" && strings.HasPrefix(x.left, "<"):
		before = strings.TrimSpace(upTo(p.before, x.left))
	}
	switch {
	case isBare(x.right):
		behind = p.symbolsBehind()
	case strings.HasPrefix(x.right, "<") && p.beginsFactor():
		if behind = p.symbolsBehind(); behind == "" {
			behind = string(p.peek()) + "…"
		}
	}
	if before == "" && behind == "" {
		return
	}
	group := func(s string, whole bool) string {
		if whole {
			return "(" + s + ")"
		}
		return s
	}
	weight := func(s string) bool { return strings.HasPrefix(s, "<") }
	all := group(before+left, before != "") + ":" + group(right+behind, behind != "")
	one := strings.TrimSpace(before + " " + group(left, weight(left)) + ":" + group(right, weight(right)) + " " + behind)
	p.twoReadings(pos, before+left+":"+right+behind, all, one, "parentheses or blanks that show the operands of the colon")
}

// weighed rejects a postfix operator after a weight, which begins at first, if another factor
// precedes the weight: that factor may be meant to be repeated, too.
func (p *parser) weighed(first string) {
	if p.err != nil || p.before == "" || !strings.HasPrefix(first, "<") {
		return
	}
	weight := strings.TrimSpace(upTo(first, p.rest))
	operator := p.operator()
	if operator == "" || !strings.HasSuffix(weight, ">") {
		return
	}
	before := strings.TrimSpace(upTo(p.before, first))
	p.twoReadings(p.pos, before+weight+operator, "("+before+weight+")"+operator, before+"("+weight+")"+operator,
		"parentheses around the expression that the weight repeats")
}

// twoReadings reports a syntax error at pos: read could mean one or the other.
func (p *parser) twoReadings(pos position, read, one, other, expected string) {
	p.stop(pos, expected, invalid(ErrSyntax, "%s could be %s or %s: add parentheses", text.Quote(read), text.Quote(one), text.Quote(other)))
}

// operator returns the next operator if it is a postfix operator, with the rest of a repetition or
// a name, and otherwise "".
func (p *parser) operator() string {
	rest := p.rest
	switch {
	case rest == "" || strings.HasPrefix(rest, "+_"):
		return ""
	case strings.HasPrefix(rest, "*_"):
		return "*_…"
	case strings.ContainsRune("*+?", rune(rest[0])):
		return rest[:1]
	case len(rest) > 1 && rest[0] == '{' && isDigit(rune(rest[1])):
		operator, _, _ := strings.Cut(rest, "}")
		return operator + "}"
	case rest[0] == '^':
		s := p.scanner
		s.accept("^")
		return "^" + s.while(func(r rune, _ int) bool { return inName(r, true) })
	}
	return ""
}

// symbolsBehind returns the unquoted symbols that follow without a blank.
func (p *parser) symbolsBehind() string {
	s := p.scanner
	for s.err == nil && isBare(s.rest) {
		s.symbol()
	}
	if s.err != nil {
		return ""
	}
	return upTo(p.rest, s.rest)
}

// isBare reports whether a text begins with a symbol that is not in quotes.
func isBare(rest string) bool {
	s := scanner{rest: rest}
	return isSymbol(s.peek()) || strings.HasPrefix(rest, `\`)
}

// upTo returns the part of text before its suffix rest.
func upTo(text, rest string) string { return text[:len(text)-len(rest)] }

// arrow reports whether an arrow follows, as in rewrite rules of foma, HFST and other programs. If
// so, it reports a syntax error.
func (p *parser) arrow() bool {
	for _, mark := range []string{"->", "(->)", "@->", "(@->)", "@>", "(@>)"} {
		if strings.HasPrefix(p.rest, mark) {
			p.stop(p.pos, "/", invalid(ErrSyntax, "%s, want a rule as a:b / left __ right, with a:b / __ for one that has no contexts", mark))
			return true
		}
	}
	return false
}
