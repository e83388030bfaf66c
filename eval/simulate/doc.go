// Package simulate provides synthetic series with a known law. A [Generator] yields rows without end: [Setting]
// (Brault 2017, section 8.3.2), [WhiteNoise], [Oscillators], [Network] with known edges, and the series of a [Law].
// A [Kind] draws a data set of some nature, such as an hourly load.
package simulate
