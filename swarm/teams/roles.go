package teams

import "fmt"

// roles are those of the agents of a team without a file, one after the other.
var roles = []struct{ name, role string }{
	{"planner", "You find a solution of the task and propose it. If others propose a better one, you say so and vote for it."},
	{"critic", "You look for what is wrong with a proposal, what it leaves out and what may go wrong, and vote against what does not hold."},
	{"verifier", "You check what is claimed: whether it is true, whether it follows, and whether the task is answered."},
	{"pragmatist", "You look at what a solution costs, and for a simpler one."},
	{"outsider", "You look at the task as somebody who has to live with the answer."},
}

// Of returns a team of so many agents, among whom the roles of planner, critic, verifier,
// pragmatist and outsider go round. They get the models in turn; a team without a model is not
// valid yet.
func Of(agents int, all ...Model) *Team {
	t := &Team{Models: map[string]Model{}}
	for _, m := range all {
		t.Models[m.ID().String()] = m
	}
	for i := range agents {
		r := roles[i%len(roles)]
		a := Agent{ID: r.name, Role: r.role}
		if i >= len(roles) {
			a.ID = fmt.Sprintf("%s-%d", r.name, i/len(roles)+1)
		}
		if len(all) > 0 {
			a.Model = all[i%len(all)].ID().String()
		}
		t.Agents = append(t.Agents, a)
	}
	return t
}
