package models_test

import (
	"context"
	"fmt"

	"github.com/swarmbus/swarmbus/agents/models"
)

func ExampleAsk() {
	model := models.Script("yes, and it reads as empty")
	answer, err := models.Ask(context.Background(), model, &models.Request{
		System:   "You review Go code.",
		Messages: []models.Message{models.User("Is a nil map safe to read?")},
		Most:     200,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Text)
	// Output: yes, and it reads as empty
}

func ExamplePrice_Cost() {
	price := models.Price{Input: 2.50, CacheRead: 0.25, Output: 10}
	fmt.Println(price.Cost(models.Usage{Input: 1200, CacheRead: 1000, Output: 80}))
	// Output: 0.00155usd
}
