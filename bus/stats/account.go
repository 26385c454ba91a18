package stats

// An Account counts all signals intended for one or more readers:
//
//	Intended = Delivered + Filtered + Pending + Dead()
type Account struct {
	Intended  uint64 `json:"intended"`
	Delivered uint64 `json:"delivered"`
	Filtered  uint64 `json:"filtered"`
	Pending   uint64 `json:"pending"`

	DeadExpired uint64 `json:"deadExpired"`
	DeadLagged  uint64 `json:"deadLagged"`
	DeadFailed  uint64 `json:"deadFailed"`
	DeadClosed  uint64 `json:"deadClosed"`
}

// Dead returns the number of dead letters.
func (k Account) Dead() uint64 { return k.DeadExpired + k.DeadLagged + k.DeadFailed + k.DeadClosed }

// Balanced reports whether the equation above holds. It always does, although each
// number is counted by itself where it happens, and none is derived from others.
func (k Account) Balanced() bool { return k.Intended == k.Delivered+k.Filtered+k.Pending+k.Dead() }

// Plus returns the sum of two accounts.
func (k Account) Plus(o Account) Account {
	return Account{
		k.Intended + o.Intended, k.Delivered + o.Delivered, k.Filtered + o.Filtered, k.Pending + o.Pending,
		k.DeadExpired + o.DeadExpired, k.DeadLagged + o.DeadLagged, k.DeadFailed + o.DeadFailed, k.DeadClosed + o.DeadClosed,
	}
}
