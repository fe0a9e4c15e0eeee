package hidden

import (
	"embed"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/models/bayes"
)

//go:embed networks
var networks embed.FS

// Source is a source of rows.
type Source struct {
	Name    string
	Hidden  []string // the variables hidden by default
	Skipped int      // rows left out
	Columns []string // of a table of naive Bayes; nil: the columns of the network
	unseen  []string // the variables that are missing in all rows
	rows    int      // of a table, whose rows are limited; 0 for a network, which has no limit
	draw    func(rng *rand.Rand, train, test int) (*Sample, error)
}

// Tested returns the number of test rows of a draw.
func (s *Source) Tested(train, test int) int {
	if s.rows == 0 {
		return test
	}
	return min(test, s.rows-train)
}

// Sample has the data of one trial: rows, and a network with the known structure and uniform
// tables.
type Sample struct {
	Structure   *bayes.Network
	Train, Test []bayes.Row
	Labelled    bool // rows have the values of hidden variables, too
}

// IsFile reports whether a name denotes a file instead of a network of the package, possibly
// misspelt.
func IsFile(name string) bool {
	if slices.Contains(embeddedNames(), name) {
		return false
	}
	_, err := os.Stat(name)
	return err == nil || strings.ContainsAny(name, "./")
}

// Open returns the source of rows. These are drawn from a network of the package or of a .bif
// file, or taken from a .csv file of naive Bayes. If rows names a file, they are taken from
// there for the network. r skips bad rows of a file.
func Open(r *program.Run, network, rows string) (*Source, error) {
	plain := strings.TrimSuffix(network, ".gz")
	var read func(string) (*bayes.Network, error)
	switch {
	case slices.Contains(embeddedNames(), network):
		read = embedded
	case strings.HasSuffix(plain, ".bif"):
		read = readBIF
	case rows == "" && strings.HasSuffix(plain, ".csv"):
		return tabular(r, network)
	default:
		ends := ".bif or .csv"
		if rows != "" {
			ends = ".bif" // a network for which rows are given
		}
		return nil, fmt.Errorf("-network %s: want %s, or a file that ends in %s, or .gz", network, strings.Join(embeddedNames(), ", "), ends)
	}
	n, err := read(network)
	if err != nil {
		return nil, err
	}
	if rows != "" {
		return observed(r, n, network, rows)
	}
	return &Source{Name: network, Hidden: central(n), draw: func(rng *rand.Rand, train, test int) (*Sample, error) {
		return sampled(n, rng, train, test)
	}}, nil
}

// embeddedNames returns the names of the networks of the package.
func embeddedNames() []string {
	files, err := networks.ReadDir("networks")
	if err != nil {
		panic("hidden: " + err.Error())
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".bif"))
	}
	return names
}

// embedded returns a network of the package.
func embedded(name string) (*bayes.Network, error) {
	f, err := networks.Open("networks/" + name + ".bif")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return bayes.ReadBIF(f, name)
}

// readBIF reads the network of a file.
func readBIF(name string) (*bayes.Network, error) {
	r, err := text.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return bayes.ReadBIF(r, name)
}

// central returns the variables of a network that are hidden by default: G and H if it has
// these, otherwise the variable with the most neighbours.
func central(n *bayes.Network) []string {
	neighbours := make([]map[int]bool, n.Len())
	for v := range neighbours {
		neighbours[v] = make(map[int]bool)
	}
	for v := range neighbours {
		for _, p := range n.Family(v).Parents {
			neighbours[v][p], neighbours[p][v] = true, true
		}
	}
	best := 0
	for v := range neighbours {
		if len(neighbours[v]) > len(neighbours[best]) {
			best = v
		}
	}
	hidden := slices.DeleteFunc([]string{"G", "H"}, func(name string) bool { return n.Variable(name) < 0 })
	if len(hidden) == 0 {
		hidden = []string{n.Variables()[best].Name}
	}
	return hidden
}

// sampled returns rows from n.
func sampled(n *bayes.Network, rng *rand.Rand, train, test int) (*Sample, error) {
	structure, err := uniform(n)
	if err != nil {
		return nil, err
	}
	s := &Sample{Structure: structure, Labelled: true}
	for range train {
		s.Train = append(s.Train, n.Sample(rng))
	}
	for range test {
		s.Test = append(s.Test, n.Sample(rng))
	}
	return s, nil
}

// uniform returns the network of the same structure with uniform tables.
func uniform(n *bayes.Network) (*bayes.Network, error) {
	families := n.Families()
	for i := range families {
		families[i].Table = nil
	}
	return bayes.New(n.Variables(), families)
}

// Ordered returns a network of the source with its variables in the order of the table, and the
// new index of each variable.
func (s *Source) Ordered(n *bayes.Network) (*bayes.Network, []int, error) {
	to := make([]int, n.Len())
	variables := make([]bayes.Variable, n.Len())
	for v, x := range n.Variables() {
		if to[v] = v; s.Columns != nil {
			to[v] = slices.Index(s.Columns, x.Name)
		}
		variables[to[v]] = x
	}
	families := n.Families()
	for i, f := range families {
		moved := func(old []int) (all []int) {
			for _, v := range old {
				all = append(all, to[v])
			}
			return all
		}
		families[i].Children, families[i].Parents = moved(f.Children), moved(f.Parents)
	}
	ordered, err := bayes.New(variables, families)
	return ordered, to, err
}

// choose returns the indices of the hidden variables: the named ones, and those that are
// missing in all rows.
func (s *Source) choose(n *bayes.Network, names string) ([]int, error) {
	chosen := s.Hidden
	if names != "" {
		chosen = strings.Split(names, ",")
	}
	var hidden []int
	for _, name := range chosen {
		v := n.Variable(strings.TrimSpace(name))
		if v < 0 {
			return nil, fmt.Errorf("-hidden %s: %s has no such variable", name, s.Name)
		}
		hidden = append(hidden, v)
	}
	for _, name := range s.unseen {
		hidden = append(hidden, n.Variable(name))
	}
	slices.Sort(hidden)
	return slices.Compact(hidden), nil
}

// names returns the names of variables.
func names(n *bayes.Network, variables []int) string {
	var all []string
	for _, v := range variables {
		all = append(all, n.Variables()[v].Name)
	}
	return strings.Join(all, ",")
}
