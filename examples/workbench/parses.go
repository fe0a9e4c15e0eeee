package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/cfg"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

// Bounds of the forest panel.
const (
	drawnNodes = 60
	mostTrees  = 5
)

// parses shows the forest of the input by the definitions as a context-free grammar, and its
// best trees.
func (g *grammar) parses(ctx context.Context, q *request) (*view, error) {
	start, parts, err := g.compiler.Network(g.name)
	if err != nil {
		return nil, err
	}
	theta, err := g.theta(q.Values)
	if err != nil {
		return nil, err
	}
	calls := slices.Sorted(maps.Keys(parts))
	network := map[int32]fst.Machine[semiring.ScaledFloat]{}
	for _, label := range calls {
		if network[label], err = cascade.Instantiate(g.params, parts[label], theta, semiring.Scaled{}); err != nil {
			return nil, err
		}
	}
	rules, err := cfg.New(start, network)
	if err != nil {
		return nil, err
	}
	words, err := g.alphabet.EncodeRunes(q.Input)
	if err != nil {
		return nil, fmt.Errorf("input: %w", err)
	}
	parsed, err := rules.Parse(fst.FromString(semiring.Scaled{}, words), limit)
	if err != nil {
		return nil, err
	}
	f := parsed.Forest
	v := &view{States: f.NumNodes(), Arcs: f.NumEdges()}
	p, err := forest.Posteriors(f)
	if err != nil {
		return nil, err
	}
	v.Note = "Sum of all trees: " + short(p.Total.Float64()) + ". "
	names := g.nonterminals(calls)
	best, err := forest.BestTrees(forest.Map(f, semiring.Viterbi{}, func(w semiring.ScaledFloat) semiring.ScaledFloat { return w }))
	if err != nil {
		return nil, err
	}
	for t := range best {
		v.Samples = append(v.Samples, short(t.Weight.Float64())+"  "+g.bracketed(parsed.Tree(t.Edges), names))
		if len(v.Samples) == mostTrees || ctx.Err() != nil {
			break
		}
	}
	if f.NumNodes() > drawnNodes || f.NumEdges() > drawnArcs {
		v.Note += fmt.Sprintf("Too large to draw: forests of at most %d nodes and %d edges are.", drawnNodes, drawnArcs)
		return v, nil
	}
	var source bytes.Buffer
	err = forest.WriteDOT(&source, f, &forest.DOT{Digits: 3, Posterior: shades(p.Edge), Node: func(n int32) string {
		item := parsed.Items[n]
		return fmt.Sprintf("%s %d–%d", g.item(item, names), item.From, item.To)
	}})
	if err != nil {
		return nil, err
	}
	v.Picture, err = picture(ctx, source.Bytes())
	return v, err
}

// item returns the name of a node of the forest.
func (g *grammar) item(item cfg.Item, names map[int32]string) string {
	if item.Kind == cfg.Whole || item.Kind == cfg.Word {
		return g.symbol(item.Of, names)
	}
	return item.Kind.String()
}

func (g *grammar) symbol(label int32, names map[int32]string) string {
	return cmp.Or(names[label], spell(g.alphabet, []int32{label}))
}

// bracketed returns a tree as a text: (S a (S b)).
func (g *grammar) bracketed(n *cfg.Node, names map[int32]string) string {
	if n.Terminal {
		return g.symbol(n.Label, names)
	}
	var b strings.Builder
	b.WriteString("(" + g.symbol(n.Label, names))
	for _, c := range n.Children {
		b.WriteString(" " + g.bracketed(c, names))
	}
	return b.String() + ")"
}

// references finds quoted symbols, texts and names in an expression that was printed.
var references = regexp.MustCompile(`'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\\.|@([\pL_][\pL\pN_]*)`)

// nonterminals returns the names of calls, the labels of Compiler.Network. These are in the
// order of references to recursive definitions.
func (g *grammar) nonterminals(calls []int32) map[int32]string {
	needs := map[string][]string{}
	for _, d := range g.all {
		needs[d.Name] = nil
		for _, m := range references.FindAllStringSubmatch(d.Expr.String(), -1) {
			if m[1] != "" && !slices.Contains(d.Params, m[1]) {
				needs[d.Name] = append(needs[d.Name], m[1])
			}
		}
	}
	reached := func(from []string) []string {
		all := slices.Clone(from)
		for i := 0; i < len(all); i++ {
			for _, n := range needs[all[i]] {
				if !slices.Contains(all, n) {
					all = append(all, n)
				}
			}
		}
		return all
	}
	var recursive []string
	for i, name := range reached([]string{g.name}) {
		if i == 0 || slices.Contains(reached(needs[name]), name) {
			recursive = append(recursive, name)
		}
	}
	names := map[int32]string{}
	if len(recursive) == len(calls) {
		for i, label := range calls {
			names[label] = recursive[i]
		}
	}
	return names
}
