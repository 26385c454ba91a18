package consensus

// Any decides as soon as one of the strategies does. Two that decide differently decide nothing. It
// panics when there are none.
func Any(strategies ...Strategy) Strategy { return nil }

// All decides when every one of the strategies decides the same; the decision is the least supported of
// theirs. It panics when there are none.
func All(strategies ...Strategy) Strategy { return nil }

// Fallback takes the decision of the first strategy that is neither [Pending] nor [Deadlocked], or else
// that of the first. It panics when there are none.
func Fallback(strategies ...Strategy) Strategy { return nil }
