package semiring

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// Capabilities, keys and texts of weights that are made of weights.

// joinBase sets *target to the capability made of that of a base.
func joinBase[CW, C, W any](base Semiring[W], target *C, wrap func(CW) C) bool {
	c, ok := As[CW](base)
	if ok {
		*target = wrap(c)
	}
	return ok
}

// appendPart appends the key of a part, then its length, by which keys of
// several parts can be taken apart from the end and so are distinct.
func appendPart[W any](dst []byte, keyer Keyer[W], w W, delta float64) []byte {
	start := len(dst)
	dst = keyer.AppendKey(dst, w, delta)
	return binary.BigEndian.AppendUint32(dst, uint32(len(dst)-start))
}

// formatList returns the parts between brackets, separated by commas.
func formatList(open byte, parts []string, end byte) string {
	return string(open) + strings.Join(parts, ",") + string(end)
}

// cutList undoes formatList: commas inside inner brackets do not separate.
func cutList(s string, open, end byte) ([]string, error) {
	if len(s) < 2 || s[0] != open || s[len(s)-1] != end {
		return nil, fmt.Errorf("semiring: %q is not of the form %c…%c", s, open, end)
	}
	s = s[1 : len(s)-1]
	if s == "" {
		return nil, nil
	}
	var parts []string
	start, depth := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, s[start:i])
				start = i + 1
			}
		}
	}
	return append(parts, s[start:]), nil
}
