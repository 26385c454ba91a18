// Package limits provides what all users of a provider share: retries, a rate
// limit, a circuit breaker, timeouts and a budget.
//
//	budget := limits.NewBudget(limits.Spend{Money: models.USD / 2})
//	shared := limits.New(limits.Options{Rate: 10, Budget: budget, Prices: prices})
//	model, err := openai.New(...)
//	limited := shared.Limit(model)
//
// A call is processed as follows: it is retried with growing pauses as long as
// its error is temporary; for each try the budget reserves its maximum cost; then it
// waits for the rate limit, and for as long as the provider has asked any caller to
// wait; an open circuit breaker refuses it; and it has its own timeout. All waits
// end with the context, and no try begins after that.
//
// # The budget
//
// A try reserves the most that it may take: for the input one token per byte plus
// an overhead ([Bound]), for the answer [models.Request].Most. When it ends, what it
// took is booked and the rest released. A try that does not fit waits while others hold
// reservations, and is refused (models.ErrBudget) if it would not fit even if they
// released everything. So no number of concurrent callers can exceed the budget, as long
// as a provider counts no more tokens than bytes and respects Most; the excess of one
// that does not is in [Account].Over.
//
// The cost of a failed try is unknown unless the error says that it was free, and so is
// that of an answer whose usage is missing or impossible ([models.Answer].Counted). It
// stays open: it is booked with its likely cost, which is the share of the maximum that recent calls of
// the model took and a quarter more (for the first call, all of it), and the rest of the
// maximum is withheld from others as long as the budget lives. What [Budget.Keep]
// records of a call that is running is its likely cost, too: after a kill, calls that
// were running are open, and nothing is withheld for them. Their likely cost is a quarter of
// what they may take as long as no answer of the model is known, and follows its answers from
// then on, since a run that continues asks again what it had asked. [Budget.Settle] releases
// what is open.
package limits
