package auto

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
)

const (
	lineBlocks   = 16  // largest number of blocks of a line; full blocks are then joined in pairs
	lineErrors   = 3   // smallest mean move of a line with a share, in standard errors
	lineCurve    = .03 // probability of a curve by chance below which the share decreases
	lineStraight = .1  // a line is straight in any case if sd of the moves <= lineStraight |mean move|
)

// line is the evidence that a coordinate follows a straight line since its first sample, or since the last shift of
// its level. The samples are divided into blocks of equal length. Two conditions hold for the n moves between the mean
// levels of consecutive blocks. First, their mean is far from 0:
//
//	share = 1 - (lineErrors (1 + 2/n) / t)^2,   t = mean sqrt(n) / sd,
//
// Second, they follow no curve. If the moves are independent, the part r of their variance that a parabola explains
// has the distribution Beta(1, (n-3)/2), so a part larger than r has the probability
//
//	(1 - r)^((n-3)/2).
//
// The moves in the morning of a first day follow a parabola.
type line struct {
	level  float64             // sum of the winsorised increments
	shift  float64             // sum of the increments minus level
	sum    float64             // sum of the levels in the open block
	inside int                 // samples in the open block
	size   int                 // samples per block
	full   int                 // full blocks. Invariant: full < lineBlocks after learn
	lasted int                 // length of the line before the last shift, in samples; 0: none
	means  [lineBlocks]float64 // mean levels of the full blocks
	share  float64             // result of value, in [0, 1]
}

// learn adds the increment step; usual is its winsorised value, |usual| <= limit. A shift that still lasts at the end
// of a block begins another line. A spike has returned by then.
func (l *line) learn(step, usual, limit float64) {
	l.level += usual
	l.shift += step - usual
	l.sum += l.level
	l.size = max(l.size, 1)
	if l.inside++; l.inside < l.size {
		return
	}
	if math.Abs(l.shift) > limit {
		*l = line{lasted: l.seen()}
		return
	}
	l.means[l.full] = l.sum / float64(l.size)
	l.full++
	l.sum, l.inside = 0, 0
	if l.full == lineBlocks {
		for i := range lineBlocks / 2 {
			l.means[i] = (l.means[2*i] + l.means[2*i+1]) / 2
		}
		l.full, l.size = lineBlocks/2, 2*l.size
	}
	l.share = l.value()
}

// value returns the share, in [0, 1]. With fewer than lineBlocks / 2 full blocks the share is 0.
func (l *line) value() float64 {
	if l.full < lineBlocks/2 {
		return 0
	}
	n := float64(l.full - 1)
	mean := (l.means[l.full-1] - l.means[0]) / n
	if mean == 0 {
		return 0
	}
	// Sums of the moves minus their mean: squares, and products with the orthogonal polynomials x and x^2 - mean(x^2).
	var square, first, second float64
	spread := (n*n - 1) / 12 // mean of x^2
	for i := range l.full - 1 {
		d, x := l.means[i+1]-l.means[i]-mean, float64(i)-(n-1)/2
		square += d * d
		first += d * x
		second += d * (x*x - spread)
	}
	least := lineErrors * (1 + 2/n) / math.Abs(mean) * math.Sqrt(square/(n-1)/n)
	share := max(1-least*least, 0)
	if square > lineStraight*lineStraight*mean*mean*(n-1) {
		curve := first*first/(n*spread) + second*second/(n*spread*(n*n-4)/15)
		chance := math.Pow(max(1-curve/square, 0), (n-3)/2)
		share *= min(chance/lineCurve, 1)
	}
	return share
}

// seen returns the number of samples in the line.
func (l *line) seen() int { return l.full*l.size + l.inside }

// steps returns the number of steps that the line continues within the next h steps. For a line of n samples,
//
//	steps = share h for h <= n,   share n (1 + log(h/n)) for h > n.
//
// After a shift another shift is expected, so steps is 0 until the line is twice as long as the line before.
func (l *line) steps(h int) float64 {
	n := l.seen()
	switch {
	case l.share == 0 || n < 2*l.lasted:
		return 0
	case h <= n:
		return l.share * float64(h)
	}
	return l.share * float64(n) * (1 + math.Log(float64(h)/float64(n)))
}

func (l *line) State(c *snapshot.Codec) {
	c.Index(&l.inside, math.MaxInt)
	c.Index(&l.size, math.MaxInt)
	c.Index(&l.full, lineBlocks)
	c.Index(&l.lasted, math.MaxInt)
	c.Float64(&l.level)
	c.Float64(&l.shift)
	c.Float64(&l.sum)
	c.Float64s(l.means[:])
	l.share = l.value()
}
