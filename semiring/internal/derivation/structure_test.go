package derivation

import (
	"slices"
	"testing"
)

// paths is a structure of 4 nodes whose options have one tail each.
func paths() Structure {
	return Structure{Row: []int32{0, 3, 3, 4, 5}, Tails: []int32{1, 2, 3, 3, 0}}
}

// trees is a structure of 4 nodes: node 1 is derived from 0 and 0, node 2 from 1, 0 and 3 or from
// nothing, node 3 from itself.
func trees() Structure {
	return Structure{
		Row: []int32{0, 1, 2, 4, 5}, Tail: []int32{0, 0, 2, 5, 5, 6}, Tails: []int32{0, 0, 1, 0, 3, 3},
	}
}

func all(n int, but ...int) []bool {
	kept := make([]bool, n)
	for i := range kept {
		kept[i] = !slices.Contains(but, i)
	}
	return kept
}

func TestBelow(t *testing.T) {
	for _, test := range []struct {
		s      Structure
		tops   []int32
		option []bool
		want   []bool
	}{
		{paths(), []int32{2}, all(5), []bool{true, true, true, true}},
		{paths(), []int32{2, 2}, all(5, 4), []bool{false, false, true, true}},
		{trees(), []int32{1}, all(5), []bool{true, true, false, false}},
		{trees(), []int32{2}, all(5), []bool{true, true, true, true}},
		{trees(), []int32{2}, all(5, 2), []bool{false, false, true, false}},
		{trees(), nil, all(5), make([]bool, 4)},
	} {
		if got := test.s.Below(test.tops, test.option); !slices.Equal(got, test.want) {
			t.Errorf("below %v by %v: %v, want %v", test.tops, test.option, got, test.want)
		}
	}
}

func TestPart(t *testing.T) {
	s := paths()
	kept := Kept{Entries: []int32{1, 0}, Entry: all(2), Option: all(5, 2)}
	p := s.Part(kept, []bool{true, false, true, true})
	if !slices.Equal(p.Node, []int32{0, 2, 3}) || !slices.Equal(p.Option, []int32{1, 3, 4}) || !slices.Equal(p.Entry, []int32{1}) ||
		!slices.Equal(p.Row, []int32{0, 1, 2, 3}) || !slices.Equal(p.Tails, []int32{1, 2, 0}) || p.Number[3] != 2 || p.Tail != nil {
		t.Errorf("%+v", p)
	}
	if p := s.Part(kept, make([]bool, 4)); len(p.Node)+len(p.Option)+len(p.Tails) > 0 || !slices.Equal(p.Row, []int32{0}) {
		t.Errorf("a part of no nodes: %+v", p)
	}
	s = trees()
	p = s.Part(Kept{Entries: []int32{2}, Entry: all(1), Option: all(5)}, []bool{true, true, true, false})
	if !slices.Equal(p.Node, []int32{2}) || !slices.Equal(p.Option, []int32{3}) || !slices.Equal(p.Tail, []int32{0, 0}) {
		t.Errorf("an option without a derivation of its last tail: %+v", p)
	}
	p = s.Part(Kept{Entries: []int32{1}, Entry: all(1), Option: all(5)}, all(4))
	if !slices.Equal(p.Node, []int32{0, 1}) || !slices.Equal(p.Option, []int32{0, 1}) ||
		!slices.Equal(p.Tail, []int32{0, 0, 2}) || !slices.Equal(p.Tails, []int32{0, 0}) {
		t.Errorf("%+v", p)
	}
}
