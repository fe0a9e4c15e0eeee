package phylo

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/models/phylo/msa"
)

var modNames = []string{"JC69", "F81", "HKY85", "REV", "REV+4"}

// modModels returns a model of each name, with random parameters.
func modModels(t testing.TB, tree *Tree) map[string]*Columns {
	t.Helper()
	f := [msa.NumBases]float64{.3, .25, .25, .2}
	varied := REV(f)
	varied.RateClasses = 4
	f81 := JC69()
	f81.Frequencies = f
	all := map[string]*Columns{}
	for i, name := range modNames {
		m := must(NewColumns(tree, []Process{JC69(), f81, HKY85(f), REV(f), varied}[i]))
		r := rand.New(rand.NewPCG(uint64(i), 5))
		m.Theta = m.Params.Random(r)
		all[name] = m
	}
	return all
}

func savedMod(t testing.TB, m *Columns) string {
	t.Helper()
	var b bytes.Buffer
	if err := m.SaveMod(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// logProb returns the log likelihood of an alignment.
func logProb(t testing.TB, m *Columns, a *msa.Alignment) float64 {
	t.Helper()
	return must(must(m.Likelihood(a)).LogProb(t.Context(), m.Theta, 1))
}

// TestModRoundTrip: what is saved and loaded has the same parameters, and is saved the same.
func TestModRoundTrip(t *testing.T) {
	for _, text := range []string{"((a_1:.1,b:.2)x:.05,(c:.2,d:.3):.05);", "(a_1:.1,b:.2,(c:.2,d:.3):.05);"} {
		for name, m := range modModels(t, must(ParseTree(text))) {
			saved := savedMod(t, m)
			if !strings.Contains(saved, "SUBST_MOD: "+strings.TrimSuffix(name, "+4")+"\n") {
				t.Errorf("%s: %s", name, saved)
			}
			got, err := LoadMod(strings.NewReader(saved))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if got.kernel.(reversibleKernel).process.Exchange != m.kernel.(reversibleKernel).process.Exchange || len(got.Theta) != len(m.Theta) {
				t.Fatalf("%s: %v, want %v", name, got.kernel, m.kernel)
			}
			for i, x := range m.Theta {
				if math.Abs(got.Theta[i]/x-1) > 1e-12 {
					t.Errorf("%s: %s is %v, want %v", name, m.Params.Name(int32(i)), got.Theta[i], x)
				}
			}
		}
	}
}

// TestModPHAST: phyloFit finds the likelihood that we find under a model that we saved, and we
// the one that it wrote into its own file.
func TestModPHAST(t *testing.T) {
	program, err := exec.LookPath("phyloFit")
	if err != nil {
		t.Skip("phyloFit is not installed (Debian package phast)")
	}
	tree := must(ParseTree("((Homo_s:.1,Macaca:.2):.05,(Mus:.2,Rattus:.3):.05);"))
	a := drawn(tree, 400)
	same := drawn(tree, 200).Rows[0]
	for i := range a.Rows {
		a.Rows[i] = append(a.Rows[i], same...) // so that rates vary
	}
	dir := t.TempDir()
	var text bytes.Buffer
	for i, name := range a.Species {
		text.WriteString(">" + name + "\n")
		for _, c := range a.Rows[i] {
			text.WriteByte(c.Symbol())
		}
		text.WriteByte('\n')
	}
	fasta := filepath.Join(dir, "a.fa")
	if err := os.WriteFile(fasta, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (model string, logProb float64) {
		t.Helper()
		root := filepath.Join(dir, "out")
		if out, err := exec.Command(program, append([]string{"--quiet", "--out-root", root}, append(args, fasta)...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		b := must(os.ReadFile(root + ".mod"))
		return string(b), must(strconv.ParseFloat(regexp.MustCompile(`TRAINING_LNL: (\S+)`).FindStringSubmatch(string(b))[1], 64))
	}
	for name, m := range modModels(t, tree) {
		file := filepath.Join(dir, name+".mod")
		if err := os.WriteFile(file, []byte(savedMod(t, m)), 0o600); err != nil {
			t.Fatal(err)
		}
		// with --lnl phyloFit has one class of rates, whatever the file says
		if _, theirs := run("--init-model", file, "--lnl"); name != "REV+4" {
			if ours := logProb(t, m, a); math.Abs(ours-theirs) > 1e-6*math.Abs(ours) {
				t.Errorf("%s: log likelihood %.6f, in phyloFit %.6f", name, ours, theirs)
			}
		}
		subst, classes := strings.TrimSuffix(name, "+4"), "1"
		if subst != name {
			classes = "4"
		}
		model, theirs := run("--subst-mod", subst, "--nrates", classes, "--tree", strings.ReplaceAll(tree.String(), "'", ""))
		loaded, err := LoadMod(strings.NewReader(model))
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, model)
			continue
		}
		if g := loaded.Params.Groups(); name == "REV+4" && g[len(g)-1].In(loaded.Theta)[0] > 2 {
			t.Errorf("shape %v: rates do not vary", g[len(g)-1].In(loaded.Theta))
		}
		if ours := logProb(t, loaded, a); math.Abs(ours-theirs) > 1e-5*math.Abs(ours) {
			t.Errorf("%s: log likelihood %.6f of phyloFit's model, which has %.6f\n%s", name, ours, theirs, model)
		}
	}
}

// TestModErrors: files that say other than LoadMod understands, and models without rates.

// FuzzLoadMod: what can be loaded can be saved, and loaded again.
func FuzzLoadMod(f *testing.F) {
	seeds := modModels(f, must(ParseTree("((a:.1,b:.2):.05,(c:.2,d:.3):.05);")))
	for _, name := range modNames {
		f.Add(savedMod(f, seeds[name]))
	}
	f.Fuzz(func(t *testing.T, text string) {
		var m *Columns
		var err error
		memtest.Bound(t, len(text), 800, func() { m, err = LoadMod(strings.NewReader(text)) })
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := m.SaveMod(&b); err != nil {
			if !errors.Is(err, ErrInvalid) {
				t.Fatal(err)
			}
			return
		}
		if _, err := LoadMod(&b); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	})
}

// A model whose exchangeabilities training has driven towards 0, beside branches along which they
// matter all the same, or whose rare bases have great rates, comes back as it was; one with rates
// that would not be read is not written.
func TestModExtremeRates(t *testing.T) {
	a := rows("ACTTACAT", "ACTTTTTT", "ACTAACAA")
	tree := must(ParseTree("(a:188853,b:5.4e9,c:5.4e7);"))
	for name, x := range map[string]struct {
		pi [bases]float64
		s  []float64
	}{
		"tiny exchangeabilities":  {[bases]float64{.25, .2, .01, .54}, []float64{0x1p-1074, 1e-200, 1, 0x1p-1074, 4e-11, 1e-17}},
		"equal exchangeabilities": {[bases]float64{.25, .2, .01, .54}, []float64{1, 1, 1, 1, 1, 1}},
		"rare bases":              {[bases]float64{1 - 3e-12, 1e-12, 1e-12, 1e-12}, []float64{1, 2, 1, 1, 2, 1}},
	} {
		m := must(NewColumns(tree, REV(x.pi)))
		k := m.kernel.(reversibleKernel)
		copy(k.exchange.In(m.Theta), x.s)
		floats.Scale(1/floats.Sum(x.s), k.exchange.In(m.Theta))
		loaded, err := LoadMod(strings.NewReader(savedMod(t, m)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, want := logProb(t, loaded, a), logProb(t, m, a); !near(got, want, 1e-6) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	m := must(NewColumns(tree, REV([bases]float64{1, 1e-200, 1e-200, 1e-200})))
	if err := m.SaveMod(io.Discard); !errors.Is(err, ErrInvalid) {
		t.Errorf("rates of 1e200: error %v, want ErrInvalid", err)
	}
}
