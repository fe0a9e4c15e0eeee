package rx

// atom = symbol | class | "." | "$" | "@" name | "<" prob ">" | "(" [ expr ] ")" | choice
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
		return p.at(pos, Ref(p.name("a definition")))
	case p.accept("<"):
		p.blanks()
		prob := p.prob()
		p.expect(">", ">")
		return p.at(pos, Weight(prob))
	case p.accept("{"):
		return p.at(pos, p.choice())
	case !p.beginsAtom():
		p.fail("an expression")
		return Expr{}
	}
	return p.at(pos, Symbol(p.symbol()))
}

// class reads the rest of a class of symbols, which begins at pos.
func (p *parser) class(pos position) Expr {
	negated := p.accept("^")
	var spans []Span
	for p.blanks(); !p.accept("]"); p.blanks() {
		if p.peek() == end {
			p.fail("a symbol or ]")
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
	p.expect(":", "a colon behind the name of a group")
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

// label reads the name of an alternative and =, if they are there.
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

// subscript reads a probability behind _.
func (p *parser) subscript() Prob {
	if !p.accept("(") {
		return p.simpleProb()
	}
	p.blanks()
	prob := p.prob()
	p.expect(")", ")")
	return prob
}

// prob = number | name | "1" "-" name
func (p *parser) prob() Prob {
	prob := p.simpleProb()
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
