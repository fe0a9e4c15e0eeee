package phylo

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/models/phylo/msa"
)

// ErrFormat is wrapped by the error for a model file that cannot be used.
var ErrFormat = nested.ErrFormat

const (
	modAlphabet = "A C G T"
	// mostModBytes bounds the size of a file, and mostModClasses its number of rate classes.
	mostModBytes   = 1 << 26
	mostModClasses = 64
	mostModNumber  = 1e150 // of the matrix: products of them are finite
	// Matrices are written with six decimal places, so they are reversible up to this tolerance
	// only.
	modTolerance = 1e-5
	// leastExchange, or less on long branches, replaces an exchangeability of 0, which training
	// could not leave: a fraction of their sum.
	leastExchange = 1e-9
	leastPositive = 1e-300
)

// substMods are the names of reversible processes in PHAST, the most special first.
var substMods = []substMod{
	{"JC69", [6]int{}, true, true},
	{"F81", [6]int{}, false, true},
	{"HKY85", [6]int{0, 1, 0, 0, 1, 0}, false, false},
	{"REV", [6]int{0, 1, 2, 3, 4, 5}, false, false},
}

type substMod struct {
	name     string
	exchange [6]int
	uniform  bool // frequencies
	// The probabilities have a closed form, for lengths in expected substitutions. phyloFit then
	// ignores the scale of the matrix, which differs for F81.
	closed bool
}

// SaveMod writes the model at Theta as a .mod file for phyloFit, tree_doctor and other programs of
// PHAST: rate matrix, frequencies, rate classes and tree. LoadMod reads it back. The process must
// be Reversible; a matrix per branch has no rates. The error wraps ErrInvalid for other processes,
// names of species that would not be read back, and rates above 1e150. Classes of exchangeabilities
// without a name in PHAST are saved as REV.
func (m *Columns) SaveMod(w io.Writer) error {
	k, ok := m.kernel.(reversibleKernel)
	if !ok {
		return nested.Errorf("phylo: %w: the process has no reversible rate matrix, want a Reversible", ErrInvalid)
	}
	r, _, err := k.rates(m.Theta)
	if err != nil {
		return err
	}
	for _, n := range m.tree.Nodes {
		if strings.ContainsFunc(n.Name, isDelimiter) {
			return nested.Errorf("phylo: %w: the name %q, in which PHAST would see other symbols of the tree", ErrInvalid, n.Name)
		}
	}
	for i, row := range r.q {
		for _, x := range row {
			if !(math.Abs(x) <= mostModNumber) {
				return nested.Errorf("phylo: %w: a rate from %c of %g, want numbers up to %g, the limit of LoadMod", ErrInvalid, msa.Bases[i], x, mostModNumber)
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "ALPHABET: %s\nORDER: 0\nSUBST_MOD: %s\n", modAlphabet, k.substMod(r))
	if k.shape != nil {
		fmt.Fprintf(&b, "NRATECATS: %d\nALPHA: %v\n", k.at.classes, k.shape.In(m.Theta)[0])
	}
	fmt.Fprintf(&b, "BACKGROUND: %s\nRATE_MAT:\n", numbers(r.pi[:]))
	for _, row := range r.q {
		fmt.Fprintf(&b, "  %s\n", numbers(row[:]))
	}
	fmt.Fprintf(&b, "TREE: %s\n", m.Tree().newick(false))
	if _, err := io.WriteString(w, b.String()); err != nil {
		return nested.Errorf("phylo: %w", err)
	}
	return nil
}

// substMod returns the name of the process.
func (k reversibleKernel) substMod(r *rates) string {
	uniform := slices.Min(r.pi[:]) == slices.Max(r.pi[:])
	for _, s := range substMods {
		if s.exchange == k.process.Exchange && (uniform || !s.uniform) {
			return s.name
		}
	}
	return "REV"
}

func numbers(x []float64) string {
	list := make([]string, len(x))
	for i, v := range x {
		list[i] = strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strings.Join(list, " ")
}

// LoadMod reads a .mod file written by SaveMod or PHAST's phyloFit: of bases, order 0, one of the
// processes JC69, F81, HKY85 and REV, with or without gamma-distributed rates. Branch lengths
// become expected substitutions per site if the matrix has another scale; lengths of 0 become 1e-6.
// LoadMod corrects rounding errors in the sum of frequencies and in the equality of flows between
// two bases. A base of frequency 0 never occurs; a single base does not change. A byte order mark,
// and carriage returns as line ends, are ignored. Remarks on the tree are in
// Columns.Tree().Remarks.
//
// The error wraps ErrFormat for another file, or one with an unsupported line; for another process,
// or an order above 0, it names SUBST_MOD. Time and memory are proportional to the file.
func LoadMod(r io.Reader) (*Columns, error) {
	content, err := text.ReadAll(r, "", mostModBytes)
	if err != nil {
		return nil, nested.Errorf("phylo: %w", err)
	}
	f, err := parseMod(content)
	if err == nil {
		var m *Columns
		if m, err = f.model(); err == nil {
			return m, nil
		}
	}
	return nil, nested.Errorf("phylo: %w: %w", ErrFormat, err)
}

// modFile is the content of a .mod file.
type modFile struct {
	values map[string]string // by key, except RATE_MAT
	q      matrix
}

// modKeys are the required keys, modOptional the optional ones; TRAINING_LNL, the likelihood after
// training, is ignored.
var (
	modKeys     = []string{"ALPHABET", "ORDER", "SUBST_MOD", "BACKGROUND", "RATE_MAT", "TREE"}
	modOptional = []string{"NRATECATS", "ALPHA", "TRAINING_LNL"}
)

// parseMod reads lines KEY: value, and the matrix below its key.
func parseMod(content string) (*modFile, error) {
	f := &modFile{values: map[string]string{}}
	row := bases // the next row of the matrix
	number := 0
	for line := range strings.Lines(content) {
		number++
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if row < bases {
			values, err := modNumbers(line)
			if err != nil {
				return nil, nested.Errorf("line %d: row %d of the matrix: %w", number, row+1, err)
			}
			f.q[row] = values
			row++
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		if !ok || !slices.Contains(modKeys, key) && !slices.Contains(modOptional, key) {
			return nil, fmt.Errorf("line %d: %s, want one of %s", number, text.Quote(line), strings.Join(slices.Concat(modKeys, modOptional), ", "))
		}
		if _, twice := f.values[key]; twice {
			return nil, fmt.Errorf("line %d: %s is there twice", number, key)
		}
		f.values[key] = strings.TrimSpace(value)
		if key == "RATE_MAT" {
			row = 0
			if err := f.checkProcess(); err != nil { // another process may have another matrix
				return nil, err
			}
		}
	}
	for _, key := range modKeys {
		if _, ok := f.values[key]; !ok {
			return nil, fmt.Errorf("there is no %s", key)
		}
	}
	if row < bases {
		return nil, fmt.Errorf("the matrix has %d rows, want %d", row, bases)
	}
	return f, nil
}

// checkProcess returns an error for a process that LoadMod does not support, given the lines read
// so far.
func (f *modFile) checkProcess() error {
	if got, ok := f.values["ALPHABET"]; ok && strings.Join(strings.Fields(got), " ") != modAlphabet {
		return fmt.Errorf("ALPHABET %s, want %s", text.Quote(got), modAlphabet)
	}
	if order, ok := f.values["ORDER"]; ok && order != "0" {
		return fmt.Errorf("SUBST_MOD %s is a process of ORDER %s, want order 0 and one of %s; NewWindows makes models of neighbouring columns", text.Quote(f.values["SUBST_MOD"]), text.Quote(order), substNames())
	}
	kind, ok := f.values["SUBST_MOD"]
	if ok && f.kind() < 0 {
		return fmt.Errorf("SUBST_MOD %s, want one of %s", text.Quote(kind), substNames())
	}
	return nil
}

// kind returns the index of the process in substMods, −1 for another process.
func (f *modFile) kind() int {
	return slices.IndexFunc(substMods, func(s substMod) bool { return s.name == f.values["SUBST_MOD"] })
}

func substNames() string {
	var names []string
	for _, s := range substMods {
		names = append(names, s.name)
	}
	return strings.Join(names, ", ")
}

// modNumbers reads a number for each base.
func modNumbers(line string) (x [bases]float64, err error) {
	fields := strings.Fields(line)
	if len(fields) != bases {
		return x, fmt.Errorf("%d numbers, want %d", len(fields), bases)
	}
	for i, f := range fields {
		if x[i], err = strconv.ParseFloat(f, 64); err != nil || math.IsNaN(x[i]) || math.Abs(x[i]) > mostModNumber {
			return x, fmt.Errorf("%s, want a number", text.Quote(f))
		}
	}
	return x, nil
}

// model returns the model that the file describes.
func (f *modFile) model() (*Columns, error) {
	if err := f.checkProcess(); err != nil {
		return nil, err
	}
	kind := f.kind()
	pi, err := modNumbers(f.values["BACKGROUND"])
	if err != nil {
		return nil, nested.Errorf("BACKGROUND: %w", err)
	}
	sum := floats.Sum(pi[:])
	if slices.Min(pi[:]) < 0 || math.Abs(sum-1) > modTolerance {
		return nil, fmt.Errorf("BACKGROUND %v, want numbers ≥ 0 that sum to 1", pi)
	}
	floats.Scale(1/sum, pi[:])
	process := Reversible{Exchange: substMods[kind].exchange, Frequencies: pi}
	tree, err := ParseTree(f.values["TREE"])
	if err != nil {
		return nil, err
	}
	longest := 1.0
	for _, n := range tree.Nodes {
		if n.Length > longest {
			longest = n.Length
		}
	}
	s, scale, err := f.exchangeabilities(pi, process, longest)
	if err != nil {
		return nil, err
	}
	if substMods[kind].closed || !changes(pi) {
		scale = 1
	}
	shape := 0.0
	if process.RateClasses, shape, err = f.classes(); err != nil {
		return nil, err
	}
	m, err := NewColumns(tree, process)
	if err != nil {
		return nil, err
	}
	k := m.kernel.(reversibleKernel)
	copy(k.exchange.In(m.Theta), s)
	for v, t := range k.length.In(m.Theta) {
		switch length := tree.Nodes[v].Length; {
		case math.IsNaN(length):
			return nil, fmt.Errorf("the branch to %s has no length", tree.name(v))
		case length*scale > 0:
			t = length * scale
		default:
			t = leastLength
		}
		k.length.In(m.Theta)[v] = t
	}
	if k.shape != nil {
		k.shape.In(m.Theta)[0] = shape
	}
	if _, _, err := k.rates(m.Theta); err != nil {
		return nil, err
	}
	return m, m.Params.Check(m.Theta)
}

// changes reports whether more than one base has a frequency above 0.
func changes(pi [bases]float64) bool {
	n := 0
	for _, x := range pi {
		if x > 0 {
			n++
		}
	}
	return n > 1
}

// exchangeabilities returns the exchangeabilities of the matrix by class, with sum 1, and its
// expected substitutions per unit of time. Classes between bases of frequency 0 are not determined
// by the matrix; they have the same ratio to the others as at the start of training.
// Exchangeabilities of 0 are replaced by values too small to matter on the longest branch.
func (f *modFile) exchangeabilities(pi [bases]float64, process Reversible, longest float64) (s []float64, scale float64, err error) {
	for i := range bases {
		for j := range bases {
			if i != j {
				if f.q[i][j] < 0 {
					return nil, 0, fmt.Errorf("the rate from %c to %c is %g, want a number ≥ 0", msa.Bases[i], msa.Bases[j], f.q[i][j])
				}
				scale += pi[i] * f.q[i][j]
			}
		}
	}
	start, err := process.start()
	if err != nil {
		return nil, 0, err
	}
	if !changes(pi) {
		return start, scale, nil
	}
	if !(scale > 0) {
		return nil, 0, errors.New("the matrix has no rates")
	}
	s = make([]float64, len(start))
	members := make([]float64, len(s))
	lost := slices.Clone(s) // like s, for rates from a base of frequency 0
	lostMembers := slices.Clone(s)
	for i := range bases {
		for j := range i {
			there, back := pi[i]*f.q[i][j], pi[j]*f.q[j][i]
			if math.Abs(there-back) > modTolerance*scale {
				return nil, 0, fmt.Errorf("the process is not reversible: %g from %c to %c, %g back", there, msa.Bases[i], msa.Bases[j], back)
			}
			c := process.Exchange[exchange[i][j]]
			s[c] += (there + back) / 2 // the best estimate of the rounded value
			members[c] += pi[i] * pi[j]
			if pi[i] == 0 || pi[j] == 0 {
				lost[c] += f.q[i][j] + f.q[j][i]
				lostMembers[c] += pi[i] + pi[j]
			}
		}
	}
	known, knownStart := 0.0, 0.0
	for c := range s {
		if members[c] == 0 {
			s[c], members[c] = lost[c], lostMembers[c]
		}
		if members[c] > 0 {
			s[c] /= members[c]
			known, knownStart = known+s[c], knownStart+start[c]
		}
	}
	for c := range s {
		if members[c] == 0 { // between two bases of frequency 0
			s[c] = start[c] * known / knownStart
		}
	}
	floats.Scale(1/floats.Sum(s), s)
	for i := range s {
		if s[i] == 0 {
			s[i] = max(leastExchange/longest/max(1, scale), leastPositive)
		}
	}
	floats.Scale(1/floats.Sum(s), s)
	return s, scale, nil
}

// classes returns the number of rate classes and the shape of their distribution.
func (f *modFile) classes() (n int, shape float64, err error) {
	count, ok := f.values["NRATECATS"]
	alpha, varied := f.values["ALPHA"]
	if !ok {
		if varied {
			return 0, 0, errors.New("ALPHA without NRATECATS")
		}
		return 1, 0, nil
	}
	if n, err = strconv.Atoi(count); err != nil || n < 1 || n > mostModClasses {
		return 0, 0, fmt.Errorf("NRATECATS %s, want a number from 1 to %d", text.Quote(count), mostModClasses)
	}
	if n == 1 {
		return 1, 0, nil
	}
	if shape, err = strconv.ParseFloat(alpha, 64); err != nil || !(shape >= leastShape && shape <= greatestShape) {
		return 0, 0, fmt.Errorf("ALPHA %s, want a number from %g to %g", text.Quote(alpha), leastShape, float64(greatestShape))
	}
	return n, shape, nil
}
