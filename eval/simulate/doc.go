// Package simulate has series whose law is known. A [Generator] yields rows without end:
// [Setting] (Brault 2017, section 8.3.2), [WhiteNoise], [Oscillators] and [Network], whose edges
// are known.
package simulate
