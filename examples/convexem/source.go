package main

import (
	"embed"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"example.org/pathsum/internal/text"
	"example.org/pathsum/models/bayes"
)

//go:embed networks
var networks embed.FS

// source is where the rows of an experiment come from.
type source struct {
	name    string
	hidden  []string // the variables hidden by default
	skipped int      // rows left out
	rows    int      // of a table, which has no more to draw; 0: of a network, which has any number
	draw    func(rng *rand.Rand, train, test int) (*sample, error)
}

// tested returns how many rows a draw has for the test.
func (s *source) tested(train, test int) int {
	if s.rows == 0 {
		return test
	}
	return min(test, s.rows-train)
}

// sample is the data of one repeat: rows without missing cells, and a network of the
// structure that is known, the tables of which are uniform.
type sample struct {
	structure   *bayes.Network
	train, test []bayes.Row
}

// isFile reports whether a name is that of a file, and not of a network that comes with the
// program or may have been meant.
func isFile(name string) bool {
	if slices.Contains(embeddedNames(), name) {
		return false
	}
	_, err := os.Stat(name)
	return err == nil || strings.ContainsAny(name, "./")
}

// open returns the source called name, or that of a file.
func open(name string) (*source, error) {
	plain := strings.TrimSuffix(name, ".gz")
	switch {
	case slices.Contains(embeddedNames(), name):
		return known(name, embedded)
	case strings.HasSuffix(plain, ".bif"):
		return known(name, readBIF)
	case strings.HasSuffix(plain, ".csv"):
		return tabular(name)
	}
	return nil, fmt.Errorf("-network %s: want %s, or a file that ends in .bif or .csv, or .gz", name, strings.Join(embeddedNames(), ", "))
}

// embeddedNames returns the names of the networks that come with the program.
func embeddedNames() []string {
	files, err := networks.ReadDir("networks")
	if err != nil {
		panic("convexem: " + err.Error())
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".bif"))
	}
	return names
}

// embedded returns a network that comes with the program.
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

// known returns the source of rows sampled from a network, in which G and H are hidden if
// it has these, otherwise the variable with the most neighbours.
func known(name string, read func(name string) (*bayes.Network, error)) (*source, error) {
	n, err := read(name)
	if err != nil {
		return nil, err
	}
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
	return &source{name: name, hidden: hidden, draw: func(rng *rand.Rand, train, test int) (*sample, error) {
		return sampled(n, rng, train, test)
	}}, nil
}

// sampled returns rows from n.
func sampled(n *bayes.Network, rng *rand.Rand, train, test int) (*sample, error) {
	families := n.Families()
	for i := range families {
		families[i].Table = nil
	}
	structure, err := bayes.New(n.Variables(), families)
	if err != nil {
		return nil, err
	}
	s := &sample{structure: structure}
	for range train {
		s.train = append(s.train, n.Sample(rng))
	}
	for range test {
		s.test = append(s.test, n.Sample(rng))
	}
	return s, nil
}

// choose returns the numbers of the hidden variables.
func (s *source) choose(n *bayes.Network, names string) ([]int, error) {
	chosen := s.hidden
	if names != "" {
		chosen = strings.Split(names, ",")
	}
	var hidden []int
	for _, name := range chosen {
		v := n.Variable(strings.TrimSpace(name))
		if v < 0 {
			return nil, fmt.Errorf("-hidden %s: %s has no such variable", name, s.name)
		}
		hidden = append(hidden, v)
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
