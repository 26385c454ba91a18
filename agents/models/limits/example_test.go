package limits_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/limits"
)

func ExampleShared_Limit() {
	ctx, model := context.Background(), models.Script("yes", "no", "maybe")
	budget := limits.NewBudget(limits.Spend{Money: models.USD / 100})
	shared := limits.New(limits.Options{
		Rate: 100, Burst: 10, Budget: budget,
		Prices: map[models.ID]models.Price{model.ID(): {Input: 2.5, Output: 10}},
	})
	limited := shared.Limit(model)
	for _, most := range []int{100, 1000} {
		answer, err := limited.Ask(ctx, &models.Request{Messages: []models.Message{models.User("Well?")}, Most: most})
		if errors.Is(err, models.ErrBudget) {
			fmt.Println("too expensive:", err)
			break
		}
		fmt.Println(answer.Text, budget.Account().Spent)
	}
	// Output:
	// yes 1 tokens and 0.00001usd
	// too expensive: models: the budget does not allow the call: scripted:scripted: it may take 2093 tokens and 0.0127325usd, and 0.00999usd of 0.01usd are left; a budget of 0.0127425usd would allow it
}
