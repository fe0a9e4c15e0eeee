package bayes

import (
	"encoding/json"
	"io"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
)

const format = "pathsum bayes 1"

// saved is the text of a network, JSON.
type saved struct {
	Format    string     `json:"format"`
	Variables []Variable `json:"variables"`
	Families  []Family   `json:"families"`
}

// Save writes the network as a JSON object that Load reads; every number comes back to
// the last bit. Unlike BIF it holds continuous variables, too.
func (n *Network) Save(w io.Writer) error {
	if err := json.NewEncoder(w).Encode(saved{format, n.variables, n.families}); err != nil {
		return nested.Errorf("bayes: %w", err)
	}
	return nil
}

// Load reads a network that Save wrote. Time and memory are in proportion to the text;
// a family without its numbers is refused. The error wraps ErrFormat for a text
// that is no such object, and the error of New besides for one that is no network.
func Load(r io.Reader) (*Network, error) {
	var s saved
	if err := json.NewDecoder(r).Decode(&s); err != nil {
		return nil, nested.Errorf("bayes: %w: %w", ErrFormat, err)
	}
	if s.Format != format {
		return nil, nested.Errorf("bayes: %w: format %s, want %q", ErrFormat, text.Quote(s.Format), format)
	}
	for i, f := range s.Families {
		if len(f.Table)+len(f.Normals) == 0 {
			return nil, nested.Errorf("bayes: %w: family %d has no numbers", ErrFormat, i)
		}
	}
	n, err := New(s.Variables, s.Families)
	if err != nil {
		return nil, nested.Errorf("bayes: %w: %w", ErrFormat, err)
	}
	return n, nil
}
