package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"

	plain "example.org/pathsum/internal/text"
)

// savedFormat names the form of a saved key.
const savedFormat = "pathsum decipher 1"

// saved is a key as a JSON object. Plain[i] is what Cipher[i] stands for.
type saved struct{ Format, Cipher, Plain string }

// save writes the key, for load.
func (s *solver) save(w io.Writer) error {
	x := saved{Format: savedFormat}
	for c := int32(1); c <= letters; c++ {
		x.Cipher += text([]int32{c})
		x.Plain += text([]int32{s.key[c]})
	}
	return json.NewEncoder(w).Encode(x)
}

// load returns a solver with a key that save wrote.
func load(r io.Reader) (*solver, error) {
	k, err := loadKey(r)
	return &solver{solution: solution{key: k}}, err
}

// loadKey reads the key. Each letter must be there once on either side.
func loadKey(r io.Reader) (*key, error) {
	var s saved
	if err := json.NewDecoder(r).Decode(&s); err != nil {
		return nil, fmt.Errorf("no saved key: %w", err)
	}
	if s.Format != savedFormat {
		return nil, fmt.Errorf("format %s, want %q", plain.Quote(s.Format), savedFormat)
	}
	cipher, plain := dropSpaces.paragraph(s.Cipher), dropSpaces.paragraph(s.Plain)
	if len(cipher) != letters || len(plain) != letters {
		return nil, fmt.Errorf("a key of %d and %d letters, want %d", len(cipher), len(plain), letters)
	}
	k := &key{space: space}
	var taken key
	for i, c := range cipher {
		if k[c] != 0 || taken[plain[i]] != 0 {
			return nil, fmt.Errorf("the key has %s or %s twice", text([]int32{c}), text([]int32{plain[i]}))
		}
		k[c], taken[plain[i]] = plain[i], c
	}
	return k, nil
}

// line deciphers a line. Capitals remain capitals, and what is no letter of a to z stays as it
// is.
func (k *key) line(s string) string {
	return strings.Map(func(c rune) rune {
		small := unicode.ToLower(c)
		if small < 'a' || small > 'z' {
			return c
		}
		return 'a' + k[1+small-'a'] - 1 + c - small
	}, s)
}
