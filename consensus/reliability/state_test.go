package reliability

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

func TestARestoredBookContinuesAlike(t *testing.T) {
	for name, o := range kinds(3) {
		for _, n := range []int{60, 10, 0} {
			if Racing && n < 60 {
				continue
			}
			t.Run(fmt.Sprint(name, n), func(t *testing.T) { goOn(t, o, n) })
		}
	}
}

// restored returns a book as it is saved, and what becomes of that.
func restored(t *testing.T, a *Book) ([]byte, *Book) {
	t.Helper()
	saved, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	b := new(Book)
	if err := json.Unmarshal(saved, b); err != nil {
		t.Fatal(err)
	}
	return saved, b
}

func goOn(t *testing.T, o *Options, n int) {
	w := newWorld(61, 3, even(6, 0.9, 0.4)...)
	if n > 10 {
		w.means = even(6, 0, 1.5)
	}
	a := newBook(o)
	w.fill(a, n, 5)
	a.Model()
	w.fill(a, n/10, 5)
	saved, b := restored(t, a)
	if again, _ := json.Marshal(b); !slices.Equal(saved, again) {
		t.Fatal("a restored book is saved otherwise")
	}
	for i := range 60 {
		ballots, right := w.decision(nil)
		x, xn := a.Model().Probabilities(ballots)
		y, yn := b.Model().Probabilities(ballots)
		if !slices.Equal(x, y) || xn != yn {
			t.Fatalf("decision %d: restored book says %v, original %v", i, y, x)
		}
		for _, book := range []*Book{a, b} {
			if err := observe(book, fmt.Sprint("later", i), ballots, right, true); err != nil {
				t.Fatal(err)
			}
		}
	}
	if x, y := a.Model().Certificate(), b.Model().Certificate(); x != y {
		t.Errorf("certificate %+v, original %+v", y, x)
	}
	if !reflect.DeepEqual(a.Model().Voters(), b.Model().Voters()) {
		t.Error("other voters")
	}
}

// saved is a small book with everything in it.
func saved(o *Options) []byte {
	w := newWorld(62, 2, even(3, 0.9, 0.6)...)
	b := newBook(o)
	w.fill(b, 24, 2)
	b.Model()
	p, err := json.Marshal(b)
	if err != nil {
		panic(err)
	}
	return p
}

func TestBrokenStateIsRefused(t *testing.T) {
	for _, c := range []struct{ what, from, to string }{
		{"another version", `"version":1`, `"version":2`},
		{"no JSON", `{`, `[`},
		{"a voter twice", `"v1"`, `"v0"`},
		{"more voters known than there are", `"known":3,"certificate"`, `"known":9,"certificate"`},
		{"no defaults", `"rounds":20`, `"rounds":0`},
		{"an option out of range", `"rounds":20`, `"rounds":-1`},
		{"another kind", `"choices":2`, `"choices":3`},
		{"changes below 0", `"resolved":`, `"changed":-1,"resolved":`},
		{"votes cut short", `"voter":[0,`, `"voter":[`},
		{"a vote by nobody", `"voter":[0,`, `"voter":[9,`},
		{"a vote twice", `"voter":[0,1,`, `"voter":[0,0,`},
		{"a vote for nothing", `"said":[`, `"said":[7,`},
		{"an unknown outcome", `"known":[`, `"known":[5,`},
		{"decisions of many rows", `"rows":1`, `"rows":3`},
		{"no correlation", `"correlation":{`, `"correlation":null,"was":{`},
		{"a rate for nobody", `"rate":[`, `"rate":[0,`},
		{"a correlation above 1", `"pooled":`, `"pooled":9`},
		{"a lapse above 1", `"lapse":0`, `"lapse":3`},
		{"a scale below 0", `"scale":`, `"scale":-`},
	} {
		text := string(saved(&Options{Choices: letters(2)}))
		broken := strings.Replace(text, c.from, c.to, 1)
		if broken == text {
			t.Fatalf("%s: nothing to break", c.what)
		}
		b := newBook(nil)
		if err := json.Unmarshal([]byte(broken), b); err == nil {
			t.Errorf("%s was accepted", c.what)
		}
		if b.Len() != 0 || b.kind.choices != nil {
			t.Errorf("%s changed the book", c.what)
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	for _, o := range kinds(2) {
		f.Add(saved(o))
	}
	f.Add([]byte(`{"version":1}`))
	f.Fuzz(func(t *testing.T, p []byte) {
		b := new(Book)
		if json.Unmarshal(p, b) != nil {
			return
		}
		if b.Len() > 200 || len(b.names) > 50 || b.batch.widest() > 64 || b.o.Rounds > 50 {
			return // right, but too much for a fuzzer
		}
		ballots, err := consensus.NewBallots(nil, letters(2), []consensus.Vote{vote(0, "a"), vote(1, "b"), vote(9, "a")})
		if err != nil {
			t.Fatal(err)
		}
		Strategy{b.Model()}.Decide(ballots)
		b.Observe("fuzzed", ballots)
		b.Resolve("fuzzed", "a")
		if _, err := json.Marshal(b); err != nil {
			t.Errorf("a restored book cannot be saved: %v", err)
		}
		b.Model().Next(ballots, voters(2, 5), nil)
		b.Learn()
	})
}

func TestStatedWeightsAreKeptWithTheirVotes(t *testing.T) {
	w := talkers(19, 2)
	b := newBook(&Options{Choices: w.choices, Window: 80})
	plain := *w
	plain.means = nil
	plain.fill(b, 40, 0)
	w.fill(b, 50, 0)
	for i, x := range b.batch.Stated {
		if early := i < 6*(b.Len()-50); early != (x == 1) {
			t.Fatalf("vote %d of %d decisions states %v", i, b.Len(), x)
		}
	}
	saved, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	for _, damage := range [][2]string{
		{`"stated":[1,`, `"stated":[`},
		{`"stated":[1,`, `"stated":[0,`},
		{`"stated":[1,`, `"stated":[2,`},
	} {
		if err := json.Unmarshal([]byte(strings.Replace(string(saved), damage[0], damage[1], 1)), new(Book)); err == nil {
			t.Errorf("restored with %s", damage[1])
		}
	}
}

// refused checks that a book that was damaged is not restored.
func refused(t *testing.T, damage int, b *Book) {
	t.Helper()
	saved, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(saved, new(Book)); err == nil {
		t.Errorf("restored with damage %d", damage)
	}
}

func TestDamagedCalibrationIsRefused(t *testing.T) {
	for i, damage := range []func(*calibration){
		func(c *calibration) { c.Slope = c.Slope[1:] },
		func(c *calibration) { c.Usual = c.Usual[1:] },
		func(c *calibration) { c.Slope[0] = -1 },
		func(c *calibration) { c.Usual[0] = 100 },
		func(c *calibration) { c.Pool = -100 },
		func(c *calibration) { c.Mean = -1 },
		func(c *calibration) { c.Sd = -1 },
	} {
		w := talkers(23, 2)
		b := newBook(nil)
		w.fill(b, 30, 0)
		b.Learn()
		damage(b.model.params.Stated)
		refused(t, i, b)
	}
}

func TestDamagedMixtureIsRefused(t *testing.T) {
	for i, damage := range []func(*Model){
		func(m *Model) { m.certificate.Doubt = 1e300 },
		func(m *Model) { m.certificate.Doubt = -1 },
		func(m *Model) { m.certificate.Below = 2 },
		func(m *Model) { m.params.Coins.Modes[0].Weight /= 2 },
		func(m *Model) { m.params.Crowd = 1.5 },
		func(m *Model) { m.params.Constant = make([]int32, len(m.voters)+1) },
	} {
		b := newBook(nil)
		newWorld(23, 2, even(4, 0.9, 0.4)...).fill(b, 30, 0)
		damage(b.Learn())
		refused(t, i, b)
	}
}

func TestWhatIsLearnedWithExtremePriorsCanBeRestored(t *testing.T) {
	for name, about := range kinds(3) {
		o := Options{Rounds: 60}
		if about != nil {
			o.Choices, o.Stances = about.Choices, about.Stances
		}
		for _, p := range o.priors() {
			*p.value = 1e6
		}
		o.Residual = 1
		b := newBook(&o)
		newWorld(62, 3, even(5, 0.9, 0.6)...).fill(b, 60, 2)
		b.Learn()
		saved, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(saved, new(Book)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
