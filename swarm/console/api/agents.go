package api

import "time"

// A Team is one that can be given a task.
type Team struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Run         string   `json:"run" doc:"Where its solves are"`
	Agents      []string `json:"agents"`
	Strategy    string   `json:"strategy"`
	Threshold   float64  `json:"threshold"`
	Budget      string   `json:"budget,omitempty"`
	Tasks       []string `json:"tasks,omitempty" doc:"The tasks that its agents know; absent: any"`
	Deadline    string   `json:"deadline,omitempty"`
	Problem     string   `json:"problem,omitempty" doc:"Why it cannot be given a task"`
}

// An Agent is one of a team, or of a room.
type Agent struct {
	ID          string       `json:"id" doc:"TEAM/NAME"`
	Name        string       `json:"name"`
	Team        string       `json:"team,omitempty"`
	Rooms       []string     `json:"rooms"`
	Role        string       `json:"role,omitempty"`
	Model       string       `json:"model,omitempty"`
	Group       string       `json:"group,omitempty"`
	Weight      float64      `json:"weight,omitempty"`
	Listens     []string     `json:"listens,omitempty" doc:"Kinds; absent: all"`
	CanEmit     []string     `json:"canEmit,omitempty" doc:"Kinds; absent: all that are not reserved"`
	Tools       []Permission `json:"tools"`
	Routes      int          `json:"routes" doc:"How many its router has"`
	State       string       `json:"state,omitempty" doc:"Initial state of its router"`
	Reliability Reliability  `json:"reliability"`
	Solves      int          `json:"solves" doc:"In which it voted"`
	Votes       int          `json:"votes"`
	Cost        Cost         `json:"cost"`
	Last        *time.Time   `json:"last,omitempty" doc:"When it last said something"`
}

// A Permission is the policy for a tool.
type Permission struct {
	Tool   string `json:"tool"`
	Policy string `json:"policy"`
}

// Reliability is how often an agent was right.
type Reliability struct {
	Known   bool    `json:"known" doc:"Something was learned of it"`
	Rate    float64 `json:"rate" doc:"Learned probability of being right between two proposals"`
	Right   int     `json:"right" doc:"Decisions with a known outcome in which it was right"`
	Told    int     `json:"told" doc:"Decisions with a known outcome in which it voted"`
	Low     float64 `json:"low" doc:"95 % interval of its share of right votes (Wilson)"`
	High    float64 `json:"high"`
	Weight  float64 `json:"weight,omitempty" doc:"Of its vote, in log-odds above chance"`
	Repeats string  `json:"repeats,omitempty" doc:"The agent that it repeats"`
}

// An Explanation is the decision of an agent's router about a signal.
type Explanation struct {
	Agent  string           `json:"agent"`
	State  string           `json:"state,omitempty"`
	Signal uint64           `json:"signal,omitempty"`
	Action string           `json:"action"`
	Tier   string           `json:"tier,omitempty"`
	Route  string           `json:"route,omitempty"`
	Error  string           `json:"error,omitempty"`
	Routes []ExplainedRoute `json:"routes" doc:"In the order in which they are tried"`
}

// An ExplainedRoute is a route and why it did or did not decide.
type ExplainedRoute struct {
	Tier    string `json:"tier"`
	Name    string `json:"name"`
	Action  string `json:"action"`
	Verdict string `json:"verdict" doc:"What became of it"`
}
