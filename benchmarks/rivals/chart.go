package main

import (
	"fmt"
	"math"
	"os"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// chart draws the tables below each other: time for one event over readers,
// both logarithmic.
func (r *result) chart(file string) error {
	const width, height = 18 * vg.Centimeter, 11 * vg.Centimeter
	tables := slices.DeleteFunc(slices.Clone(r.Tables), func(t measuredTable) bool { return t.Base != "" })
	canvas := vgsvg.New(width, height*vg.Length(len(tables)))
	rows := draw.Tiles{Rows: len(tables), Cols: 1}
	for i := range tables {
		p, err := tables[i].plot()
		if err != nil {
			return err
		}
		p.Draw(rows.At(draw.New(canvas), 0, i))
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if _, err := canvas.WriteTo(f); err != nil {
		return err
	}
	return f.Close()
}

func (t *measuredTable) plot() (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = t.Title, "readers", "ns"
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	p.Legend.Top, p.Legend.Left = true, true
	ticks := plot.ConstantTicks{}
	for i, n := range t.Readers {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: fmt.Sprint(n)})
	}
	p.X.Tick.Marker = ticks
	for i, row := range t.Rows {
		line, points, err := plotter.NewLinePoints(row.points())
		if err != nil {
			return nil, err
		}
		line.Color, points.Color = plotutil.Color(i), plotutil.Color(i)
		points.Shape = plotutil.Shape(i)
		if row.Floor {
			line.Dashes = plotutil.Dashes(1)
		}
		if row.Name == "swarmbus" {
			line.Width = vg.Points(3)
		}
		p.Add(line, points)
		p.Legend.Add(row.Name, line, points)
	}
	p.Y.Max *= math.Pow(10, 2) // room for the legend
	return p, nil
}

func (r *row) points() (out plotter.XYs) {
	for i, c := range r.Cells {
		if c.Median > 0 {
			out = append(out, plotter.XY{X: float64(i), Y: c.Median})
		}
	}
	return out
}
