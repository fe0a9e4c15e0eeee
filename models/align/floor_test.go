package align

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
)

// Words that training has not seen do not take the links of the others away, unless it was
// asked for no floor: then there are no posteriors, and an error says so.
func TestUnseenWords(t *testing.T) {
	c := textOf(t, lines...)
	s := Sentence{strings.Fields("the new house"), strings.Fields("das neue haus")}
	for _, positions := range []Positions{Model1, Model2, Diagonal, HMM} {
		for _, counting := range []Counting{Separately, Multiplied} {
			o := &setup{Stages: []Stage{{positions, 10, Own, counting}}}
			p, q, err := train(t, c, o).Posteriors(s)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range [][2]int{{0, 0}, {2, 2}} {
				if p.At(l[0], l[1]) < .4 || q.At(l[0], l[1]) < .4 {
					t.Errorf("%v, %v: link %v has posteriors %v and %v", positions, counting, l, p.At(l[0], l[1]), q.At(l[0], l[1]))
				}
			}
			o.Floor = -1
			m := train(t, c, o)
			if p, q, err := m.Posteriors(s); !errors.Is(err, em.ErrUnderivable) || p != nil || q != nil {
				t.Errorf("%v, %v: without a floor: %v, %v, %v", positions, counting, p, q, err)
			}
			if x, y, err := m.LogProb(s); err != nil || !math.IsInf(x, -1) || !math.IsInf(y, -1) {
				t.Errorf("%v, %v: without a floor: scores %v and %v, %v", positions, counting, x, y, err)
			}
		}
	}
}

// No translation probability falls below the floor, also given NULL.
func TestFloor(t *testing.T) {
	for _, floor := range []float64{0, 1e-3} {
		o := &setup{Stages: []Stage{{Model1, 5, Own, Multiplied}}, Floor: floor}
		if floor == 0 {
			floor = defaultFloor
		}
		m := train(t, textOf(t, lines...), o)
		if least := slices.Min(m.table.translations.In(m.theta)); least != floor {
			t.Errorf("the least probability of a pair is %g, want %g", least, floor)
		}
		for d, g := range m.table.null {
			if least := slices.Min(g.In(m.theta)); least < floor {
				t.Errorf("direction %d: the least probability given NULL is %g, want %g", d, least, floor)
			}
		}
	}
}

// What an observer asks the model while it is trained is answered by the parameters of that
// moment.
func TestModelInTraining(t *testing.T) {
	c, s := textOf(t, lines...), Sentence{strings.Fields("the small dog"), strings.Fields("der kleine hund")}
	o := recipe()
	o.Observer = func(m *Model, p Progress) {
		read, err := Load(bytes.NewReader(written(t, m)))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			got, _, err := m.Posteriors(s)
			if err != nil {
				t.Fatal(err)
			}
			if want, _, err := read.Posteriors(s); err != nil || !slices.Equal(got.P, want.P) {
				t.Errorf("stage %d, iteration %d: %v, want %v; %v", p.Stage, p.Iteration, got.P, want, err)
			}
		}
	}
	train(t, c, o)
}
