package synchronous

import (
	"encoding/json"
	"fmt"
	"io"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
)

// ErrFormat is wrapped by errors about a file that is not a grammar.
var ErrFormat = nested.ErrFormat

const format = "pathsum synchronous grammar 1"

// savedGrammar is the JSON form of a grammar.
type savedGrammar struct {
	Format string      `json:"format"`
	Start  string      `json:"start"`
	Law    em.SavedLaw `json:"law"`
	Rules  []savedRule `json:"rules"`
}

// savedRule is a rule with its probability.
type savedRule struct {
	Left   string   `json:"left"`
	Source []string `json:"source,omitempty"`
	Target []string `json:"target,omitempty"`
	Order  []int    `json:"order,omitempty"`
	Weight float64  `json:"weight"`
}

// Save writes the rules, with their probabilities at Theta, as a JSON object that Load reads; Load
// restores every number exactly. Other parameters in Params are not written. A law of another
// package must have been registered with em.RegisterLaw. The error wraps em.ErrParameter for an
// invalid Theta, or comes from w.
func (g *Grammar) Save(w io.Writer) error {
	if err := g.Params.Check(g.Theta); err != nil {
		return nested.Errorf("synchronous: save: %w", err)
	}
	s := savedGrammar{Format: format, Start: g.start, Law: em.SavedLaw{Law: g.law}}
	for _, r := range g.Rules() {
		s.Rules = append(s.Rules, savedRule(r))
	}
	if err := json.NewEncoder(w).Encode(s); err != nil {
		return nested.Errorf("synchronous: save: %w", err)
	}
	return nil
}

// Load reads a grammar that Save has written. The error wraps ErrFormat. Time and memory are
// proportional to the text.
func Load(r io.Reader) (*Grammar, error) {
	var s savedGrammar
	if err := json.NewDecoder(r).Decode(&s); err != nil {
		return nil, nested.Errorf("synchronous: %w: %w", ErrFormat, err)
	}
	g, err := s.grammar()
	if err != nil {
		return nil, nested.Errorf("synchronous: %w: %w", ErrFormat, err)
	}
	return g, nil
}

// grammar returns the grammar, or an error if s is invalid.
func (s *savedGrammar) grammar() (*Grammar, error) {
	switch {
	case s.Format != format:
		return nil, fmt.Errorf("format %s, want %q", text.Quote(s.Format), format)
	case s.Law.Law == nil:
		return nil, fmt.Errorf("the law is missing")
	}
	rules := make([]Rule, len(s.Rules))
	for i, r := range s.Rules {
		rules[i] = Rule(r)
	}
	g, err := New(s.Start, rules, s.Law.Law)
	if err != nil {
		return nil, err
	}
	for i, r := range s.Rules {
		g.Theta[g.index[i]] = r.Weight
	}
	return g, g.Params.Check(g.Theta)
}
