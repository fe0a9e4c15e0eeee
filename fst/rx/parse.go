package rx

import (
	"fmt"
	"slices"
	"strings"
)

// Parse reads an expression; the package comment describes the syntax. The error is an *Error, and
// wraps ErrSyntax or ErrInvalid. It takes O(length of the text) time, and at most 400 bytes of
// memory per byte of text plus 128 KiB.
func Parse(text string) (Expr, error) {
	p := parser{scanner: newScanner("", text)}
	e := p.expr()
	if p.peek() != end {
		p.fail("an operator or the end")
	}
	return p.result(e)
}

// MustParse is like Parse but panics if there is an error. It is for texts that are known to be
// valid.
func MustParse(text string) Expr {
	e, err := Parse(text)
	if err != nil {
		panic(err.Error())
	}
	return e
}

type parser struct {
	scanner
	depth   int            // of parentheses and braces
	symbols map[rune]Expr  // of texts
	bound   map[string]int // per name: the number of enclosing variables
	run     run            // the last adjacent symbols without quotes
	before  string         // the text from the preceding factor of the concatenation on, or ""
	// file, if not nil, is called for each reference to a file and returns the name of its
	// definition.
	file func(pos position, name string) string
}

func (p *parser) enter() {
	if p.depth++; p.depth > MaxDepth {
		p.stop(p.pos, "", invalid(ErrInvalid, "parentheses nested more than %d deep", MaxDepth))
	}
}

func (p *parser) leave() { p.depth-- }

// result returns e, or an error if it is not valid.
func (p *parser) result(e Expr) (Expr, error) {
	if p.err != nil {
		return Expr{}, p.err
	}
	if err := e.check(); err != nil {
		return Expr{}, err
	}
	return e, nil
}

// at sets the position of e, a new expression. If operators are nested too deep, it stops reading,
// so that the rest of the text takes no memory.
func (p *parser) at(pos position, e Expr) Expr {
	e.n.pos = pos
	if p.err == nil && e.n.depth > MaxDepth {
		p.err, p.rest = e.check(), ""
	}
	return e
}

// expr = rules { ">>" rules }
func (p *parser) expr() Expr {
	p.enter()
	defer p.leave()
	return p.composition(p.rules)
}

// composition = operand { ">>" operand }
func (p *parser) composition(operand func() Expr) Expr {
	es := []Expr{operand()}
	pos := p.pos
	for p.accept(">>") {
		es = append(es, operand())
	}
	if len(es) == 1 {
		return es[0]
	}
	return p.at(pos, Compose(es[0], es[1:]...))
}

// union = set { "|" set | "||" set | "+_" prob set }
func (p *parser) union() Expr {
	es := []Expr{p.set()}
	var first position // of "|"
	closed := func() Expr {
		if len(es) == 1 {
			return es[0]
		}
		return p.at(first, Union(es[0], es[1:]...))
	}
	for {
		pos := p.pos
		switch {
		case p.accept("||"):
			es = []Expr{p.at(pos, Otherwise(closed(), p.set()))}
		case p.accept("|"):
			if len(es) == 1 {
				first = pos
			}
			es = append(es, p.set())
		case p.accept("+_"):
			prob := p.subscript()
			es = []Expr{p.at(pos, ProbUnion(prob, closed(), p.set()))}
		default:
			return closed()
		}
	}
}

// set = concat { "&" concat | "-" concat }
func (p *parser) set() Expr {
	e := p.concat()
	for {
		pos := p.pos
		switch {
		case p.accept("&"):
			es := []Expr{p.concat()}
			for p.accept("&") {
				es = append(es, p.concat())
			}
			e = p.at(pos, Intersect(e, es...))
		case p.arrow():
			return e
		case p.accept("-"):
			e = p.at(pos, Subtract(e, p.concat()))
		default:
			return e
		}
	}
}

// concat = factor { factor }. It skips trailing blanks.
func (p *parser) concat() Expr {
	defer func(around string) { p.before = around }(p.before)
	p.blanks()
	pos, first := p.pos, p.rest
	p.before = ""
	es := []Expr{p.factor()}
	for p.blanks(); p.beginsFactor() && !p.arrow(); p.blanks() {
		p.before, first = first, p.rest
		es = append(es, p.factor())
	}
	if len(es) == 1 {
		return es[0]
	}
	return p.at(pos, Concat(es...))
}

// factor = "~" factor | postfix
func (p *parser) factor() Expr {
	pos := p.pos
	if !p.accept("~") {
		return p.postfix()
	}
	p.enter()
	defer p.leave()
	p.blanks()
	p.before = ""
	return p.at(pos, Complement(p.factor()))
}

func (p *parser) beginsFactor() bool { return p.peek() == '~' || p.beginsAtom() }

func (p *parser) beginsAtom() bool {
	switch r := p.peek(); r {
	case '\\', '\'', '"', '[', '.', '$', '@', '<', '(', '{':
		return true
	default:
		return isSymbol(r)
	}
}

// postfix = cross { "*" | "*_" prob | "+" | "?" | "{" count [ "," [ count ] ] "}" | "^" name }
func (p *parser) postfix() Expr {
	first := p.rest
	e := p.cross()
	for {
		p.blanks()
		p.weighed(first)
		pos, rest := p.pos, p.rest
		switch {
		case p.accept("*_"):
			e = p.at(pos, ProbStar(p.subscript(), e))
		case p.accept("*"):
			e = p.at(pos, Star(e))
		case strings.HasPrefix(rest, "+_"):
			return e
		case p.accept("+"):
			e = p.at(pos, Plus(e))
		case p.accept("?"):
			e = p.at(pos, Optional(e))
		case len(rest) > 1 && rest[0] == '{' && isDigit(rune(rest[1])):
			e = p.at(pos, p.repetition(e))
		case p.accept("^"):
			operator, ok := operators[p.while(func(r rune, before int) bool { return inName(r, before > 0) })]
			if !ok {
				p.stop(pos, "in, out, inv, rev or min", invalid(ErrSyntax, "^ without in, out, inv, rev or min"))
				return e
			}
			e = p.at(pos, operator(e))
		default:
			return e
		}
	}
}

// repetition reads {n}, {n,} or {n,m} after e.
func (p *parser) repetition(e Expr) Expr {
	p.next()
	lo := p.count()
	hi := lo
	if p.blanks(); p.accept(",") {
		hi = Unlimited
		if p.blanks(); p.peek() != '}' {
			hi = p.count()
		}
	}
	p.expect("}", "} after a number of repetitions")
	return Repeat(e, lo, hi)
}

// cross = atom [ ":" atom ]
func (p *parser) cross() Expr {
	x := sides{left: p.rest, run: p.run}
	e := p.atom()
	x.leftEnd = p.rest
	p.blanks()
	pos := p.pos
	if !p.accept(":") {
		return e
	}
	p.blanks()
	x.right = p.rest
	other := p.atom()
	p.checkSides(pos, x)
	return p.at(pos, Cross(e, other))
}

// atom = symbol | text | class | "." | "$" | "@" name arguments | "<" prob ">" |
// "(" [ expr ] ")" | choice | each | tokens
func (p *parser) atom() Expr {
	pos := p.pos
	switch {
	case p.accept("("):
		if p.blanks(); p.accept(")") {
			return Concat()
		}
		e := p.expr()
		p.expect(")", "an operator or )")
		return e
	case p.accept("["):
		return p.class(pos)
	case p.accept("."):
		return p.at(pos, Any())
	case p.accept("$"):
		return p.at(pos, Edge())
	case p.accept("@"):
		name := p.definition()
		args := p.arguments()
		if p.bound[name] > 0 {
			return p.at(pos, newExpr(node{op: variable, name: name, args: args}))
		}
		return p.at(pos, Call(name, args...))
	case p.accept(`"`):
		return p.text(pos, p.quoted('"'))
	case p.accept("<"):
		p.blanks()
		prob := p.prob()
		p.expect(">", ">")
		return p.at(pos, Weight(prob))
	case p.accept("{"):
		if p.blanks(); p.accept("@") {
			return p.at(pos, p.each())
		}
		if p.accept("*") {
			return p.at(pos, p.tokens())
		}
		return p.at(pos, p.choice())
	case !p.beginsAtom():
		p.fail("an expression")
		return Expr{}
	}
	word, first := p.around(), p.rest
	e := p.at(pos, newExpr(node{op: symbol, name: p.symbol(), word: word}))
	p.run = p.run.and(first, p.rest)
	return e
}

// text returns the concatenation of the characters of s, which was read at pos. Texts share their
// symbols, which have no position of their own.
func (p *parser) text(pos position, s string) Expr {
	es := make([]Expr, 0, len(s))
	for _, r := range s {
		e, ok := p.symbols[r]
		if !ok {
			if p.symbols == nil {
				p.symbols = map[rune]Expr{}
			}
			e = Symbol(string(r))
			p.symbols[r] = e
		}
		es = append(es, e)
	}
	switch len(es) {
	case 0:
		return Expr{}
	case 1:
		return p.at(pos, Symbol(s))
	}
	return p.at(pos, newExpr(node{op: concat, args: slices.Clip(es)}))
}

// class reads the rest of a class of symbols, which begins at pos.
func (p *parser) class(pos position) Expr {
	negated := p.accept("^")
	var spans []Span
	for p.blanks(); !p.accept("]"); p.blanks() {
		if r := p.peek(); r == end {
			p.fail("a symbol or ]")
			break
		} else if isPunct(r) && r != '\\' && r != '\'' {
			p.fail(fmt.Sprintf("a symbol or ], and punctuation after a backslash: \\%c", r))
			break
		}
		s := One(p.symbol())
		if p.blanks(); p.accept("-") {
			p.blanks()
			s.last = p.symbol()
		}
		spans = append(spans, s)
	}
	if len(spans) == 0 {
		p.stop(pos, "a symbol", invalid(ErrInvalid, "a class is empty"))
	}
	if negated {
		return p.at(pos, NoneOf(spans...))
	}
	return p.at(pos, OneOf(spans...))
}

// choice reads the rest of {group: E | name = F}.
func (p *parser) choice() Expr {
	p.enter()
	defer p.leave()
	p.blanks()
	group := p.name("a group")
	p.expect(":", "a colon after the name of a group")
	var as []Alternative
	for {
		as = append(as, Alternative{p.label(), p.set()})
		if !p.accept("|") {
			break
		}
	}
	p.expect("}", "an operator or }")
	return Choice(group, as...)
}

// label reads an optional alternative name followed by =.
func (p *parser) label() string {
	p.blanks()
	before := p.scanner
	label := p.while(func(r rune, before int) bool { return inName(r, before > 0) })
	if p.blanks(); label != "" && p.accept("=") {
		return label
	}
	p.scanner = before
	return ""
}

// subscript reads a probability after _.
func (p *parser) subscript() Prob {
	if !p.accept("(") {
		return p.simpleProb()
	}
	p.blanks()
	prob := p.prob()
	p.expect(")", ")")
	return prob
}

// prob = number | ( "+" | "-" ) number | name [ "." name ] | "1" "-" name
func (p *parser) prob() Prob {
	if p.accept("+") {
		if p.peek() == '-' {
			p.fail("a number: a negative cost is written <-1>")
		}
		return Cost(p.number())
	}
	if p.accept("-") {
		return Cost(-p.number())
	}
	prob := p.simpleProb()
	if prob.group != "" && p.accept(".") {
		return Param(prob.group, p.alternative())
	}
	if p.blanks(); prob != Number(1) || !p.accept("-") {
		return prob
	}
	p.blanks()
	return Coin(p.name("a coin")).Not()
}

func (p *parser) simpleProb() Prob {
	switch r := p.peek(); {
	case isDigit(r) || r == '.':
		return Number(p.number())
	case inName(r, false):
		return Coin(p.name("a coin"))
	}
	p.fail("a number or the name of a coin")
	return Prob{}
}
