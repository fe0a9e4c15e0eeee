// Privacy fits a linear regression to statistics that people release under local
// differential privacy (package moments/privacy), and says how much the fit loses for
// how much privacy.
//
// Least squares need nothing but mean products: of features with each other and of each
// feature with the target. Everybody clips his values to declared ranges, randomizes his
// products, and releases one record. Three mechanisms of the paper compete, each as
// published and with all of ε spent (tight). Coordinate release gives one bit for one
// product. Three-entry release gives one bit for a product with the target, or one for each
// of the three products of two features. Per-value response gives one for every product. Of
// products and their noise, whose covariance is known, the weights are the expectation:
// products are pulled towards what is expected without data, and so are weights.
//
// Products of two features are many, and most say nothing that is needed. The rival, called
// gradients, does without them. People are asked in rounds; each is told the weights so far
// and asked for the products of his features and his residual. For small ε he gives a bit
// for each of a few, clipped; for large ε he says, by randomized response, which is the
// largest, and its sign. What tells more is known before. The weights move as by a Kalman
// filter. gradients-once has a single round, in which all weights are 0 and nobody waits for
// others.
//
//	go run ./examples/privacy
//	go run ./examples/privacy -data housing.csv.gz -mechanism gradients -plot r2.svg
//
// Without -data the people are simulated. In each trial, four fifths of the rows release
// records and the others are predicted. Printed is R², 1 − Σ(ŷ−y)²/Σ(y−ȳ)²; the JSON
// object also has r2_uncentred, the same with ȳ = 0. Ranges must be known without the data:
// this experiment, which has no other knowledge, takes them from the rows that release. They
// reach 1.5 standard deviations to both sides for products, and 2 for gradients and without
// privacy. For the same results every time it draws from a predictable source, so that its
// records protect nobody.
//
// The bound is what no mechanism can exceed, on average over all directions of the best
// weights, if it knew the covariance of the features; see bound.go. For a single table, whose
// best weights may happen to lie in an easy direction, it is a yardstick.
//
// # What to expect
//
// The settings of all methods were chosen on simulated tables of 6 to 13 features and 1,000
// to 20,000 rows, with seeds from 11 to 16, and not on any table here. A table of 11
// correlated features and 4,898 rows (seed 1):
//
//	go run ./examples/privacy -rows 4898 -features 11 -signal .285
//
//	R² of rows held out, mean ± sd of 10 trials; without privacy 0.275
//
//	ε                         0.25         0.5           1           2           4           8
//	coordinate          -.01 ± .05   .02 ± .03   .00 ± .01   .01 ± .07   .05 ± .06   .12 ± .06
//	coordinate-tight     .01 ± .04   .01 ± .04   .06 ± .07   .06 ± .07   .09 ± .09   .09 ± .06
//	three-entry          .01 ± .02  -.01 ± .04   .00 ± .05   .03 ± .05   .05 ± .05   .12 ± .09
//	three-entry-tight   -.01 ± .02   .02 ± .03   .04 ± .08   .08 ± .08   .09 ± .07   .06 ± .08
//	per-value            .00 ± .02  -.01 ± .02  -.01 ± .03   .00 ± .01   .00 ± .02   .00 ± .02
//	per-value-tight     -.01 ± .02  -.01 ± .02   .00 ± .02  -.01 ± .01   .00 ± .00   .01 ± .03
//	gradients-once      -.04 ± .11   .05 ± .14   .15 ± .06   .22 ± .04   .26 ± .02   .26 ± .03
//	gradients            .06 ± .07   .06 ± .07   .13 ± .10   .21 ± .04   .27 ± .03   .27 ± .03
//	(bound)              .02         .07         .16         .24         .27         .27
//
// Six more such tables (-seed 21 to 26, -trials 3) have, by gradients and the same ε, a mean R²
// of .02, .02, .15, .19, .26 and .27, each ± .02 or less (standard error). So from ε = 1 on it
// is four fifths of the bound, and from ε = 4 on nearly all that there is without privacy. Of
// 77 products of so few rows hardly more than noise is seen. Four times as many rows, and 8
// features, are the California housing data:
//
//	go run ./examples/privacy -data california_housing.csv.gz
//
//	R² of rows held out, mean ± sd of 10 trials; without privacy 0.647
//
//	ε                         0.25         0.5           1           2           4           8
//	coordinate          -.02 ± .04  -.01 ± .06   .07 ± .11   .23 ± .07   .28 ± .08   .35 ± .07
//	coordinate-tight     .03 ± .08   .06 ± .06   .15 ± .08   .32 ± .05   .33 ± .04   .34 ± .05
//	three-entry          .02 ± .06   .03 ± .06   .01 ± .06   .19 ± .14   .28 ± .07   .32 ± .05
//	three-entry-tight    .01 ± .01   .07 ± .08   .24 ± .14   .23 ± .09   .31 ± .04   .38 ± .06
//	per-value           -.01 ± .01  -.01 ± .03  -.02 ± .03   .01 ± .03   .01 ± .03   .04 ± .08
//	per-value-tight     -.01 ± .03   .01 ± .03   .00 ± .02  -.01 ± .06   .01 ± .06   .16 ± .14
//	gradients-once       .18 ± .14   .31 ± .14   .41 ± .03   .43 ± .03   .55 ± .01   .55 ± .01
//	gradients            .19 ± .16   .43 ± .09   .51 ± .04   .56 ± .03   .62 ± .01   .62 ± .01
//	(bound)              .48         .60         .64         .64         .65         .65
//
// The program prints, too, by how much each is less than the last, over paired trials. For
// products by coordinate-tight and ε = 1 that is .36 ± .02 of the housing data and .07 ± .04 of
// the table above; for ε = 4, .29 ± .01 and .18 ± .03. Twelve features of 3,744 songs (-features
// 12) explain .159 of their year without privacy. By gradients it is 0 up to ε = 1, .02 ± .06 at
// 2, .11 ± .03 at 4 and .12 ± .03 at 8, and by products at most .02. For the 506 rows of Boston
// housing it is .31 ± .10 at ε = 1, .59 ± .08 at 4 and .61 ± .08 at 8, of .71; by products at
// most .18. A single round has −.80 there at ε = 8: it cannot see which features say the same.
//
// Sources: Raghunathan, Frostig, Duchi and Liang 2016, §7. For gradients in rounds Duchi,
// Jordan and Wainwright 2013, "Local privacy and statistical minimax rates".
package main
