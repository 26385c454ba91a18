package decide

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/internal/votes"
)

// The values of --items.
const (
	itemsCSV  = "csv"
	itemsJSON = "json"
)

// An item is what the voters agree on for one task.
type item struct {
	Item       string   `json:"item"`
	Set        string   `json:"set"`
	Strategy   string   `json:"strategy"`
	Label      string   `json:"label"` // what leads; "" on a tie
	Outcome    string   `json:"outcome"`
	Confidence float64  `json:"confidence"` // the probability that the label is right
	Support    float64  `json:"support"`
	Voters     int      `json:"voters"`
	Dissent    int      `json:"dissent"` // votes against it
	Leaders    []string `json:"leaders"` // several on a tie
	Truth      string   `json:"truth"`   // "" where it is not known
	Reason     string   `json:"reason"`
}

func itemOf(set *votes.Set, t *votes.Task, strategy string, d consensus.Decision) item {
	return item{
		Item: t.ID, Set: set.Name, Strategy: strategy, Label: d.Leader(), Outcome: d.Outcome.String(), Confidence: d.Confidence, Support: d.Support,
		Voters: d.Voters, Dissent: len(d.Dissent()), Leaders: append([]string{}, d.Leaders...), Truth: t.Truth, Reason: d.Reason(),
	}
}

// itemTable prints items as CSV, with the names of their JSON but for the leaders.
func itemTable(w io.Writer, l *cli.List, items []item) error {
	out := csv.NewWriter(w)
	if !l.Bare {
		_ = out.Write([]string{"item", "set", "strategy", "label", "outcome", "confidence", "support", "voters", "dissent", "truth", "reason"})
	}
	for _, x := range items {
		_ = out.Write([]string{
			x.Item, x.Set, x.Strategy, x.Label, x.Outcome, share(x.Confidence), share(x.Support), strconv.Itoa(x.Voters), strconv.Itoa(x.Dissent), x.Truth, x.Reason,
		})
	}
	out.Flush()
	return out.Error()
}

func share(x float64) string { return strconv.FormatFloat(x, 'f', 4, 64) }
