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
// and releases the product of his features and his residual, a few bits of it. The weights
// move as by a Kalman filter. gradients-once has a single round, in which all weights are 0
// and nobody waits for others.
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
//	coordinate          -.01 ± .03   .01 ± .02   .00 ± .01   .01 ± .05   .05 ± .06   .12 ± .06
//	coordinate-tight     .01 ± .03   .01 ± .03   .06 ± .06   .06 ± .07   .09 ± .09   .09 ± .06
//	three-entry          .00 ± .02  -.01 ± .02   .00 ± .04   .03 ± .04   .06 ± .05   .12 ± .09
//	three-entry-tight   -.01 ± .02   .01 ± .02   .04 ± .07   .08 ± .07   .09 ± .07   .07 ± .08
//	per-value            .00 ± .02   .00 ± .01  -.01 ± .02   .00 ± .01   .00 ± .02   .00 ± .01
//	per-value-tight     -.01 ± .01   .00 ± .01   .00 ± .01   .00 ± .01   .00 ± .00   .01 ± .03
//	gradients-once      -.05 ± .13   .06 ± .12   .15 ± .04   .19 ± .04   .20 ± .03   .21 ± .01
//	gradients           -.02 ± .10   .04 ± .12   .16 ± .04   .22 ± .03   .23 ± .03   .25 ± .03
//	(bound)              .02         .07         .16         .24         .27         .27
//
// On six more such tables (-seed 21 to 26, -trials 3) gradients have .01 ± .02, .00 ± .03,
// .14 ± .02, .20 ± .01, .23 ± .01 and .24 ± .01, mean ± standard error, for the same ε. That is
// four fifths of the bound and more from ε = 1 on. Of 77 products of so few rows hardly more
// than noise is seen. Four times as many rows, and 8 features, are the California housing data:
//
//	go run ./examples/privacy -data california_housing.csv.gz
//
//	R² of rows held out, mean ± sd of 10 trials; without privacy 0.647
//
//	ε                         0.25         0.5           1           2           4           8
//	coordinate          -.02 ± .03   .00 ± .05   .06 ± .09   .22 ± .07   .27 ± .07   .34 ± .06
//	coordinate-tight     .03 ± .07   .06 ± .06   .15 ± .08   .31 ± .04   .32 ± .04   .34 ± .05
//	three-entry          .01 ± .04   .03 ± .04   .01 ± .04   .18 ± .12   .28 ± .06   .31 ± .05
//	three-entry-tight    .01 ± .01   .07 ± .07   .23 ± .13   .23 ± .09   .30 ± .04   .37 ± .05
//	per-value           -.01 ± .01  -.01 ± .02  -.01 ± .02   .00 ± .02   .01 ± .02   .04 ± .07
//	per-value-tight     -.01 ± .02   .00 ± .02   .00 ± .01   .00 ± .04   .01 ± .05   .14 ± .12
//	gradients-once       .17 ± .12   .24 ± .09   .28 ± .02   .29 ± .01   .29 ± .01   .29 ± .01
//	gradients            .27 ± .13   .41 ± .08   .53 ± .03   .54 ± .02   .56 ± .02   .56 ± .01
//	(bound)              .48         .60         .64         .64         .65         .65
//
// The program prints, too, by how much each is less than the last, over paired trials. For
// products by coordinate-tight and ε = 1 that is .38 ± .03 of the housing data and .10 ± .02 of
// the table above. Twelve features of 3,744 songs (-features 12) explain .159 of their year
// without privacy. By gradients it is 0 up to ε = 1, .05 ± .06 at 2 and .10 ± .01 at 8, and by
// products at most .02. For the 506 rows of Boston housing it is .25 ± .16 at ε = 1, .45 ± .10
// at 2 and .52 ± .08 at 8, of .71, and by products at most .16.
//
// Sources: Raghunathan, Frostig, Duchi and Liang 2016, §7. For gradients in rounds Duchi,
// Jordan and Wainwright 2013, "Local privacy and statistical minimax rates".
package main
