package main

import (
	"image/color"
	"os"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// charts draws accuracy.svg, by method, and calibration.svg, of majority, Dawid and Skene and ours.
func (r *results) charts(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if len(r.Batch) == 0 {
		return nil
	}
	if err := r.accuracyChart(filepath.Join(dir, "accuracy.svg")); err != nil {
		return err
	}
	return r.calibrationChart(filepath.Join(dir, "calibration.svg"))
}

// errorBars are points with intervals, as plotter reads them.
type errorBars struct {
	plotter.XYs
	plotter.YErrors
}

func (r *results) accuracyChart(file string) error {
	p := plot.New()
	p.Title.Text = "Accuracy without known outcomes, mean over sets, 95 % intervals"
	p.Y.Label.Text = "%"
	var bars errorBars
	for i, name := range r.names() {
		m, _ := r.group("all", name, r.Batch[0].Known)
		bars.XYs = append(bars.XYs, plotter.XY{X: float64(i), Y: 100 * m.Accuracy})
		bars.YErrors = append(bars.YErrors, struct{ Low, High float64 }{100 * (m.Accuracy - m.Low), 100 * (m.High - m.Accuracy)})
	}
	points, err := plotter.NewScatter(bars.XYs)
	if err != nil {
		return err
	}
	lines, err := plotter.NewYErrorBars(bars)
	if err != nil {
		return err
	}
	p.Add(plotter.NewGrid(), lines, points)
	p.NominalX(r.names()...)
	p.X.Tick.Label.Rotation = 0.6
	p.X.Tick.Label.XAlign = -1
	return p.Save(9*vg.Inch, 4*vg.Inch, file)
}

func (r *results) calibrationChart(file string) error {
	p := plot.New()
	p.Title.Text = "How often right at which confidence, all sets together"
	p.X.Label.Text, p.Y.Label.Text = "confidence %", "right %"
	ideal := plotter.NewFunction(func(x float64) float64 { return x })
	ideal.Dashes = []vg.Length{vg.Points(3), vg.Points(3)}
	p.Add(plotter.NewGrid(), ideal)
	for i, name := range []string{"majority", "dawid-skene", "learned"} {
		m, n := r.group("all", name, r.Batch[0].Known)
		if n == 0 {
			continue
		}
		line, points, err := plotter.NewLinePoints(curve(m.Bins))
		if err != nil {
			return err
		}
		shade := []color.Color{color.Gray{160}, color.RGBA{200, 80, 40, 255}, color.RGBA{20, 80, 180, 255}}[i]
		line.Color, points.Color = shade, shade
		p.Add(line, points)
		p.Legend.Add(name, line, points)
	}
	p.Legend.Top, p.Legend.Left = true, true
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 100, 0, 100
	return p.Save(5*vg.Inch, 5*vg.Inch, file)
}

// curve is the share right in each tenth of confidence that has tasks.
func curve(bins [10]bin) plotter.XYs {
	var xys plotter.XYs
	for _, b := range bins {
		if b.Tasks > 0 {
			xys = append(xys, plotter.XY{X: 100 * b.Confidence / b.Tasks, Y: 100 * b.Right / b.Tasks})
		}
	}
	return xys
}
