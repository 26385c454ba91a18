package main

import "slices"

// groups are sets that are averaged over. Only reports read them, no method does.
var groups = []struct {
	name string
	sets []string
}{
	{"crowd", []string{"bluebird", "cf", "cf_amt", "dog", "ms", "possent", "product", "rte", "sp", "sp_amt", "zc_in"}},
	{"models", []string{"gsm8k", "mmlupro"}},
}

// published are accuracies in percent, without known outcomes, that our own implementations are held against.
// Those of majority, Wawa, one-coin EM, Dawid and Skene and EBCC agree with their authors' where these
// published any.
var published = map[string]map[string]float64{
	"majority": {
		"bluebird": 75.9, "rte": 89.7, "possent": 93.3, "product": 89.7, "sp": 88.6, "sp_amt": 94.3, "zc_in": 74.1,
		"dog": 82.2, "cf": 88.2, "cf_amt": 85.3, "ms": 70.4, "gsm8k": 96.9, "mmlupro": 60.0,
	},
	"wawa": {
		"bluebird": 75.9, "rte": 92.1, "possent": 95.2, "product": 89.7, "sp": 89.5, "sp_amt": 94.4, "zc_in": 74.7,
		"dog": 83.0, "cf": 88.7, "cf_amt": 85.7, "ms": 79.6, "gsm8k": 97.0, "mmlupro": 62.1,
	},
	"one-coin": {
		"bluebird": 72.2, "rte": 92.5, "possent": 95.1, "product": 92.8, "sp": 91.6, "sp_amt": 94.6, "zc_in": 76.8,
		"dog": 83.1, "cf": 88.3, "cf_amt": 85.0, "ms": 79.6, "gsm8k": 97.1, "mmlupro": 62.4,
	},
	"dawid-skene": {
		"bluebird": 88.9, "rte": 92.8, "possent": 95.9, "product": 93.8, "sp": 91.6, "sp_amt": 94.4, "zc_in": 76.1,
		"dog": 84.3, "cf": 88.3, "cf_amt": 85.3, "ms": 79.0, "mmlupro": 62.9,
	},
	"ebcc": {
		"bluebird": 88.9, "rte": 92.8, "possent": 96.1, "product": 92.8, "sp": 91.5, "sp_amt": 94.0, "zc_in": 78.3,
		"dog": 83.9, "cf": 87.7, "cf_amt": 85.7, "ms": 79.0, "mmlupro": 62.4,
	},
	"pruned": {
		"bluebird": 85.2, "rte": 92.6, "possent": 95.6, "product": 92.9, "sp": 91.4, "sp_amt": 94.8, "zc_in": 76.7,
		"dog": 82.5, "cf": 88.2, "cf_amt": 84.3, "ms": 80.0, "gsm8k": 96.9, "mmlupro": 71.4,
	},
}

// row finds a figure.
func (r *results) row(set, method string, known float64) (measures, bool) {
	i := slices.IndexFunc(r.Batch, func(b batchRow) bool { return b.Set == set && b.Method == method && b.Known == known })
	if i < 0 {
		return measures{}, false
	}
	return r.Batch[i].measures, true
}

// group averages a method over the sets of a group that were measured; all sets for "all".
func (r *results) group(name, method string, known float64) (measures, int) {
	var ms []measures
	for _, s := range r.Sets {
		if m, ok := r.row(s.Name, method, known); ok && r.in(name, s.Name) {
			ms = append(ms, m)
		}
	}
	return mean(ms), len(ms)
}

func (*results) in(group, set string) bool {
	if group == "all" {
		return true
	}
	for _, g := range groups {
		if g.name == group {
			return slices.Contains(g.sets, set)
		}
	}
	return false
}
