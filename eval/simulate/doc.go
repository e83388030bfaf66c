// Package simulate has series whose law is known. A [Generator] yields rows without end:
// [Setting] (Brault 2017, section 8.3.2), [WhiteNoise], [Oscillators], the series of a [Law], and
// [Network], whose edges are known. A [Kind] draws a data set with a nature, such as an hourly load.
package simulate
