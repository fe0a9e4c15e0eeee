package align

// vocabulary numbers the words of one language 0, 1, 2, … in the order in which they
// came.
type vocabulary struct {
	words []string
	ids   map[string]int32
}

func newVocabulary() *vocabulary { return &vocabulary{ids: map[string]int32{}} }

// add returns the number of a word, which may be new.
func (v *vocabulary) add(word string) int32 {
	id, ok := v.ids[word]
	if !ok {
		id = int32(len(v.words))
		v.words = append(v.words, word)
		v.ids[word] = id
	}
	return id
}

// find returns the number of a word, −1 if it is unknown.
func (v *vocabulary) find(word string) int32 {
	if id, ok := v.ids[word]; ok {
		return id
	}
	return unknown
}

// unknown is the number of a word that is not in a vocabulary, and of a pair of words
// that is not in a lexicon.
const unknown = -1
