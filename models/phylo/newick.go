package phylo

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.org/pathsum/internal/named"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
)

// Newick contains rules for reading trees of other programs whose text is ambiguous. The zero value
// contains the rules of ParseTree.
type Newick struct {
	// NegativeAsZero reads branch lengths below 0, which neighbour joining produces, as 0.
	// Otherwise they are errors.
	NegativeAsZero bool
	// Numbers is the meaning of two numbers after a name.
	Numbers Numbers
}

// Numbers is the meaning of two numbers after a name, such as E:98:0.46.
type Numbers int

const (
	// ByValue decides by the values: if a number exceeds 1 in only one of the two positions, the
	// numbers in this position are support values. Otherwise it is an error.
	ByValue Numbers = iota
	// SupportLength: the first is a support value, the second the branch length, as in files of
	// Biopython.
	SupportLength
	// LengthSupport: the first is the branch length, as in Rich Newick.
	LengthSupport
)

// String returns the name of n.
func (n Numbers) String() string {
	return named.One(n, "Numbers", "by value", "support:length", "length:support")
}

// ParseTree reads a tree in Newick format, such as
//
//	((human:0.1,chimp:0.12)ape:.3,'Mus musculus':.5);
//
// Names may be quoted (a quote within is written twice); underscores are kept in names without
// quotes. Branch lengths are finite numbers ≥ 0, or missing. Comments in brackets are ignored,
// except that [&R] and [&U] before the tree define it as rooted or unrooted. Without them it is
// rooted if the root has at most two children. A byte order mark is skipped.
//
// Support values are dropped, with a remark in Tree.Remarks: one of two numbers after a name (see
// Numbers), and all names of inner nodes that are numbers (98, or 98/100) if one of them occurs
// twice. If all are different, such a number is the name of its node. A name or number that is
// split across two lines is joined without the line end, or with a space if it is quoted. This also
// adds a remark.
//
// The error wraps ErrInvalid and contains the byte of the text, from 1, without a byte order mark
// and with one byte for a line end: an unexpected symbol, a species without a name, a name that
// occurs twice, a negative branch length (see Newick), text after the semicolon, or another format.
// For bytes that are not text the error contains the line.
//
// Time and memory are proportional to the text, for any depth of nesting.
func ParseTree(s string) (*Tree, error) { return Newick{}.Parse(s) }

// Parse is ParseTree with the rules of n.
func (n Newick) Parse(s string) (*Tree, error) {
	p := newick{Newick: n, Cursor: text.CursorOf(s, ""), most: len(s), at: map[string]label{}, open: make([]int, 0, strings.Count(s, "("))}
	err := p.tree(s)
	if err == nil {
		err = p.finish()
	}
	if failed := p.Err(); failed != nil {
		err = failed
	}
	if err != nil {
		return nil, nested.Errorf("phylo: %w: %w", ErrInvalid, err)
	}
	t := &Tree{Nodes: slices.Clip(p.nodes), Remarks: p.remarks}
	t.Rooted = p.rooting == "R" || p.rooting == "" && len(t.Nodes[t.Root()].Children) <= 2
	return t, nil
}

// newick is a parser.
type newick struct {
	Newick
	*text.Cursor
	most     int    // bytes of the text
	rooting  string // "R", "U" or "" if unspecified
	open     []int  // for each open bracket, the number of free nodes when it opened
	free     []int  // nodes without a parent
	nodes    []Node
	at       map[string]label
	children []int // of the current node

	support  bool         // a number is the name of two nodes
	pairs    []numberPair // in the order of nodes
	negative []string     // lengths
	remarks  []string
}

// label is the position of a name.
type label struct {
	pos    int
	number bool // of an inner node, and a number
}

// numberPair contains two numbers after a name; the first is the provisional length of the node.
type numberPair struct {
	node, pos int
	second    float64
}

// pos returns the byte of the next character, from 0.
func (p *newick) pos() int { return p.At().Byte }

// errorf returns an error at a byte, from 0.
func errorf(pos int, format string, args ...any) error {
	return nested.Errorf("byte %d: %w", pos+1, nested.Errorf(format, text.Tokens(args...)...))
}

func isNewickSpace(r rune) bool { return r == ' ' || r == '\t' || r == '\n' }

func isDelimiter(r rune) bool {
	switch r {
	case '(', ')', '[', ']', ':', ';', ',', '\'', ' ', '\t', '\r', '\n':
		return true
	}
	return false
}

// otherFormats are the first bytes of other tree formats.
var otherFormats = []struct{ begin, name string }{
	{"#nexus", "NEXUS, want Newick, as it is behind \"tree … =\" in its block of trees"},
	{"<", "XML, want Newick"},
}

// tree reads all of the text s.
func (p *newick) tree(s string) error {
	begin := strings.TrimLeft(strings.TrimPrefix(s, "\ufeff"), " \t\r\n")
	for _, f := range otherFormats {
		if len(begin) >= len(f.begin) && strings.EqualFold(begin[:len(f.begin)], f.begin) {
			return errorf(0, "the text is %s", f.name)
		}
	}
	for {
		if err := p.space(); err != nil {
			return err
		}
		if p.Accept('(') {
			p.open = append(p.open, len(p.free))
			continue
		}
		if err := p.node(); err != nil {
			return err
		}
		for p.Accept(')') {
			if len(p.open) == 0 {
				return errorf(p.pos()-1, "')' without '('")
			}
			first := p.open[len(p.open)-1]
			p.open = p.open[:len(p.open)-1]
			p.children = slices.Clone(p.free[first:])
			p.free = p.free[:first]
			if err := p.node(); err != nil {
				return err
			}
		}
		switch {
		case len(p.open) > 0 && p.Accept(','):
		case len(p.open) > 0:
			return p.unexpected("',' or ')'")
		case p.Accept(';'):
			if err := p.space(); err != nil {
				return err
			}
			if p.Peek() != text.End {
				return p.unexpected("the end")
			}
			return nil
		default:
			return p.unexpected("';'")
		}
	}
}

// space skips white space and comments.
func (p *newick) space() error {
	for {
		p.Skip(isNewickSpace)
		begin := p.pos()
		if !p.Accept('[') {
			return nil
		}
		comment, ok := p.Quoted(']', p.most, true)
		if !ok {
			return errorf(begin, "a comment that does not end")
		}
		if c := strings.ToUpper(comment); len(p.nodes) == 0 && len(p.open) == 0 && (c == "&R" || c == "&U") {
			p.rooting = c[1:]
		}
	}
}

func (p *newick) unexpected(want string) error {
	r := p.Peek()
	if r == text.End {
		return errorf(p.pos(), "the text ends, want %s", want)
	}
	return errorf(p.pos(), "%q, want %s", r, want)
}

// node reads the name and length of a node whose children have been read, and makes it a child of
// the surrounding node.
func (p *newick) node() error {
	if err := p.space(); err != nil {
		return err
	}
	begin := p.pos()
	name, err := p.name()
	if err != nil {
		return err
	}
	if name == "" && p.children == nil {
		return p.unexpected("a name")
	}
	if err := p.note(name, label{begin, p.children != nil && isSupport(name)}); err != nil {
		return err
	}
	v := len(p.nodes)
	length, err := p.length(v)
	if err != nil {
		return err
	}
	for _, c := range p.children {
		p.nodes[c].Parent = v
	}
	p.nodes = append(p.nodes, Node{Name: name, Parent: -1, Children: p.children, Length: length})
	p.children = nil
	p.free = append(p.free, v)
	return nil
}

// note records the position of a name. It returns an error for a duplicate name, unless it is the
// number of an inner node: such numbers are support values.
func (p *newick) note(name string, l label) error {
	if name == "" {
		return nil
	}
	before, again := p.at[name]
	switch {
	case again && l.number:
		p.support = true
		return nil
	case again && before.number:
		p.support = true
	case again:
		return errorf(l.pos, "the name %q is at byte %d already", name, before.pos+1)
	}
	p.at[name] = l
	return nil
}

// isSupport reports whether a name may be a support value: a number, or several with slashes.
func isSupport(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if x, err := strconv.ParseFloat(part, 64); err != nil || !(x >= 0) {
			return false
		}
	}
	return true
}

// name reads a name, which may be empty.
func (p *newick) name() (string, error) {
	if p.Accept('\'') {
		return p.quoted()
	}
	name := p.Word(p.most, isDelimiter)
	if name == "" || !p.Accept('\n') {
		return name, p.space()
	}
	var b strings.Builder
	b.WriteString(name)
	for more := name; more != ""; p.Accept('\n') {
		more = p.Word(p.most, isDelimiter)
		b.WriteString(more)
	}
	if b.Len() > len(name) {
		p.remark("a name or number over two lines is read as %s", text.Quote(b.String()))
	}
	return b.String(), p.space()
}

// quoted reads the rest of a name in quotes.
func (p *newick) quoted() (string, error) {
	begin := p.pos() - 1
	var b strings.Builder
	for {
		part, ok := p.Quoted('\'', p.most, true)
		if !ok {
			return "", errorf(begin, "a quote that does not end")
		}
		b.WriteString(part)
		if p.Accept('\'') {
			b.WriteByte('\'')
			continue
		}
		name := b.String()
		if strings.Contains(name, "\n") {
			name = strings.ReplaceAll(name, "\n", " ")
			p.remark("a name over two lines is read as %s", text.Quote(name))
		}
		return name, p.space()
	}
}

// mostRemarks bounds the remarks of one text, and with them the memory.
const mostRemarks = 20

func (p *newick) remark(format string, args ...any) {
	if len(p.remarks) < mostRemarks {
		p.remarks = append(p.remarks, fmt.Sprintf(format, args...))
	}
}

// length reads the branch length of node v, NaN if it is missing.
func (p *newick) length(v int) (float64, error) {
	if !p.Accept(':') {
		return math.NaN(), nil
	}
	x, begin, err := p.number()
	if err != nil || !p.Accept(':') {
		if err == nil {
			x, err = p.checked(x, begin)
		}
		return x, err
	}
	second, _, err := p.number()
	p.pairs = append(p.pairs, numberPair{v, begin, second})
	return x, err
}

// number reads a finite number, and returns its position.
func (p *newick) number() (x float64, begin int, err error) {
	if err := p.space(); err != nil {
		return 0, 0, err
	}
	begin = p.pos()
	word, err := p.name()
	if err != nil {
		return 0, begin, err
	}
	x, err = strconv.ParseFloat(word, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, begin, errorf(begin, "branch length %q, want a finite number ≥ 0", word)
	}
	return x, begin, nil
}

// checked returns a branch length, with 0 for a negative one.
func (p *newick) checked(x float64, pos int) (float64, error) {
	if x >= 0 {
		return x, nil
	}
	if !p.NegativeAsZero {
		return 0, errorf(pos, "branch length \"%v\", want a finite number ≥ 0; set Newick.NegativeAsZero to read it as 0, as in trees of neighbour joining", x)
	}
	if len(p.negative) <= mostRemarks {
		p.negative = append(p.negative, fmt.Sprint(x))
	}
	return 0, nil
}

// finish applies the rules that depend on the whole text.
func (p *newick) finish() error {
	if err := p.settle(); err != nil {
		return err
	}
	if n := len(p.negative); n > mostRemarks {
		p.remark("more than %d negative branch lengths are read as 0", mostRemarks)
	} else if n > 0 {
		p.remark("negative branch lengths are read as 0: %s", strings.Join(p.negative, ", "))
	}
	if !p.support {
		return nil
	}
	dropped := 0
	for v := range p.nodes {
		if n := &p.nodes[v]; len(n.Children) > 0 && n.Name != "" && isSupport(n.Name) {
			n.Name = ""
			dropped++
		}
	}
	p.remark("the support values of %d inner nodes are dropped", dropped)
	return nil
}

var errTwoNumbers = errors.New("two numbers after a name, and either may be the branch length: set Newick.Numbers")

// settle decides which of two numbers after a name is the branch length.
func (p *newick) settle() error {
	if len(p.pairs) == 0 {
		return nil
	}
	first, second := 0.0, 0.0 // the greatest
	for _, q := range p.pairs {
		first, second = max(first, p.nodes[q.node].Length), max(second, q.second)
	}
	numbers := p.Numbers
	if numbers == ByValue {
		switch {
		case first > 1 && second <= 1:
			numbers = SupportLength
		case first <= 1 && second > 1:
			numbers = LengthSupport
		default:
			return errorf(p.pairs[0].pos, "%w", errTwoNumbers)
		}
	}
	for _, q := range p.pairs {
		length := &p.nodes[q.node].Length
		if numbers == SupportLength {
			*length = q.second
		}
		var err error
		if *length, err = p.checked(*length, q.pos); err != nil {
			return err
		}
	}
	which := map[Numbers]string{SupportLength: "first", LengthSupport: "second"}[numbers]
	p.remark("the %s of two numbers after the names of %d nodes is dropped as a support value", which, len(p.pairs))
	return nil
}
