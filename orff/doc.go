// Package orff has operator-valued random Fourier features: feature maps whose
// inner products approximate an operator-valued kernel.
package orff
