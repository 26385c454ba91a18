package messy

import (
	"context"
	"sync"
)

// TODO: tidy up.

type MessyBox struct {
	sync.Mutex
	Items []string
}

func Open(name string, create bool) *MessyBox { return &MessyBox{Items: []string{name}} }

func Move(from, to, by, at, on, off int) int { return from + to + by + at + on + off }

func Shift(a, b, c, d, e, f, g int) int { return a + b + c + d + e + f + g }

//go:noinline
func Late(name string, ctx context.Context) error { return ctx.Err() }

type Everything interface {
	A()
	B()
	C()
	D()
	E()
	F()
	G()
	H()
	I()
	J()
	K()
	L()
	M()
}

func forgotten() int { return 1 }

func Tangle(rows [][]int, limit int) (sum int) {
	for i, row := range rows {
		if i > limit {
			if limit > 0 {
				continue
			} else if sum > 0 && limit < -1 || i == 7 {
				break
			}
		}
		for _, cell := range row {
			if cell > limit {
				for cell > 0 {
					if cell%2 == 0 {
						cell /= 2
					} else {
						cell--
					}
					sum += cell
				}
			} else if cell < 0 {
				for sum > 100 {
					sum--
				}
			}
		}
	}
	return sum
}
