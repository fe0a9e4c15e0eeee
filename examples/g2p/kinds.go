package main

import (
	"fmt"
	"strings"

	"example.org/pathsum/models/pairgram"
)

// kind is a kind of model: sizes of chunks, and directions to read in.
type kind struct {
	sizes      []pairgram.Size
	directions []string
}

const (
	forward  = "forward"
	backward = "backward"
)

// directions are the directions that -direction stands for.
var directions = map[string][]string{forward: {forward}, backward: {backward}, "both": {forward, backward}}

// parseKinds returns the kinds of models of a list such as 10,01,11:both+10,11,12,21.
func parseKinds(list, direction string) ([]kind, error) {
	var all []kind
	for _, part := range strings.Split(list, "+") {
		sizes, own, found := strings.Cut(part, ":")
		if !found {
			own = direction
		}
		k := kind{directions: directions[own]}
		if k.directions == nil {
			return nil, fmt.Errorf("-chunks %s: %q is no direction, want forward, backward or both", list, own)
		}
		for _, s := range strings.Split(sizes, ",") {
			if len(s) != 2 || s[0] < '0' || s[0] > '9' || s[1] < '0' || s[1] > '9' {
				return nil, fmt.Errorf("-chunks %s: %q is no size, want two digits", list, s)
			}
			k.sizes = append(k.sizes, pairgram.Size{Source: int(s[0] - '0'), Target: int(s[1] - '0')})
		}
		all = append(all, k)
	}
	return all, nil
}
