package cascade_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// A saved model with two groups of one name is no model.
func TestLoadGroupsOfOneName(t *testing.T) {
	p := em.NewParams()
	g, h := p.Group("one", 2, em.Multinomial{}), p.Group("two", 1, em.Multinomial{})
	f := fst.OneState(p.Space(), h.Weight(0), fst.Arc[expr.W]{In: 'a', Out: 'a', Weight: g.Weight(0)})
	model := cascade.NewModel(cascade.Problem{Params: p, Stages: []cascade.Stage{f}})
	var text bytes.Buffer
	if err := model.Save(&text); err != nil {
		t.Fatal(err)
	}
	twice := strings.Replace(text.String(), `"two"`, `"one"`, 1)
	if _, err := cascade.Load(strings.NewReader(twice)); !errors.Is(err, em.ErrFormat) || !strings.Contains(err.Error(), "one") {
		t.Errorf("error %v, want ErrFormat that names the group", err)
	}
}

// A symbol that is called as a coin is makes an error, not a second group of the name.
func TestSymbolNamedAsCoin(t *testing.T) {
	names := fst.NewSymbols()
	insert, a := names.Add("insert"), names.Add("a")
	m, err := fst.Expand(fst.OneState(semiring.Boolean{}, true,
		fst.Arc[bool]{Out: a, Weight: true}, fst.Arc[bool]{In: insert, Out: a, Weight: true}, fst.Arc[bool]{In: a, Out: a, Weight: true}), nil)
	if err != nil {
		t.Fatal(err)
	}
	m = m.WithSymbols(names, names)
	_, err = fst.Expand(cascade.Conditional(em.NewParams(), "channel", m, em.Multinomial{}), nil)
	if !errors.Is(err, em.ErrParameter) || !strings.Contains(err.Error(), "channel/0/insert") {
		t.Errorf("error %v, want ErrParameter that names the group", err)
	}
}
