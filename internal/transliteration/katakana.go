package transliteration

import (
	"strings"
	"unicode/utf8"
)

// morae maps katakana one to one to letters: consonants and a vowel, or a separate letter. A
// consonant of a European word is a single letter for every following vowel, unlike in
// katakana.
var morae, katakana = func() (letters map[string][]string, kana map[string]string) {
	letters, kana = map[string][]string{}, map[string]string{}
	add := func(mora string, names ...string) {
		letters[mora] = names
		kana[strings.Join(names, " ")] = mora
	}
	row := func(consonants, morae string) {
		for i, m := range strings.Fields(morae) {
			if m != "_" {
				add(m, append(strings.Fields(consonants), "aiueo"[i:i+1])...)
			}
		}
	}
	row("", "ア イ ウ エ オ")
	row("k", "カ キ ク ケ コ")
	row("k w", "クァ クィ _ クェ クォ")
	row("g", "ガ ギ グ ゲ ゴ")
	row("g w", "グァ グィ _ グェ グォ")
	row("s", "サ _ ス セ ソ")
	row("sh", "シャ シ シュ シェ ショ")
	row("z", "ザ _ ズ ゼ ゾ")
	row("j", "ジャ ジ ジュ ジェ ジョ")
	row("t", "タ ティ トゥ テ ト")
	row("ch", "チャ チ チュ チェ チョ")
	row("ts", "ツァ ツィ ツ ツェ ツォ")
	row("d", "ダ ディ ドゥ デ ド")
	row("n", "ナ ニ ヌ ネ ノ")
	row("h", "ハ ヒ _ ヘ ホ")
	row("f", "ファ フィ フ フェ フォ")
	row("b", "バ ビ ブ ベ ボ")
	row("p", "パ ピ プ ペ ポ")
	row("m", "マ ミ ム メ モ")
	row("y", "ヤ _ ユ イェ ヨ")
	row("r", "ラ リ ル レ ロ")
	row("w", "ワ ウィ _ ウェ ウォ")
	row("v", "ヴァ ヴィ ヴ ヴェ ヴォ")
	for consonant, k := range map[string]string{
		"k": "キ", "g": "ギ", "t": "テ", "d": "デ", "n": "ニ", "h": "ヒ", "f": "フ",
		"b": "ビ", "p": "ピ", "m": "ミ", "r": "リ", "v": "ヴ",
	} {
		e := k + "ェ"
		if k == "フ" || k == "ヴ" {
			e = "_" // already added
		}
		row(consonant+" y", k+"ャ _ "+k+"ュ "+e+" "+k+"ョ")
	}
	add("ン", "n'")
	add("ッ", "q")
	add("ー", "-")
	return letters, kana
}()

// Spell returns katakana, one per string, as letters. A character that does not begin a mora is
// a letter; an ASCII character has a backslash before it, to distinguish it from consonants and
// vowels.
func Spell(kana []string) []string {
	var letters []string
	for i := 0; i < len(kana); i++ {
		if i+1 < len(kana) {
			if m, ok := morae[kana[i]+kana[i+1]]; ok {
				letters = append(letters, m...)
				i++
				continue
			}
		}
		switch m, ok := morae[kana[i]]; {
		case ok:
			letters = append(letters, m...)
		case kana[i] != "" && kana[i][0] < utf8.RuneSelf:
			letters = append(letters, `\`+kana[i])
		default:
			letters = append(letters, kana[i])
		}
	}
	return letters
}

// Read returns the katakana that letters spell. It returns false if the letters do not spell
// katakana, for example if a consonant has no vowel. No mora is a prefix of another.
func Read(letters []string) (string, bool) {
	var kana strings.Builder
next:
	for i := 0; i < len(letters); {
		for n := min(3, len(letters)-i); n > 0; n-- {
			if m, ok := katakana[strings.Join(letters[i:i+n], " ")]; ok {
				kana.WriteString(m)
				i += n
				continue next
			}
		}
		own, escaped := strings.CutPrefix(letters[i], `\`)
		if own == "" || !escaped && own[0] < utf8.RuneSelf {
			return "", false // a consonant without its vowel
		}
		kana.WriteString(own)
		i++
	}
	return kana.String(), true
}
