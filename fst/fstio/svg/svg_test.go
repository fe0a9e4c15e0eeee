package svg

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/goccy/go-graphviz"
)

const machine = `digraph {
	graph [
		rankdir=LR
	];

	// Node definitions, with a brace: {
	0 [label="0" shape=circle style=bold];
	1 [label="1/½ \"{" shape=doublecircle];
	0 -> 1 [label="a:ト"];
	0 -> 1 [label="<&>" color="0 0 0.3" penwidth=2.5];
}
`

// drawn returns the picture of a source.
func drawn(t *testing.T, source string) string {
	t.Helper()
	var b strings.Builder
	if err := Draw(t.Context(), &b, []byte(source)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// visible lists the shapes of a picture and its texts, in order.
func visible(t *testing.T, picture string) (list []string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(picture))
	text := false
	for {
		token, err := d.Token()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, picture)
		}
		switch x := token.(type) {
		case xml.StartElement:
			text = x.Name.Local == "text"
			if slices.Contains(shapes, x.Name.Local) {
				list = append(list, x.Name.Local+attribute(x, "d")+attribute(x, "points")+attribute(x, "stroke-width"))
			}
		case xml.CharData:
			if text {
				list = append(list, string(x))
			}
		case xml.EndElement:
			text = false
		}
	}
}

// A picture has the same elements as Graphviz's own, in the same positions.
func TestDrawAgainstGraphviz(t *testing.T) {
	for _, source := range []string{
		machine,
		`graph { a -- b -- c; a [shape=box label=<<b>bold</b> <i>and</i> θ<sub>1</sub>>]; subgraph cluster_x { label="x"; c; d } }`,
		`digraph { node [fontname="Courier" fontsize=9]; a -> b -> a; b [URL="https://example.org" label="a link"] }`,
	} {
		graphs, err := split([]byte(source))
		if err != nil || len(graphs) != 1 {
			t.Fatalf("%d graphs, %v", len(graphs), err)
		}
		parsed, err := graphviz.ParseBytes([]byte(graphs[0].head + defaults + graphs[0].body))
		if err != nil {
			t.Fatal(err)
		}
		engine, err := graphviz.New(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := engine.Render(t.Context(), parsed, graphviz.SVG, &b); err != nil {
			t.Fatal(err)
		}
		want, got := visible(t, b.String()), visible(t, drawn(t, source))
		if len(want) < 5 || !slices.Equal(got, want) {
			t.Errorf("%q\n%q", got, want)
		}
		if picture := drawn(t, source); len(picture) > b.Len()*3/4 {
			t.Errorf("%d bytes, Graphviz writes %d", len(picture), b.Len())
		}
	}
}

// The same source gives the same bytes, whatever was drawn, or could not be, in between.
func TestDrawAgain(t *testing.T) {
	first := drawn(t, machine)
	drawn(t, machine+"\n"+machine)
	if err := Draw(t.Context(), io.Discard, []byte("digraph { a -> ; }")); !errors.Is(err, ErrFormat) {
		t.Error(err)
	}
	if again := drawn(t, machine); again != first {
		t.Errorf("%s\n%s", first, again)
	}
}

// Goroutines may draw at once.
func TestDrawConcurrently(t *testing.T) {
	want := drawn(t, machine)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			var b strings.Builder
			if err := Draw(t.Context(), &b, []byte(machine)); err != nil || b.String() != want {
				t.Errorf("%v\n%s", err, b.String())
			}
		})
	}
	all.Wait()
}

// Drawings beside each other do not overlap, and leave no row wider than it may be.
func TestPictureOfSeveralGraphs(t *testing.T) {
	one := visible(t, drawn(t, machine))
	for _, n := range []int{2, 9} {
		picture := drawn(t, strings.Repeat("/* {\n */ "+machine, n))
		if got := visible(t, picture); !slices.Equal(got, slices.Repeat(one, n)) {
			t.Errorf("%d graphs: %q", n, got)
		}
	}
	d := drawing{width: 300, height: 50}
	tall := drawing{width: 200, height: 90, x: 3, y: 4}
	got := string(picture([]drawing{d, tall, d}))
	for _, want := range []string{`width="532" height="172"`, `translate(4 24)`, `translate(331 8)`, `translate(4 118)`, `viewBox="0 0 532 172"`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

type broken struct{}

var errBroken = errors.New("broken")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestDrawErrors(t *testing.T) {
	for _, source := range []string{"", " // nothing\n", "digraph", "digraph {", "digraph { } }", `digraph { "a }`, "digraph { } x", "digraph { /* }", "digraph { a [label=<b] }", "{ }", "digraph { a -- b }"} {
		if err := Draw(t.Context(), io.Discard, []byte(source)); !errors.Is(err, ErrFormat) {
			t.Errorf("%q: %v", source, err)
		}
	}
	if err := Draw(t.Context(), broken{}, []byte(machine)); !errors.Is(err, errBroken) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Draw(ctx, io.Discard, []byte(machine)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := readDrawing(strings.NewReader("<svg")); err == nil {
		t.Error("half a picture is read")
	}
	for _, text := range []string{`<svg viewBox="1"/>`, `<svg viewBox="0 0 1 1"><g transform="none"/></svg>`} {
		if _, err := readDrawing(strings.NewReader(text)); err == nil {
			t.Errorf("%s is read", text)
		}
	}
}

// FuzzSplit checks that heads and bodies, in order, are the whole source.
func FuzzSplit(f *testing.F) {
	for _, source := range []string{machine, "graph {}\n# {\ngraph x {a [label=<<b>{</b>>]}", `a{"\"}"}`, "{{}} // }", "{/* } */}"} {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		graphs, err := split([]byte(source))
		if err != nil {
			if !errors.Is(err, ErrFormat) {
				t.Fatal(err)
			}
			return
		}
		var whole strings.Builder
		for _, g := range graphs {
			if !strings.HasSuffix(g.head, "{") || !strings.HasSuffix(g.body, "}") {
				t.Errorf("%q", g)
			}
			whole.WriteString(g.head + g.body)
		}
		if rest, ok := strings.CutPrefix(source, whole.String()); !ok || len(graphs) == 0 || !comment(rest) {
			t.Errorf("%q of %q", graphs, source)
		}
	})
}

func BenchmarkDraw(b *testing.B) {
	for b.Loop() {
		if err := Draw(b.Context(), io.Discard, []byte(machine)); err != nil {
			b.Fatal(err)
		}
	}
}
