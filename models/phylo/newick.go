package phylo

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ParseTree reads a tree in Newick format, such as
//
//	((human:0.1,chimp:0.12)ape:.3,'Mus musculus':.5);
//
// Names may be quoted (a quote within is written twice); elsewhere an underscore stays
// one. Branch lengths are finite numbers ≥ 0, or missing. Comments in brackets are passed
// over, but [&R] and [&U] before the tree say whether it is rooted; without them it is if
// the root has at most two children. The error wraps ErrInvalid and says at which byte of
// the text, from 1, something is wrong: a symbol that does not fit, a species without a
// name, a name that is there twice, text behind the semicolon.
//
// Time and memory are in proportion to the text, which may nest as deep as it likes.
func ParseTree(text string) (*Tree, error) {
	p := newick{text: text, at: map[string]int{}, open: make([]int, 0, strings.Count(text, "("))}
	if err := p.tree(); err != nil {
		return nil, fmt.Errorf("phylo: %w: byte %d: %w", ErrInvalid, p.pos+1, err)
	}
	return p.finish(), nil
}

// newick is a parser at work.
type newick struct {
	text     string
	pos      int    // of the next byte
	rooting  string // "R", "U" or not said
	open     []int  // for each bracket, how many nodes were free when it opened
	free     []int  // nodes without a parent
	nodes    []Node
	at       map[string]int // position of each name
	children []int          // of the node that ends now
}

func isDelimiter(r rune) bool {
	return strings.ContainsRune("()[]:;,' \t\r\n", r)
}

// tree reads all of the text.
func (p *newick) tree() error {
	for {
		if err := p.space(); err != nil {
			return err
		}
		if p.next('(') {
			p.open = append(p.open, len(p.free))
			continue
		}
		if err := p.node(); err != nil {
			return err
		}
		for p.next(')') {
			if len(p.open) == 0 {
				p.pos--
				return fmt.Errorf("')' without '('")
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
		case len(p.open) > 0 && p.next(','):
		case len(p.open) > 0:
			return p.unexpected("',' or ')'")
		case p.next(';'):
			if err := p.space(); err != nil {
				return err
			}
			if p.pos < len(p.text) {
				return p.unexpected("the end")
			}
			return nil
		default:
			return p.unexpected("';'")
		}
	}
}

// space passes over white space and comments.
func (p *newick) space() error {
	for p.pos < len(p.text) {
		switch p.text[p.pos] {
		case ' ', '\t', '\r', '\n':
			p.pos++
		case '[':
			comment, _, ok := strings.Cut(p.text[p.pos+1:], "]")
			if !ok {
				return fmt.Errorf("a comment that does not end")
			}
			if c := strings.ToUpper(comment); len(p.nodes) == 0 && len(p.open) == 0 && (c == "&R" || c == "&U") {
				p.rooting = c[1:]
			}
			p.pos += len(comment) + 2
		default:
			return nil
		}
	}
	return nil
}

// next passes over a byte if it is the next one.
func (p *newick) next(b byte) bool {
	if p.pos < len(p.text) && p.text[p.pos] == b {
		p.pos++
		return true
	}
	return false
}

func (p *newick) unexpected(want string) error {
	if p.pos == len(p.text) {
		return fmt.Errorf("the text ends, want %s", want)
	}
	r, _ := utf8.DecodeRuneInString(p.text[p.pos:])
	return fmt.Errorf("%q, want %s", r, want)
}

// node reads name and length of a node with the children read before, and makes it one
// of those of the node around it.
func (p *newick) node() error {
	if err := p.space(); err != nil {
		return err
	}
	begin := p.pos
	name, err := p.name()
	if err != nil {
		return err
	}
	if name == "" && p.children == nil {
		return p.unexpected("a name")
	}
	if at, ok := p.at[name]; ok && name != "" {
		p.pos = begin
		return fmt.Errorf("the name %q is at byte %d already", name, at+1)
	}
	if name != "" {
		p.at[name] = begin
	}
	length, err := p.length()
	if err != nil {
		return err
	}
	v := len(p.nodes)
	for _, c := range p.children {
		p.nodes[c].Parent = v
	}
	p.nodes = append(p.nodes, Node{Name: name, Parent: -1, Children: p.children, Length: length})
	p.children = nil
	p.free = append(p.free, v)
	return nil
}

// name reads a name, which may be empty.
func (p *newick) name() (string, error) {
	if p.next('\'') {
		return p.quoted()
	}
	rest := p.text[p.pos:]
	n := strings.IndexFunc(rest, isDelimiter)
	if n < 0 {
		n = len(rest)
	}
	p.pos += n
	return rest[:n], p.space()
}

// quoted reads the rest of a name in quotes.
func (p *newick) quoted() (string, error) {
	begin := p.pos - 1
	var b strings.Builder
	for {
		part, _, ok := strings.Cut(p.text[p.pos:], "'")
		if !ok {
			p.pos = begin
			return "", fmt.Errorf("a quote that does not end")
		}
		b.WriteString(part)
		p.pos += len(part) + 1
		if !p.next('\'') {
			return b.String(), p.space()
		}
		b.WriteByte('\'')
	}
}

// length reads a branch length, NaN if there is none.
func (p *newick) length() (float64, error) {
	if !p.next(':') {
		return math.NaN(), nil
	}
	if err := p.space(); err != nil {
		return 0, err
	}
	begin := p.pos
	text, err := p.name()
	if err != nil {
		return 0, err
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0) || math.IsInf(x, 1) {
		p.pos = begin
		return 0, fmt.Errorf("branch length %q, want a finite number ≥ 0", text)
	}
	return x, nil
}

// finish returns the tree.
func (p *newick) finish() *Tree {
	t := &Tree{Nodes: slices.Clip(p.nodes)}
	t.Rooted = p.rooting == "R" || p.rooting == "" && len(t.Nodes[t.Root()].Children) <= 2
	return t
}
