package bus

// A Disposition is what became of one signal for one reader.
type Disposition uint8

// The dispositions. All but the first two are dead letters.
const (
	Delivered   Disposition = 1 + iota
	Filtered                // the reader's own predicate rejected it
	DeadExpired             // it expired before it was read
	DeadLagged              // the reader's backlog was full
	DeadFailed              // the reader returned an error or panicked
	DeadClosed              // the reader or the bus was closed before it was read
)

var dispositionNames = [...]string{"pending", "delivered", "filtered", "expired", "lagged", "failed", "closed"}

// String returns the disposition in one word.
func (f Disposition) String() string { return dispositionNames[f] }

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
func (k Account) Plus(other Account) Account {
	k.Intended += other.Intended
	k.Delivered += other.Delivered
	k.Filtered += other.Filtered
	k.Pending += other.Pending
	k.DeadExpired += other.DeadExpired
	k.DeadLagged += other.DeadLagged
	k.DeadFailed += other.DeadFailed
	k.DeadClosed += other.DeadClosed
	return k
}

func (k *Account) settle(f Disposition, n uint64) {
	k.Pending -= n
	*k.of(f) += n
}

func (k *Account) of(f Disposition) *uint64 {
	switch f {
	case Delivered:
		return &k.Delivered
	case Filtered:
		return &k.Filtered
	case DeadExpired:
		return &k.DeadExpired
	case DeadLagged:
		return &k.DeadLagged
	case DeadFailed:
		return &k.DeadFailed
	default:
		return &k.DeadClosed
	}
}

func (k *Account) add(other Account) { *k = k.Plus(other) }
