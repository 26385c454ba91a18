// Package pages serves pages.
package pages

import (
	"html/template"
	"net/http"
	"sync"
)

var page = template.Must(template.New("page").Parse("<h1>Hello {{.}}</h1>"))

// A Counter counts visits; it may serve many at once.
type Counter struct {
	mu     sync.Mutex
	visits map[string]int
}

// ServeHTTP greets the visitor by name.
func (c *Counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.count(r.URL.Path)
	if err := page.Execute(w, r.FormValue("name")); err != nil {
		http.Error(w, "no page", http.StatusInternalServerError)
	}
}

func (c *Counter) count(path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.visits == nil {
		c.visits = make(map[string]int)
	}
	c.visits[path]++
}
