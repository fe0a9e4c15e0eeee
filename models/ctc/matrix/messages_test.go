package matrix

import (
	"fmt"
	"strings"
	"testing"

	"example.org/pathsum/internal/mistakes"
)

// TestMessages: errors for files that do not contain a matrix.
func TestMessages(t *testing.T) {
	const f8 = "'descr': '<f8', 'fortran_order': False"
	eight := make([]byte, 8)
	var all mistakes.List
	for _, s := range []string{
		"", "\n\n", "# nothing\n",
		"1;2\n3\n", "1;2\n3;4;5\n", "1;2\n3;4x\n", "a;b\n1;2\n", "1;;2\n", ";1\n", "1;2\n3,4\n", "0,5;0,25\n", "1 2;3\n", "1;2 3\n",
		"1;2\n\n3;4\n", "1;1e999\n", "1;2\n3;\xe9\n", strings.Repeat("1", maxNumber+1),
		"[]", "[[]]", "[[1, 2], [3]]", "[[1, 2], 3]", "[1, 2]", "[[1, 2]", "[[1, null]]", "[[1, 2]] [[3, 4]]", "[[[1, 2]]]", `[["1"]]`, "[[1,]]", "[[1 2]]",
		"\x93NUMPY\x04\x00\x00\x00",
		npy(2, strings.Repeat(" ", 1<<17), nil),
		npy(1, "{}", nil),
		npy(1, "{"+f8+", 'shape': 7}", eight),
		npy(1, "{"+f8+", 'shape': (1, -1)}", eight),
		npy(1, "{"+f8+", 'shape': (1, 1) 'x'}", eight),
		npy(1, "{"+f8+", 'shape': (1, 1), 'x': 1}", eight),
		npy(1, "{"+f8+", 'shape': (1, 1)} and more", eight),
		npy(1, "{"+f8+", 'shape': (2, 3, 4)}", eight),
		npy(1, "{"+f8+", 'shape': (3,)}", eight),
		npy(1, "{"+f8+", 'shape': ()}", eight),
		npy(1, "{"+f8+", 'shape': (0, 4)}", nil),
		npy(1, "{"+f8+", 'shape': (4000000000000000000, 4000000000000000000)}", eight),
		npy(1, "{"+f8+", 'shape': (1, 2)}", eight),
		npy(1, "{"+f8+", 'shape': (1, 1)}", append(eight, 0)),
		npy(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (1, 1)}", eight),
		npy(1, "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1, 1)}", eight),
		npy(1, "{'descr': '<f8', 'fortran_order': 0, 'shape': (1, 1)}", eight),
		npy(1, "{'descr: '<f8'}", eight),
		npy(1, "{\xff}", eight),
	} {
		name := fmt.Sprintf("%.110q", s)
		all.Add(name, ErrFormat, func() error { _, err := Read(strings.NewReader(s), "dir/line"); return err })
	}
	all.Add("ReadNPY of a text", ErrFormat, func() error { _, err := ReadNPY(strings.NewReader("1;2;3;4;5\n"), "line.npy"); return err })
	all.Add("ReadJSON of an object", ErrFormat, func() error { _, err := ReadJSON(strings.NewReader("{\"logits\": [[1]]}"), "line.json"); return err })
	mistakes.Check(t, all)
}
