package synchronous

import (
	"fmt"
	"strings"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/models/grammar/treebank"
)

// The words of a tree are its brackets and words, in the format of treebank.Tree.String: an opening
// bracket with its label, a word, a closing bracket.
const (
	opening = "("
	closing = ")"
)

// class returns 1 for an opening bracket, 2 for a closing one, and 0 for other words. Words of
// different classes are never linked.
func class(word string) int {
	switch {
	case word == closing:
		return 2
	case strings.HasPrefix(word, opening):
		return 1
	}
	return 0
}

// Pattern returns a side of a Rule over trees, from its text: "(VP V (NP the N))" is a node VP
// above V and a node NP with the word the and N. Brackets need no spaces around them. A text
// without brackets, such as "V NP", is a sequence of subtrees or words.
//
// A rule whose source is a pattern is a rule of a tree transducer, and symbols are its states. In
// the state Left it reads the nodes of the pattern, and processes one subtree in the state of each
// symbol. If its target is also a pattern, it writes trees, otherwise strings. Each symbol occurs
// once on either side, so that no subtree is copied. A state whose rules have empty targets deletes
// its subtree. If two subtrees have the same state, Order distinguishes them.
//
// The error wraps ErrInvalid for unbalanced brackets, or a closing bracket with a label.
func Pattern(text string) ([]string, error) {
	words := strings.Fields(strings.NewReplacer(opening, " "+opening, closing, " "+closing+" ").Replace(text))
	if err := balanced(words); err != nil {
		return nil, nested.Errorf("synchronous: %w: pattern %q: %w", ErrInvalid, text, err)
	}
	return words, nil
}

// balanced returns an error for unbalanced brackets.
func balanced(words []string) error {
	depth := 0
	for i, w := range words {
		switch class(w) {
		case 1:
			depth++
		case 2:
			depth--
		}
		if depth < 0 {
			return fmt.Errorf("the closing bracket at symbol %d has no opening one", i+1)
		}
	}
	if depth > 0 {
		return fmt.Errorf("%d brackets are not closed", depth)
	}
	return nil
}

// Tree returns the side that is a tree. Labels may be empty, words must not; neither may contain a
// space or bracket. Otherwise functions that use the side return an error that wraps ErrInvalid.
//
// If all rules have balanced brackets, as rules by Pattern do, symbols derive subtrees only. The
// time and memory of an example are then proportional to the nodes of the tree.
func Tree(t *treebank.Tree) Side {
	nonnil.Check("synchronous: Tree", "tree", t)
	s := Side{known: true, tree: true}
	s.words, s.err = appendTree(nil, t)
	return s
}

// appendTree appends the words of t.
func appendTree(words []string, t *treebank.Tree) ([]string, error) {
	if strings.ContainsAny(t.Label+t.Word, "() \t\r\n") {
		return nil, fmt.Errorf("%w: the node %q with the word %q has a space or a bracket in it", ErrInvalid, t.Label, t.Word)
	}
	if (t.Word == "") == (len(t.Children) == 0) {
		return nil, fmt.Errorf("%w: the node %q has the word %q and %d nodes below it, want a word or nodes", ErrInvalid, t.Label, t.Word, len(t.Children))
	}
	words = append(words, opening+t.Label)
	if t.Word != "" {
		words = append(words, t.Word)
	}
	for _, c := range t.Children {
		var err error
		if words, err = appendTree(words, c); err != nil {
			return nil, err
		}
	}
	return append(words, closing), nil
}

// ParseTree returns the tree of a side of a Derivation, given its brackets and words. The error
// wraps ErrInvalid if they are not a tree, or if a node has neither a single word nor child nodes.
func ParseTree(words []string) (*treebank.Tree, error) {
	bad := func(format string, args ...any) (*treebank.Tree, error) {
		return nil, nested.Errorf("synchronous: %w: %s: "+format, append([]any{ErrInvalid, strings.Join(words, " ")}, args...)...)
	}
	if err := balanced(words); err != nil {
		return bad("%w", err)
	}
	top := new(treebank.Tree)
	open := []*treebank.Tree{top}
	for i, w := range words {
		t := open[len(open)-1]
		switch class(w) {
		case 1:
			c := &treebank.Tree{Label: strings.TrimPrefix(w, opening)}
			t.Children, open = append(t.Children, c), append(open, c)
			if t.Word != "" {
				return bad("a node after the word %q", t.Word)
			}
		case 2:
			if t.Word == "" && len(t.Children) == 0 {
				return bad("symbol %d closes an empty node", i+1)
			}
			open = open[:len(open)-1]
		default:
			if t == top || t.Word != "" || len(t.Children) > 0 {
				return bad("the word %q is not alone below a node", w)
			}
			t.Word = w
		}
	}
	if len(top.Children) != 1 {
		return bad("%d trees, want one", len(top.Children))
	}
	return top.Children[0], nil
}
