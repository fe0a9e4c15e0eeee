package phylo

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/phylo/msa"
)

// without returns an alignment of species a, b, c, … in which some bases do not occur.
func without(tree *Tree, columns int, present string, seed uint64) *msa.Alignment {
	r := random(seed)
	a := new(msa.Alignment)
	for range columns {
		root := strings.IndexByte(msa.Bases, present[r.IntN(len(present))])
		for i, v := range tree.Species() {
			if len(a.Rows) == i {
				a.Species, a.Rows = append(a.Species, tree.Nodes[v].Name), append(a.Rows, nil)
			}
			b := root
			if r.IntN(4) == 0 {
				b = strings.IndexByte(msa.Bases, present[r.IntN(len(present))])
			}
			cell := msa.Base(b)
			if r.IntN(10) == 0 {
				cell = msa.Missing
			}
			a.Rows[i] = append(a.Rows[i], cell)
		}
	}
	return a
}

// A base that the alignment lacks: the likelihood is a sum over all bases, its derivatives are
// right, it is the limit of small frequencies, and training comes to an end.
func TestAbsentBases(t *testing.T) {
	tree := must(ParseTree("((a:.1,b:.2):.05,(c:.2,d:.3):.05);"))
	for seed := range trials.Seeds(30) {
		present := []string{"ACG", "AG", "CT", "GT", "A", "T", "AC"}[seed%7]
		a := without(tree, 40, present, seed)
		f := a.Frequencies()
		near0 := f
		for b := range near0 {
			near0[b] = (f[b] + 1e-10) / (1 + 4e-10)
		}
		varied := REV(f)
		varied.RateClasses = 3
		trained := HKY85(f)
		trained.Law = em.Multinomial{}
		for name, p := range map[string]Reversible{"HKY85": HKY85(f), "REV": REV(f), "REV+3": varied, "trained": trained} {
			name = fmt.Sprintf("seed %d, %s, %s", seed, present, name)
			m := must(NewColumns(tree, p))
			l := must(m.Likelihood(a))
			if seed < 7 {
				var single [][]int
				for j := range a.Columns() {
					single = append(single, []int{j})
				}
				compare(t, name, l, a, m.Theta, 1, single, m.probability(m.Theta))
				differentiate(t, name, l, m.Theta)
			}
			if len(present) > 1 {
				q := p
				q.Frequencies = near0
				limit := must(NewColumns(tree, q))
				limit.Theta = slices.Clone(m.Theta)
				copy(limit.Params.Find("frequencies").In(limit.Theta), near0[:])
				if got, want := logProb(t, m, a), logProb(t, limit, a); !near(got, want, 1e-7) {
					t.Errorf("%s: %.10f, near it %.10f", name, got, want)
				}
			}
			before := logProb(t, m, a)
			r, err := m.Fit(t.Context(), a, nil)
			if err != nil || r.LogLikelihood < before || math.IsInf(r.LogLikelihood, 0) {
				t.Errorf("%s: %+v, %v", name, r, err)
				continue
			}
			if !slices.ContainsFunc(r.Remarks, func(s string) bool { return strings.Contains(s, "of frequency 0") }) {
				t.Errorf("%s: remarks %q", name, r.Remarks)
			}
			if len(present) == 1 && (r.LogLikelihood != 0 || len(r.Remarks) > 1) {
				t.Errorf("%s: %v where nothing changes, remarks %q", name, r.LogLikelihood, r.Remarks)
			}
			saved := savedMod(t, m)
			loaded, err := LoadMod(strings.NewReader(saved))
			if err != nil || !near(logProb(t, loaded, a), r.LogLikelihood, 1e-9) {
				t.Errorf("%s: %v\n%s", name, err, saved)
			}
		}
		// A column with the base is not derivable.
		other := a.Clone()
		other.Rows[0][5] = msa.Base(slices.Index(f[:], 0))
		m := must(NewColumns(tree, HKY85(f)))
		if _, err := must(m.Likelihood(other)).LogProb(t.Context(), m.Theta, 1); !errors.Is(err, em.ErrUnderivable) {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

// Frequencies that are trained go to 0 for a base that the alignment lacks, and to the same
// maximum as from 0.
func TestTrainedToAbsence(t *testing.T) {
	tree := must(ParseTree("((a:.1,b:.2):.05,(c:.2,d:.3):.05);"))
	for seed := range trials.Seeds(10) {
		a := without(tree, 300, "ACG", seed)
		even := HKY85([bases]float64{.25, .25, .25, .25})
		zero := HKY85(a.Frequencies())
		even.Law, zero.Law = em.Multinomial{}, em.Multinomial{}
		from, want := must(NewColumns(tree, even)), must(NewColumns(tree, zero))
		r, err := from.Fit(t.Context(), a, nil)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		if w := must(want.Fit(t.Context(), a, nil)); !near(r.LogLikelihood, w.LogLikelihood, 1e-7) {
			t.Errorf("seed %d: %.8f from even frequencies, %.8f from 0; %v", seed, r.LogLikelihood, w.LogLikelihood, from.Theta)
		}
	}
}

// Two bases that change have a closed form.
func TestModAbsentBases(t *testing.T) {
	const two = `ALPHABET: A C G T
ORDER: 0
SUBST_MOD: HKY85
BACKGROUND: 0.600000 0.000000 0.400000 0.000000
RATE_MAT:
  -0.833333    0.000000    0.833333    0.000000
   1.250000   -2.083333    0.833333    0.000000
   1.250000    0.000000   -1.250000    0.000000
   1.250000    0.000000    0.833333   -2.083333
TREE: (a:0.1,b:0.2);
`
	const one = `ALPHABET: A C G T
ORDER: 0
SUBST_MOD: REV
BACKGROUND: 1.000000 0.000000 0.000000 0.000000
RATE_MAT:
   0.000000    0.000000    0.000000    0.000000
   0.000000    0.000000    0.000000    0.000000
   0.000000    0.000000    0.000000    0.000000
   0.000000    0.000000    0.000000    0.000000
TREE: (a:0.000000,b:0.000000);
`
	a := rows("AAAGGNA", "AAGGAAN")
	p, q := .6, .4
	change := q * (1 - math.Exp(-.3/(2*p*q))) // from A to G
	want := 2*math.Log(p*(1-change)) + 2*math.Log(p*change) + math.Log(q*(1-change*p/q)) + 2*math.Log(p)
	for how, content := range map[string]string{
		"as it is": two, "a mark": "\ufeff" + two, "carriage returns": strings.ReplaceAll(two, "\n", "\r"), "both": strings.ReplaceAll(two, "\n", "\r\n"),
	} {
		m, err := LoadMod(strings.NewReader(content))
		if err != nil {
			t.Errorf("%s: %v", how, err)
			continue
		}
		if got := logProb(t, m, a); !near(got, want, 1e-5) { // the file has six digits
			t.Errorf("%s: %.8f, want %.8f", how, got, want)
		}
	}
	m, err := LoadMod(strings.NewReader(one))
	if err != nil {
		t.Fatal(err)
	}
	if got := logProb(t, m, rows("AANA", "ANAA")); got != 0 {
		t.Errorf("%v where nothing changes, want 0", got)
	}
	if _, err := must(m.Likelihood(rows("A", "C"))).LogProb(t.Context(), m.Theta, 1); !errors.Is(err, em.ErrUnderivable) {
		t.Error(err)
	}
}

// Other processes are refused by their names.
func TestModOthers(t *testing.T) {
	const head = "ALPHABET: A C G T\nORDER: 0\nSUBST_MOD: REV\nTRAINING_LNL: -1\nBACKGROUND: 0.25 0.25 0.25 0.25\nRATE_MAT:\n"
	for want, edit := range map[string][2]string{
		`SUBST_MOD "R3" is a process of ORDER "2", want order 0`: {"ORDER: 0\nSUBST_MOD: REV", "ORDER: 2\nSUBST_MOD: R3"},
		`SUBST_MOD "U2S" is a process of ORDER "1"`:              {"ORDER: 0\nSUBST_MOD: REV", "SUBST_MOD: U2S\nORDER: 1"},
		`SUBST_MOD "UNREST", want one of JC69, F81, HKY85, REV`:  {"REV", "UNREST"},
		`ALPHABET "A C G T -", want A C G T`:                     {"A C G T", "A C G T -"},
	} {
		_, err := LoadMod(strings.NewReader(strings.Replace(head, edit[0], edit[1], 1) + strings.Repeat("1 2 3 4 5 6 7\n", 8)))
		if !errors.Is(err, ErrFormat) || !contains(err, want) || strings.Count(err.Error(), ErrFormat.Error()) != 1 {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
