// Package limits is what the users of a provider share: calls are made again
// where that may help, at a rate, past a circuit breaker, within a time and within
// a budget.
//
//	budget := limits.NewBudget(limits.Spend{Money: models.USD / 2})
//	shared := limits.New(limits.Options{Rate: 10, Budget: budget, Prices: prices})
//	model := shared.Limit(openai.New(...))
//
// A call goes this way: it is repeated with growing pauses as long as its error
// passes; each try waits for the rate, and for as long as the provider asked
// anybody to wait; the circuit breaker refuses it while the provider is left
// alone; the budget reserves what it may cost; and it has its own time. Whatever
// waits ends with the context, and no try begins after that.
//
// # The budget
//
// A try reserves the most that it may take: for the input a token for each byte
// and some for what the provider puts around it ([Bound]), for the answer
// [models.Request].Most. What it took is booked when it is over and the rest given
// back; a try that failed is booked with all that was reserved unless it is known
// to be free. A try that does not fit waits while others hold reservations, and is
// refused (models.ErrBudget) when it would not fit whatever they give back. So no
// number of concurrent callers can spend more than the budget has, as long as a
// provider counts no more tokens than there are bytes and keeps to Most; one that
// does not is found in [Books].Over.
package limits
