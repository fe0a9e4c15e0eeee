package phylo

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

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

// Trees as other programs write them, and what is remarked.
func TestNewickOfOthers(t *testing.T) {
	zero := Newick{NegativeAsZero: true}
	for _, c := range []struct {
		rules        Newick
		text, want   string
		remark       string
		support, len int
	}{
		{text: "((A,B)100,(C,D)100);", want: "((A,B),(C,D));", remark: "support values of 2"},
		{text: "((A:1,B:2)100:.5,(C,D)98,(E,F)100);", want: "((A:1,B:2):0.5,(C,D),(E,F));", remark: "support values of 3"},
		{text: "((A,B)0.9,(C,D)1.0,(E,(F,G)1.0)x);", want: "((A,B),(C,D),(E,(F,G))x);", remark: "support values of 3"},
		{text: "((A,B)95/100,(C,D)95/100);", want: "((A,B),(C,D));", remark: "support values of 2"},
		{text: "((1,2)1,(3,4)7);", want: "((1,2),(3,4));", remark: "support values of 2"},
		{text: "(((a,b)1,c)2,1);", want: "(((a,b),c),1);", remark: "support values of 2"},
		{text: "((A,B)100,(C,D)98)r;", want: "((A,B)100,(C,D)98)r;"},
		{text: "(A:0.11,(B:0.23,(C:0.16,D:0.14)E:98:0.46)F:99:0.38);", want: "(A:0.11,(B:0.23,(C:0.16,D:0.14)E:0.46)F:0.38);", remark: "first of two numbers"},
		{text: "((A:.1,B:.2):1.00:0.00042,(C,D):2:.3);", want: "((A:0.1,B:0.2):0.00042,(C,D):0.3);", remark: "first of two numbers after the names of 2"},
		{text: "((A:.1,B:.2):.3:98,C);", want: "((A:0.1,B:0.2):0.3,C);", remark: "second of two numbers"},
		{rules: Newick{Numbers: SupportLength}, text: "((A,B):.3:.4,C);", want: "((A,B):0.4,C);", remark: "first of two numbers"},
		{rules: Newick{Numbers: LengthSupport}, text: "((A,B):70:80,C);", want: "((A,B):70,C);", remark: "second of two numbers"},
		{rules: zero, text: "((A:0.1,B:0.2):-0.00042,C:1,D:2);", want: "((A:0.1,B:0.2):0,C:1,D:2);", remark: "as 0: -0.00042"},
		{rules: zero, text: "((A,B):98:-1e-3,C:-2);", want: "((A,B):0,C:0);", remark: "as 0: -2, -0.001"},
		{rules: zero, text: "(a:1,b:2);", want: "(a:1,b:2);"},
		{text: "((Homo_sap\niens:0.1,B:.\r\n2),C);", want: "(('Homo_sapiens':0.1,B:0.2),C);", remark: `"Homo_sapiens"`},
		{text: "(Homo_sap\riens,B);", want: "('Homo_sapiens',B);", remark: `"Homo_sapiens"`},
		{text: "('Mus\r\nmusculus',B);", want: "('Mus musculus',B);", remark: `"Mus musculus"`},
		{text: "(\nA\n,\r\nB\r:\n.5\n)\n;\n", want: "(A,B:0.5);"},
		{text: "\ufeff(A,B);\r", want: "(A,B);"},
		{text: "\ufeff[&U](A,B);", want: "[&U](A,B);"},
	} {
		tree, err := c.rules.Parse(c.text)
		if err != nil || tree.String() != c.want {
			t.Errorf("%q: %v, %v, want %s", c.text, tree, err, c.want)
			continue
		}
		found := slices.ContainsFunc(tree.Remarks, func(s string) bool { return strings.Contains(s, c.remark) })
		if c.remark == "" && tree.Remarks != nil || c.remark != "" && !found {
			t.Errorf("%q: remarks %q, want %s", c.text, tree.Remarks, c.remark)
		}
		if got := tree.WithLengths(make([]float64, len(tree.Nodes))).Remarks; !slices.Equal(got, tree.Remarks) {
			t.Errorf("%q: remarks %q with other lengths", c.text, got)
		}
	}
}

func TestNewickOfOthersErrors(t *testing.T) {
	for in, want := range map[string]string{
		"#NEXUS\nbegin trees;\n tree T = (A,B);\nend;\n": "byte 1: the text is NEXUS, want Newick",
		"\ufeff\r\n#nexus\r":                             "the text is NEXUS",
		"<?xml version=\"1.0\"?>":                        "the text is XML",
		"\xff\xfe(\x00":                                  plain.ErrUTF16.Error(),
		"((A:0.1,B:0.2):-0.00042,C:1,D:2);":              `byte 16: branch length "-0.00042", want a finite number ≥ 0; set Newick.NegativeAsZero`,
		"((A,B):98:-1,C);":                               `byte 8: branch length "-1"`,
		"((A,B):.3:.4,C);":                               "byte 8: two numbers after a name",
		"((A,B):98:99,C);":                               "Newick.Numbers",
		"((A,B):98:0.1:2,C);":                            "byte 14: ':', want",
		"((A,B):98:x,C);":                                `byte 11: branch length "x"`,
		"((A,B)x,(C,D)x);":                               `byte 14: the name "x" is at byte 7 already`,
		"(100,100);":                                     `byte 6: the name "100" is at byte 2 already`,
		"(A\n B,C);":                                     "byte 5: 'B', want",
		"(A B,C);":                                       "'B', want",
		"(" + strings.Repeat("x", 100) + ":y" + "):1e999;":                     `branch length "y"`,
		"(a," + strings.Repeat("x", 99) + "," + strings.Repeat("x", 99) + ");": `the name "` + strings.Repeat("x", 40) + `"…`,
	} {
		_, err := ParseTree(in)
		if !errors.Is(err, ErrInvalid) || !contains(err, want) {
			t.Errorf("%q: error %v, want %s", in, err, want)
		}
	}
	for _, n := range []string{"-Inf", "Inf", "NaN"} {
		if tree, err := (Newick{NegativeAsZero: true}).Parse("(a:" + n + ",b);"); err == nil {
			t.Errorf("length %s is read as %v", n, tree)
		}
	}
}

// A name over many lines takes time in proportion to its length.
func TestLongName(t *testing.T) {
	began := time.Now()
	tree, err := ParseTree("(" + strings.Repeat("a\n", 1<<20) + ",b);")
	if err != nil || len(tree.Nodes[0].Name) != 1<<20 || len(fmt.Sprint(tree.Remarks)) > 300 {
		t.Errorf("%v", err)
	}
	if d := time.Since(began); d > 20*time.Second {
		t.Errorf("%v", d)
	}
	if math.IsNaN(tree.Distance(0, 0)) {
		t.Error("no distance")
	}
}
