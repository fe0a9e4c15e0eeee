package rx_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/internal/golden"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

//go:generate go test . -run ^TestTutorial$ -update

const tutorialSource = "example_tutorial_test.go"

// steps has the grammar of each step, "" if it has none, and the expression of its drawing.
var steps = []struct{ grammar, drawing, caption string }{
	{"digits", `x = 1:"one" | 2:"two" | 6:"six";`, "Three digits: after the first label each path continues alone."},
	{"tens", `x = 2:"twenty" (0:() | ():" " (1:"one" | 2:"two"));`, "20, 21 and 22: ε is nothing, and a:ε reads a and writes nothing."},
	{"hundreds", "", ""},
	{"thousands", `x = ("11":"eleven" | 7:"seven" | "70":"seventy")^min;`, "After ^min, common prefixes share states, and so do common suffixes."},
	{"", `x = (2:"twenty" (0:() | ():" " (1:"one" | 2:"two")))^inv;`, "The machine of step 2, inverted."},
	{"years", "", ""},
	{"sentences", `x = ("ox":"oxen" || .* ():s); a = [ox];`, "An exception for ox, and a rule for all other words of these letters."},
	{"", `x = 1:2 / 1 __; a = [12];`, "1 becomes 2 after a 1 that was copied: in state 1 the last output is such a 1."},
	{"tokens", `x = {* [12]: [12]{2} | [ab]};`, "Two digits are a token, and so is a letter. After two digits, in state 2, no digit follows."},
	{"", "", ""},
	{"", "", ""},
}

// The page is made from the examples: the comment of each, its grammar, a drawing, its program and
// its output.
func TestTutorial(t *testing.T) {
	source := must(os.ReadFile(tutorialSource))(t)
	set := token.NewFileSet()
	file := must(parser.ParseFile(set, tutorialSource, source, parser.ParseComments))(t)
	at := func(p token.Pos) int { return set.Position(p).Offset }
	var page bytes.Buffer
	fmt.Fprint(&page, `# Your first grammar

Eleven steps from a digit to a trained grammar of numbers in sentences. The page is generated from
`+tutorialSource+`, whose Examples are run as tests, so each output is real. In
drawings, an initial state has a thick line, a final state has a double line, and ␣ is a blank. The
functions compile and apply, which all steps use, are at the end.
`)
	grammars, pictures := map[string]string{}, map[string]string{}
	shared := map[string]string{}
	var examples []*ast.FuncDecl
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if s, ok := s.(*ast.ValueSpec); ok {
					grammars[s.Names[0].Name] = strings.TrimSpace(newText(t, s.Values[0]))
				}
			}
		case *ast.FuncDecl:
			if strings.HasPrefix(d.Name.Name, "Example_tutorial") {
				examples = append(examples, d)
			} else {
				shared[d.Name.Name] = d.Doc.Text() + "\n```go\n" + string(source[at(d.Pos()):at(d.End())]) + "\n```\n"
			}
		}
	}
	if len(examples) != len(steps) {
		t.Fatalf("%d examples, want %d", len(examples), len(steps))
	}
	for i, d := range examples {
		step := steps[i]
		title, text, _ := strings.Cut(d.Doc.Text(), ".")
		fmt.Fprintf(&page, "\n## %d. %s\n\n%s", i+1, title, strings.TrimSpace(text)+"\n")
		if step.grammar != "" {
			fmt.Fprintf(&page, "\n```\n%s\n```\n", grammars[step.grammar])
		}
		if step.drawing != "" {
			name := fmt.Sprintf("step%02d", i+1)
			pictures[name] = drawing(t, step.drawing)
			fmt.Fprintf(&page, "\n%s\n\n![The machine of %s](tutorial/%s.svg)\n", step.caption, strings.ReplaceAll(step.drawing, "|", `\|`), name)
		}
		body, output, _ := strings.Cut(string(source[at(d.Body.Lbrace)+1:at(d.Body.Rbrace)]), "\t// Output:\n")
		fmt.Fprintf(&page, "\n```go%s```\n\n```\n%s```\n", strings.ReplaceAll(body, "\n\t", "\n"), strings.ReplaceAll(output, "\t// ", ""))
		if i == 9 {
			fmt.Fprintf(&page, "\n%s", shared["train"])
		}
	}
	fmt.Fprintf(&page, "\n## What all steps share\n\n%s\n%s", shared["compile"], shared["apply"])
	golden.File(t, "TUTORIAL.md", page.String())
	golden.Folder(t, "tutorial", ".dot", pictures)
}

// newText returns the text literal at the end of an expression.
func newText(t *testing.T, e ast.Expr) string {
	t.Helper()
	if sum, ok := e.(*ast.BinaryExpr); ok {
		e = sum.Y
	}
	return must(strconv.Unquote(e.(*ast.BasicLit).Value))(t)
}

// drawing returns the source of a picture of the machine of x in a text of definitions.
func drawing(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	if err := fstio.WriteDOT(&b, compile(text, "x"), nil); err != nil {
		t.Fatal(err)
	}
	// A blank by itself would not show.
	return dotLabel.ReplaceAllStringFunc(b.String(), func(label string) string {
		return `label="` + strings.ReplaceAll(label[len(`label="`):], " ", "␣")
	})
}

// dotLabel is the label of a state or an arc.
var dotLabel = regexp.MustCompile(`label="(?:[^"\\]|\\.)*"`)

// named returns the output of the grammar of the tutorial for n, computed in another way.
func named(n int) string {
	below20 := strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
	tens := strings.Fields("- - twenty thirty forty fifty sixty seventy eighty ninety")
	for _, unit := range []struct {
		of   int
		name string
	}{{1000, " thousand"}, {100, " hundred"}} {
		if n >= unit.of {
			name := named(n/unit.of) + unit.name
			if n%unit.of > 0 {
				name += " " + named(n%unit.of)
			}
			return name
		}
	}
	switch {
	case n < 20:
		return below20[n]
	case n%10 == 0:
		return tens[n/10]
	}
	return tens[n/10] + " " + below20[n%10]
}

func TestTutorialNumbers(t *testing.T) {
	number := compile(thousands, "number")
	inverse := fst.Invert(number)
	check := func(f fst.Machine[semiring.Cost], in, want string) {
		t.Helper()
		var got []string
		for out, err := range fst.ApplyText(f, in, nil) {
			got = append(got, must(out.Text, err)(t))
		}
		if len(got) != 1 || got[0] != want {
			t.Errorf("%s became %q, want %q", in, got, want)
		}
	}
	for n := range 1000 {
		check(number, strconv.Itoa(n), named(n))
	}
	for seed := range trials.Seeds(300) {
		n := rand.New(rand.NewPCG(seed, 51)).IntN(1_000_000)
		check(number, strconv.Itoa(n), named(n))
		check(inverse, named(n), strconv.Itoa(n))
	}
}
