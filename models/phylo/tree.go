package phylo

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"example.org/pathsum/internal/nested"
)

// Node is a node of a Tree: a species if it has no children.
type Node struct {
	// Name is not empty for a species.
	Name string
	// Parent is the index of the parent, −1 for the root.
	Parent int
	// Children are the indices of the children, in order.
	Children []int
	// Length is the length of the branch from the parent, in expected substitutions per site; NaN
	// if it is missing, as for most roots.
	Length float64
}

// Tree is a phylogenetic tree. It is immutable.
type Tree struct {
	// Nodes has every child before its parent; the root is last.
	Nodes []Node
	// Rooted is false if the root is not an ancestor: it has more than two children, or the text
	// contains [&U]. Reversible models ignore Rooted.
	Rooted bool
	// Remarks list content that was dropped or changed when the tree was read.
	Remarks []string
}

// ErrInvalid is wrapped by the error for a text that is not a tree, or a tree that a model cannot
// use.
var ErrInvalid = nested.ErrInvalid

// Root returns the index of the root.
func (t *Tree) Root() int { return len(t.Nodes) - 1 }

// Species returns the indices of the nodes without children, in order.
func (t *Tree) Species() []int {
	var s []int
	for v, n := range t.Nodes {
		if len(n.Children) == 0 {
			s = append(s, v)
		}
	}
	return s
}

// Node returns the index of the node with a name, −1 if there is no such node.
func (t *Tree) Node(name string) int {
	for v, n := range t.Nodes {
		if n.Name == name {
			return v
		}
	}
	return -1
}

// Distance returns the length of the path between two nodes, or NaN if the length of a branch is
// missing.
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

// WithLengths returns the tree with other branch lengths, one per node; the length of the root is
// ignored. It panics if len(length) is not the number of nodes.
func (t *Tree) WithLengths(length []float64) *Tree {
	if len(length) != len(t.Nodes) {
		panic(fmt.Sprintf("phylo: %d lengths for %d nodes", len(length), len(t.Nodes)))
	}
	c := &Tree{Nodes: append([]Node(nil), t.Nodes...), Rooted: t.Rooted, Remarks: t.Remarks}
	for v := range c.Root() {
		c.Nodes[v].Length = length[v]
	}
	return c
}

// String returns the tree in Newick format; ParseTree reads it back.
func (t *Tree) String() string { return t.newick(true) }

// newick returns the tree in Newick format, with or without comments and quotes, which PHAST does
// not support.
func (t *Tree) newick(full bool) string {
	var b strings.Builder
	if full && t.Rooted != (len(t.Nodes[t.Root()].Children) <= 2) {
		b.WriteString(map[bool]string{true: "[&R]", false: "[&U]"}[t.Rooted])
	}
	// The top of the stack is written next: a node, or text.
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
		stack = append(stack, item{n.text(full), -1})
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

// text returns the name and the length of a node in Newick format.
func (n *Node) text(quotes bool) string {
	s := n.Name
	if quotes && strings.ContainsFunc(s, func(r rune) bool { return isDelimiter(r) || r == '_' }) {
		s = "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	if !math.IsNaN(n.Length) {
		s += ":" + strconv.FormatFloat(n.Length, 'g', -1, 64)
	}
	return s
}
