package fstio_test

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// packed returns values as binary data: numbers, texts after their lengths, and data
// as they are.
func packed(values ...any) []byte {
	var b bytes.Buffer
	for _, v := range values {
		if text, ok := v.(string); ok {
			v = append(binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text...)
		}
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
	return b.Bytes()
}

var errBroken = errors.New("broken")

// broken is a writer that fails.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }
