package phylo

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.org/pathsum/internal/nested"
)

// Node is a node of a Tree: a species if it has no children.
type Node struct {
	// Name may be empty, but for a species.
	Name string
	// Parent is the number of the parent, −1 for the root.
	Parent int
	// Children are the numbers of the children, in their order.
	Children []int
	// Length is the length of the branch from the parent, in expected substitutions per
	// site; NaN where none was given, as for most roots.
	Length float64
}

// Tree is a phylogenetic tree. It is not modified once it is made.
type Tree struct {
	// Nodes has every child before its parent; the root is last.
	Nodes []Node
	// Rooted is false where the root stands for no ancestor in particular: it has
	// more than two children, or the text said so ([&U]). Models whose substitutions
	// are reversible do not care.
	Rooted bool
}

// ErrInvalid is wrapped by the error for a text that is no tree, or a tree that a model
// cannot use.
var ErrInvalid = errors.New("invalid tree")

// Root returns the number of the root.
func (t *Tree) Root() int { return len(t.Nodes) - 1 }

// Species returns the numbers of the nodes without children, in their order.
func (t *Tree) Species() []int {
	var s []int
	for v, n := range t.Nodes {
		if len(n.Children) == 0 {
			s = append(s, v)
		}
	}
	return s
}

// Node returns the number of the node with a name, −1 if there is none.
func (t *Tree) Node(name string) int {
	for v, n := range t.Nodes {
		if n.Name == name {
			return v
		}
	}
	return -1
}

// Distance returns the length of the path between two nodes: NaN if a branch of it has
// no length.
func (t *Tree) Distance(u, v int) float64 {
	sum := 0.0
	for u != v { // parents have greater numbers
		lower := &u
		if v < u {
			lower = &v
		}
		sum += t.Nodes[*lower].Length
		*lower = t.Nodes[*lower].Parent
	}
	return sum
}

// WithLengths returns the tree with other branch lengths, one per node; the root's does not
// matter. It panics if there are not as many as nodes.
func (t *Tree) WithLengths(length []float64) *Tree {
	if len(length) != len(t.Nodes) {
		panic(fmt.Sprintf("phylo: %d lengths for %d nodes", len(length), len(t.Nodes)))
	}
	c := &Tree{Nodes: append([]Node(nil), t.Nodes...), Rooted: t.Rooted}
	for v := range c.Root() {
		c.Nodes[v].Length = length[v]
	}
	return c
}

// String returns the tree in Newick format; ParseTree reads it back.
func (t *Tree) String() string { return t.newick(true) }

// newick returns the tree in Newick format: with comments and quotes that PHAST does not know, or
// without any.
func (t *Tree) newick(full bool) string {
	var b strings.Builder
	if full && t.Rooted != (len(t.Nodes[t.Root()].Children) <= 2) {
		b.WriteString(map[bool]string{true: "[&R]", false: "[&U]"}[t.Rooted])
	}
	// What is to be written next is on top of the stack: a node, or text.
	type item struct {
		text string
		node int
	}
	for stack := []item{{";", -1}, {"", t.Root()}}; len(stack) > 0; {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if x.node < 0 {
			b.WriteString(x.text)
			continue
		}
		n := &t.Nodes[x.node]
		stack = append(stack, item{label(n, full), -1})
		for i := len(n.Children) - 1; i >= 0; i-- {
			open := ","
			if i == 0 {
				open = "("
			}
			if i == len(n.Children)-1 {
				stack = append(stack, item{")", -1})
			}
			stack = append(stack, item{"", n.Children[i]}, item{open, -1})
		}
	}
	return b.String()
}

// label returns the name and the length of a node as Newick has them.
func label(n *Node, quotes bool) string {
	s := n.Name
	if quotes && strings.ContainsFunc(s, func(r rune) bool { return isDelimiter(r) || r == '_' }) {
		s = "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	if !math.IsNaN(n.Length) {
		s += ":" + strconv.FormatFloat(n.Length, 'g', -1, 64)
	}
	return s
}

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
		return nil, nested.Errorf("phylo: %w: byte %d: %w", ErrInvalid, p.pos+1, err)
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

// node reads name and length of a node with the children read before, and makes it a child
// of the node around it.
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
