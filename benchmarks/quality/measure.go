package main

import (
	"math"
	"slices"
)

// scored is one task's share of every measure.
type scored struct {
	hit, confidence float64
	brier, loss     float64
	predicted       float64 // of label 1, where there are two
	actual          float64
}

// measures rate answers. Sure is the share of tasks with a confidence of at least 0.95, RightThere the share of
// those that are right.
type measures struct {
	Tasks      int     `json:"tasks"`
	Accuracy   float64 `json:"accuracy"`
	Low        float64 `json:"accuracyLow"` // 95 % by bootstrap over tasks
	High       float64 `json:"accuracyHigh"`
	F1         float64 `json:"f1,omitempty"` // of label 1, where there are two
	Brier      float64 `json:"brier"`
	LogLoss    float64 `json:"logLoss"`
	ECE        float64 `json:"ece"`
	ECELow     float64 `json:"eceLow"`
	ECEHigh    float64 `json:"eceHigh"`
	Sure       float64 `json:"sure"`
	RightThere float64 `json:"rightThere"` // 0 where nothing is sure
	Bins       [10]bin `json:"bins"`       // of confidence
}

// bin is the tasks in a tenth of confidence.
type bin struct {
	Tasks      float64 `json:"tasks"`
	Confidence float64 `json:"confidence"` // summed
	Right      float64 `json:"right"`
}

func (b *bin) add(c bin) {
	b.Tasks, b.Confidence, b.Right = b.Tasks+c.Tasks, b.Confidence+c.Confidence, b.Right+c.Right
}

const sureAt = 0.95

// score returns each task whose truth exists and was not revealed.
func (s *set) score(answers []answer, gold []int32) []scored {
	var all []scored
	for t, a := range answers {
		y := s.truth[t]
		if y < 0 || gold != nil && gold[t] >= 0 {
			continue
		}
		x := scored{confidence: a.confidence, loss: -math.Log(math.Max(a.p[y], 1e-6))}
		ties := 0.0
		for l, p := range a.p {
			is := 0.0
			if l == int(y) {
				is = 1
			}
			x.brier += (p - is) * (p - is)
			if a.leads[l] {
				ties++
			}
		}
		if a.leads[y] {
			x.hit = 1 / ties
		}
		if s.k() == 2 && ties > 0 {
			x.actual = float64(y)
			if a.leads[1] {
				x.predicted = 1 / ties
			}
		}
		all = append(all, x)
	}
	return all
}

// measure sums up.
func measure(all []scored, binary bool) measures {
	m := measures{Tasks: len(all)}
	var both, predicted, actual, sure, right float64
	for _, x := range all {
		m.Accuracy += x.hit
		m.Brier += x.brier
		m.LogLoss += x.loss
		both += x.predicted * x.actual
		predicted += x.predicted
		actual += x.actual
		if x.confidence >= sureAt {
			sure++
			right += x.hit
		}
	}
	n := math.Max(float64(len(all)), 1)
	m.Accuracy, m.Brier, m.LogLoss, m.Sure = m.Accuracy/n, m.Brier/n, m.LogLoss/n, sure/n
	m.RightThere = right / math.Max(sure, 1)
	if binary {
		m.F1 = 2 * both / math.Max(predicted+actual, 1)
	}
	m.Bins = bins(all)
	m.ECE = calibration(m.Bins)
	return m
}

func bins(all []scored) (b [10]bin) {
	for _, x := range all {
		b[min(9, int(x.confidence*10))].add(bin{1, x.confidence, x.hit})
	}
	return b
}

// calibration is the expected calibration error over ten bins (Naeini et al. 2015).
func calibration(bins [10]bin) float64 {
	gap, n := 0.0, 0.0
	for _, b := range bins {
		gap += math.Abs(b.Confidence - b.Right)
		n += b.Tasks
	}
	return gap / math.Max(n, 1)
}

// intervals fills in 95 % intervals by the bootstrap over tasks (Efron 1979).
func (m *measures) intervals(all []scored, resamples int, seed uint64) {
	if len(all) == 0 || resamples == 0 {
		return
	}
	r := newRandom(seed)
	accuracy, ece := make([]float64, resamples), make([]float64, resamples)
	drawn := make([]scored, len(all))
	for b := range resamples {
		for i := range drawn {
			drawn[i] = all[r.below(len(all))]
			accuracy[b] += drawn[i].hit / float64(len(all))
		}
		ece[b] = calibration(bins(drawn))
	}
	m.Low, m.High = interval(accuracy)
	m.ECELow, m.ECEHigh = interval(ece)
}

func interval(draws []float64) (low, high float64) {
	slices.Sort(draws)
	n := len(draws)
	return draws[n*25/1000], draws[min(n-1, n*975/1000)]
}

// mean averages measures, those of draws or of sets.
func mean(ms []measures) measures {
	var a measures
	n := math.Max(float64(len(ms)), 1)
	right := 0.0
	for _, m := range ms {
		a.Tasks += m.Tasks
		a.Accuracy += m.Accuracy / n
		a.F1 += m.F1 / n
		a.Brier += m.Brier / n
		a.LogLoss += m.LogLoss / n
		a.ECE += m.ECE / n
		a.Sure += m.Sure / n
		right += m.RightThere * m.Sure / n
		for i := range a.Bins {
			a.Bins[i].add(m.Bins[i])
		}
		// Half widths of independent means add up as squares.
		a.Low += (m.Accuracy - m.Low) * (m.Accuracy - m.Low)
		a.High += (m.High - m.Accuracy) * (m.High - m.Accuracy)
		a.ECELow += (m.ECE - m.ECELow) * (m.ECE - m.ECELow)
		a.ECEHigh += (m.ECEHigh - m.ECE) * (m.ECEHigh - m.ECE)
	}
	if a.Sure > 0 {
		a.RightThere = right / a.Sure
	}
	a.Low, a.High = a.Accuracy-math.Sqrt(a.Low)/n, a.Accuracy+math.Sqrt(a.High)/n
	a.ECELow, a.ECEHigh = a.ECE-math.Sqrt(a.ECELow)/n, a.ECE+math.Sqrt(a.ECEHigh)/n
	return a
}

// meanOfDraws averages draws of the same tasks, whose intervals do not shrink by it.
func meanOfDraws(ms []measures) measures {
	a := mean(ms)
	a.Tasks /= max(len(ms), 1)
	low, high, eceLow, eceHigh := 0.0, 0.0, 0.0, 0.0
	for _, m := range ms {
		n := float64(len(ms))
		low, high = low+m.Low/n, high+m.High/n
		eceLow, eceHigh = eceLow+m.ECELow/n, eceHigh+m.ECEHigh/n
	}
	a.Low, a.High, a.ECELow, a.ECEHigh = low, high, eceLow, eceHigh
	return a
}
