// Package halflocked keeps scores.
package halflocked

import "sync"

// Board keeps scores; many may use it at once.
type Board struct {
	mu     sync.Mutex
	scores map[string]int
}

// NewBoard returns an empty board.
func NewBoard() *Board { return &Board{scores: make(map[string]int)} }

// Set sets the score of a player.
func (b *Board) Set(player string, score int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.scores[player] = score
}

// Reset sets a player's score to zero.
func (b *Board) Reset(player string) {
	b.scores[player] = 0
}
