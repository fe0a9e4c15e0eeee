package gold

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/align"
)

// Possible links are written in two ways.
func TestParseP(t *testing.T) {
	if got := mustParse(t, "1-2 2p3 4?5"); got.String() != "1-2 2?3 4?5" {
		t.Errorf("read as %v", got)
	}
	for _, line := range []string{"1p", "p2", "1p2p3", "1-2p3", "1 p 2", "1P2"} {
		if r, err := Parse(line); !errors.Is(err, align.ErrLink) {
			t.Errorf("%q: %v, %v", line, r, err)
		}
	}
	if _, err := Parse(strings.Repeat("x", 10000)); err == nil || len(err.Error()) > 250 {
		t.Errorf("a message of %d bytes", len(err.Error()))
	}
}

func TestFirst(t *testing.T) {
	sizes := func(int) (int, int) { return 3, 4 }
	for _, test := range []struct {
		lines string // with / between
		words func(int) (int, int)
		first int
		known bool
	}{
		{"0-0 2-3", sizes, 0, true},
		{"1-1 0?3", sizes, 0, true},
		{"1-1/2-0", sizes, 0, true},
		{"1-1 2-3", sizes, 0, false},
		{"1-1/3-2", sizes, 1, true}, // word 3 of 3
		{"1-1/1p4", sizes, 1, true},
		{"3-5", sizes, 0, false}, // beyond both ways
		{"3-4", nil, 0, false},
		{"0-4", sizes, 0, true},
		{"", sizes, 0, true},
		{"/", nil, 0, true},
	} {
		var all []Reference
		for line := range strings.SplitSeq(test.lines, "/") {
			all = append(all, mustParse(t, line))
		}
		if first, known := First(all, test.words); first != test.first || known != test.known {
			t.Errorf("%q: %d, %v, want %d, %v", test.lines, first, known, test.first, test.known)
		}
	}
}

// References with all positions one higher, which are written so, come back, and have the
// same error rates.
func TestFromOne(t *testing.T) {
	for seed := range trials.Seeds(100) {
		rng := rand.New(rand.NewPCG(seed, 5))
		const e, f = 4, 5
		want := randomReference(rng, e, f)
		raise := func(links align.Alignment) align.Alignment {
			links = slices.Clone(links)
			for i := range links {
				links[i].Source++
				links[i].Target++
			}
			return links
		}
		raised := mustParse(t, Reference{raise(want.Sure), raise(want.Possible)}.String())
		got, err := FromOne([]Reference{raised})
		if err != nil || got[0].String() != want.String() {
			t.Fatalf("seed %d: %v, %v, want %v", seed, got, err, want)
		}
		if err := got[0].Check(e, f); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := FromOne([]Reference{mustParse(t, "1-1"), mustParse(t, "1-1 2?0")}); !errors.Is(err, ErrRange) || !strings.Contains(err.Error(), "reference 2") {
		t.Errorf("position 0: %v", err)
	}
}
