package auto

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
)

const (
	lineBlocks   = 16  // blocks of a line; when all are full they are joined in pairs
	lineErrors   = 3   // standard errors of the mean move that a share needs
	lineCurve    = .03 // probability of a curve by chance below which the share falls
	lineStraight = .1  // standard deviation of the moves, in moves, of a line that is straight in any case
)

// line is the evidence that a coordinate follows a straight line since it began, or since its level shifted. It keeps
// the means of the levels in blocks of equal length. The n moves from block to block of a line have a mean that is
// far from 0,
//
//	share = 1 - (lineErrors (1 + 2/n) / t)^2,   t = mean sqrt(n) / sd,
//
// and no curve: the part r of their variance that a parabola explains has the distribution Beta(1, (n-3)/2) if the
// moves are independent, so a larger part than r has the probability
//
//	(1 - r)^((n-3)/2).
//
// The moves of the morning of a first day are a parabola.
type line struct {
	level  float64             // sum of the increments
	shift  float64             // sum of the increments beyond the limit of winsorising
	sum    float64             // sum of the levels of the open block
	inside int                 // samples of the open block
	size   int                 // samples per block
	full   int                 // Invariant: full < lineBlocks
	lasted int                 // length of the line before; 0: there was none
	means  [lineBlocks]float64 // of the levels of the full blocks
	share  float64             // in [0, 1]
}

// learn learns an increment and its winsorised value, where limit is the largest one. A shift that has not gone back
// at the end of a block begins another line; a spike goes back.
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

// value returns the share, 0 with fewer than half of the blocks.
func (l *line) value() float64 {
	if l.full < lineBlocks/2 {
		return 0
	}
	n := float64(l.full - 1)
	mean := (l.means[l.full-1] - l.means[0]) / n
	if mean == 0 {
		return 0
	}
	// The moves less their mean, and their products with the orthogonal polynomials x and x^2 - mean(x^2).
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

// seen returns the number of samples of the line.
func (l *line) seen() int { return l.full*l.size + l.inside }

// steps returns the number of steps that a line goes on in the next h: as many as it was seen for, and beyond them
// with the logarithm of h. After a shift another one is expected, until the line is twice as long as the one before.
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
