package merge_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"example.org/pathsum/em/cascade"
	"example.org/pathsum/em/merge"
	"example.org/pathsum/fst"
)

// The names of Japanese towns, letter by letter: which letters may follow which? The tree of all
// names has 364 states. After merging, the states are positions in a syllable, learnt from the
// letters alone: before a syllable (0), between a consonant and its vowel (1), after s or z (2),
// and so on.
func Example() {
	ctx := context.Background()
	towns := strings.Fields(`akita aomori asahikawa chiba fukui fukuoka fukuyama gifu hachinohe hakodate
		hamamatsu himeji hirosaki hiroshima iwaki kagoshima kamakura kanazawa kawagoe kitakami kobe kochi kofu
		koriyama kumamoto kurashiki kyoto maebashi matsue matsumoto matsuyama mito miyazaki morioka nagano nagasaki
		nagoya naha nara niigata nikko odawara oita okayama okazaki osaka otaru otsu saga sakata sapporo sasebo
		sendai shimonoseki shizuoka takamatsu takasaki tokushima tokyo tottori toyama toyohashi toyota tsu uji
		utsunomiya wakayama yamagata yamaguchi yokohama yokosuka yonago`)
	letters := fst.NewSymbols()
	var strs [][]int32
	var data []cascade.Example
	for _, town := range towns {
		var s []int32
		for _, c := range town {
			s = append(s, letters.Add(string(c)))
		}
		strs = append(strs, s)
		data = append(data, cascade.Example{X: cascade.Labels(s...)})
	}
	tree, err := merge.Tree(strs)
	if err != nil {
		log.Fatal(err)
	}
	setting := merge.SingleStage(cascade.Data{Examples: data})
	result, err := merge.Run(ctx, tree, setting, &merge.Options{Moves: merge.Fold})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d states became %d\n", tree.NumStates(), result.Counts.NumStates())
	for s := range int32(result.Counts.NumStates()) {
		to := map[int32]string{}
		for _, a := range result.Counts.AppendArcs(nil, s) {
			name, _ := letters.Name(a.In)
			to[a.To] += name
		}
		for next := range int32(result.Counts.NumStates()) {
			if to[next] != "" {
				fmt.Printf("  %d -> %d: %s\n", s, next, to[next])
			}
		}
	}
	// Output:
	// 364 states became 9
	//   0 -> 0: akitoug
	//   0 -> 1: mrhwbynd
	//   0 -> 2: sz
	//   0 -> 3: c
	//   0 -> 5: f
	//   0 -> 6: e
	//   0 -> 7: j
	//   0 -> 8: p
	//   1 -> 0: aio
	//   1 -> 6: ue
	//   1 -> 8: d
	//   2 -> 0: aue
	//   2 -> 4: h
	//   3 -> 4: h
	//   4 -> 0: i
	//   5 -> 6: u
	//   6 -> 1: b
	//   6 -> 2: k
	//   6 -> 7: j
	//   7 -> 6: i
	//   8 -> 1: p
	//   8 -> 7: a
}
