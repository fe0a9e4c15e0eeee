package fstio

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf8"
)

// magicSize is the number of bytes that identify the kind of binary data.
const magicSize = 4

// binaryKind describes binary data by their first bytes. It returns "" if it does not recognize
// them.
func binaryKind(head []byte) string {
	if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		return "data compressed by gzip: the name of such a file must end in .gz, and a reader needs a gzip.Reader"
	}
	if len(head) < magicSize {
		return ""
	}
	switch binary.LittleEndian.Uint32(head) {
	case machineMagic:
		return "a machine in OpenFst's binary form: see ReadBinary"
	case symbolsMagic:
		return "a table of symbols in OpenFst's binary form: see ReadBinarySymbols"
	case tableMagic, listMagic:
		return "an archive of machines: see ReadArchive"
	}
	return ""
}

// marked reports whether a text that begins with head would be taken for binary data or lose a byte
// order mark.
func marked(head string) bool {
	return binaryKind([]byte(head)) != "" || strings.HasPrefix(head, "\ufeff")
}

// kind returns the end of an error message for data that lack the magic number want.
func kind(head []byte, want string) string {
	switch known := binaryKind(head); {
	case known != "":
		return ", but " + known
	case len(head) == 0:
		return ": it is empty"
	case isText(head):
		return ", but a text: see ReadText for machines, and ReadSymbols for tables of symbols"
	case len(head) < magicSize:
		return fmt.Sprintf(": it has %d bytes", len(head))
	}
	return fmt.Sprintf(": it begins with %d, want %s", int32(binary.LittleEndian.Uint32(head)), want)
}

// isText reports whether data begin like a text: with characters, of which the last may be
// incomplete, and without control characters except tabs and line ends.
func isText(head []byte) bool {
	for len(head) > 0 {
		r, size := utf8.DecodeRune(head)
		switch {
		case r == utf8.RuneError && size == 1:
			return !utf8.FullRune(head)
		case r < ' ' && r != '\t' && r != '\n' && r != '\r':
			return false
		}
		head = head[size:]
	}
	return true
}
