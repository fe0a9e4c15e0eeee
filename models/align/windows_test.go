package align

import (
	"testing"

	"example.org/pathsum/internal/trials"
)

// TestWindows: no window is too long, all words are in one, and each link near the diagonal
// is decided on once, others at most once.
func TestWindows(t *testing.T) {
	for seed := range trials.Seeds(60) {
		r := random(seed)
		source, target, most := 1+r.IntN(60), 1+r.IntN(60), 4+r.IntN(20)
		for name, list := range map[string][]Window{"windows": Windows(source, target, most), "pieces": Pieces(source, target, most)} {
			var covered [2]map[int]bool
			covered[0], covered[1] = map[int]bool{}, map[int]bool{}
			for _, w := range list {
				for side, part := range [][2]int{w.Source, w.Target} {
					if n := part[1] - part[0]; n < 1 || n > most {
						t.Errorf("seed %d, %s of %d and %d words: %+v, want 1 to %d", seed, name, source, target, w, most)
					}
					for i := part[0]; i < part[1]; i++ {
						covered[side][i] = true
					}
				}
			}
			if len(covered[0]) != source || len(covered[1]) != target {
				t.Errorf("seed %d, %s: %d and %d words of %d and %d", seed, name, len(covered[0]), len(covered[1]), source, target)
			}
			if max(source, target) <= most && len(list) != 1 {
				t.Errorf("seed %d, %s: %d, want one", seed, name, len(list))
			}
			if name == "windows" {
				checkDecisions(t, list, source, target)
			}
		}
	}
}

// checkDecisions counts who decides on links.
func checkDecisions(t *testing.T, list []Window, source, target int) {
	t.Helper()
	width := 2 / float64(len(list)+1)
	for i := range source {
		for j := range target {
			n := 0
			for _, w := range list {
				if w.Decides(Link{i, j}) {
					n++
				}
			}
			// The middle of the link is at least a quarter of a window from the ends, so an
			// eighth on either side is within.
			x, y := (float64(i)+.5)/float64(source), (float64(j)+.5)/float64(target)
			near := max(x-y, y-x) <= width/4
			if n > 1 || n == 0 && (near || len(list) == 1) {
				t.Errorf("%d windows of %d decide on %d-%d of %d and %d words", n, len(list), i, j, source, target)
			}
		}
	}
}

func TestWindowOf(t *testing.T) {
	s := Sentence{[]string{"a", "b", "c", "d", "e", "f"}, []string{"1", "2", "3"}}
	list := Pieces(6, 3, 4)
	if len(list) != 2 {
		t.Fatalf("%+v", list)
	}
	got := list[1].Of(s)
	if len(got.Source) != 3 || got.Source[0] != "d" || got.Target[len(got.Target)-1] != "3" {
		t.Errorf("%+v", got)
	}
	if l := list[1].Link(Link{0, 1}); l != (Link{3, 2}) {
		t.Errorf("%v", l)
	}
	for _, fails := range []func(){func() { Pieces(0, 1, 9) }, func() { Windows(9, 9, 3) }} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			fails()
		}()
	}
}
