// Package reliability learns from past decisions how far each voter can be trusted.
package reliability
