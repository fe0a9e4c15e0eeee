package phylo

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/internal/memtest"
	plain "example.org/pathsum/internal/text"
)

func ExampleParseTree() {
	t, err := ParseTree("((human:0.1,chimp:0.12)ape:.3,'Mus musculus':.5);")
	if err != nil {
		fmt.Println(err)
		return
	}
	for v, n := range t.Nodes {
		fmt.Println(v, n.Name, n.Parent, n.Children, n.Length)
	}
	fmt.Printf("%.2f %v\n", t.Distance(t.Node("human"), t.Node("Mus musculus")), t)
	_, err = ParseTree("(human,(chimp,human));")
	fmt.Println(err)
	// Output:
	// 0 human 2 [] 0.1
	// 1 chimp 2 [] 0.12
	// 2 ape 4 [0 1] 0.3
	// 3 Mus musculus 4 [] 0.5
	// 4  -1 [2 3] NaN
	// 0.90 ((human:0.1,chimp:0.12)ape:0.3,'Mus musculus':0.5);
	// phylo: invalid input: byte 15: the name "human" is at byte 2 already
}

func TestParseTree(t *testing.T) {
	for text, want := range map[string]string{
		" ( a , 'b c' : 1e-2 [no comment] ) [x] root : 0 ; \n": "(a,'b c':0.01)root:0;",
		"(a,b,c)":        "",
		"(a,b,c);":       "(a,b,c);",
		"[&U](a,b);":     "[&U](a,b);",
		"[&r](a,b,c);":   "[&R](a,b,c);",
		"[&R](a,b);":     "(a,b);",
		"(a[&U],b);":     "(a,b);",
		"a;":             "a;",
		"((a));":         "((a));",
		"('it''s',b_c);": "('it''s','b_c');",
		"(('',a),b);":    "",
	} {
		tree, err := ParseTree(text)
		if want == "" {
			if !errors.Is(err, ErrInvalid) {
				t.Errorf("%q: error %v", text, err)
			}
			continue
		}
		if err != nil || tree.String() != want {
			t.Errorf("%q: %v, error %v, want %s", text, tree, err, want)
		}
	}
	deep := strings.Repeat("(", 1e5) + "a" + strings.Repeat(")", 1e5) + ";"
	if tree, err := ParseTree(deep); err != nil || tree.String() != deep {
		t.Errorf("a deep tree: %v", err)
	}
}

func TestWithLengths(t *testing.T) {
	tree := must(ParseTree("(a:1,b)r;"))
	if got := tree.WithLengths([]float64{3, 4, 5}).String(); got != "(a:3,b:4)r;" || tree.String() != "(a:1,b)r;" {
		t.Errorf("%s from %s", got, tree)
	}
	if d := tree.Distance(0, 1); !math.IsNaN(d) {
		t.Errorf("distance %v by a branch without length", d)
	}
	defer func() {
		if recover() == nil {
			t.Error("two lengths for three nodes do not panic")
		}
	}()
	tree.WithLengths([]float64{1, 2})
}

// perByte bounds what ParseTree allocates for a byte of text: nodes of 56 bytes, in a slice
// that grows, their names in a map and their children.
const perByte = 300

func TestParseTreeMemory(t *testing.T) {
	const n = 1 << 18
	distinct := strings.Builder{}
	for i := range n {
		fmt.Fprintf(&distinct, "(%x,", i)
	}
	for name, text := range map[string]string{
		"open brackets":  strings.Repeat("(", 4*n),
		"deep":           strings.Repeat("(", n) + "a" + strings.Repeat(")", n) + ";",
		"never closed":   distinct.String(),
		"a comb":         distinct.String() + "x" + strings.Repeat(")", n) + ";",
		"wide":           "(" + strings.ReplaceAll(distinct.String(), "(", "") + "x);",
		"comments":       strings.Repeat("[]", n),
		"a long comment": "[" + strings.Repeat("x", n),
		"quotes":         "'" + strings.Repeat("''", n) + "';",
	} {
		t.Run(name, func(t *testing.T) {
			memtest.Bound(t, len(text), perByte, func() { ParseTree(text) })
		})
	}
	// What is open takes no more than its place.
	text := strings.Repeat("(", 4*n)
	memtest.Bound(t, len(text), 9, func() { ParseTree(text) })
}

// FuzzParseTree: what is read is written and read again alike; errors are within the text.
func FuzzParseTree(f *testing.F) {
	for _, s := range []string{"((human:0.1,chimp:0.12)ape:.3,'Mus musculus':.5);", "[&U](a,b,c);", "(a[x],'it''s':1e-3);", "((a)b)c;", "(a,(b", "'", "[", ";", "(,)", "a:1;", "é;", "\x82"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var tree *Tree
		var err error
		memtest.Bound(t, len(text), perByte, func() { tree, err = ParseTree(text) })
		var bad *plain.Error // for bytes that are no text
		if errors.As(err, &bad) {
			if !errors.Is(err, ErrInvalid) || bad.Line < 1 || bad.Line > 1+strings.Count(text, "\n")+strings.Count(text, "\r") {
				t.Fatalf("%q: error %v", text, err)
			}
			return
		}
		if err != nil {
			var at int
			if _, scan := fmt.Sscanf(err.Error(), "phylo: invalid input: byte %d:", &at); scan != nil || at < 1 || at > len(text)+1 {
				t.Fatalf("%q: error %v", text, err)
			}
			return
		}
		again, err := ParseTree(tree.String())
		if err != nil {
			t.Fatalf("%q, written as %q: %v", text, tree, err)
		}
		same := cmp.Comparer(func(a, b float64) bool { return a == b || a != a && b != b })
		tree.Remarks = nil
		if d := cmp.Diff(tree, again, same); d != "" {
			t.Fatalf("%q, written as %q: %s", text, tree, d)
		}
		for v, n := range tree.Nodes {
			if (n.Parent < 0) != (v == tree.Root()) || n.Parent >= 0 && n.Parent <= v || len(n.Children) == 0 && n.Name == "" {
				t.Fatalf("%q: node %d is %+v", text, v, n)
			}
		}
	})
}
