// Package race has goroutines that write what others use, and some that do not.
package race

import (
	"fmt"
	"net/http"
	"sync"
)

var total, seen = 0, map[string]int{}

func loops(all []int) (sum int, m map[int]int, out []int) {
	m, out = map[int]int{}, make([]int, len(all))
	var wg sync.WaitGroup
	for i, n := range all {
		wg.Go(func() {
			sum += n // want racing-write
			m[i] = n // want racing-write
			total++  // want racing-write
			out[i] = n
			own := n
			out[i] += own
		})
	}
	wg.Wait()
	return sum, m, out
}

func locked(all []int) (sum int) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	for _, n := range all {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			sum += n
		})
	}
	wg.Wait()
	return sum
}

func oneAfterTheOther(all []int) (sum int) {
	for _, n := range all {
		done := make(chan bool)
		go func() {
			sum += n
			close(done)
		}()
		<-done
	}
	return sum
}

func first(all []int) (found int) {
	done := make(chan bool)
	for _, n := range all {
		if n > 0 {
			go func() {
				found = n
				close(done)
			}()
			break
		}
	}
	<-done
	return found
}

func perTurn(all []int) {
	for _, n := range all {
		square := 0
		go func() {
			square = n * n
			fmt.Println(square)
		}()
	}
}

func early(f func() int) int {
	n := 0
	go func() { n = f() }() // want racing-write
	fmt.Println("started")
	return n
}

func late(f func() int) int {
	n, done := 0, make(chan bool)
	go func() {
		n = f()
		done <- true
	}()
	<-done
	return n
}

func handler(_ http.ResponseWriter, r *http.Request) {
	seen[r.URL.Path]++ // want served-write
	total = 1          // want served-write
	counts := map[string]int{}
	counts[r.Method]++
}

var mu sync.Mutex

func lockedHandler(_ http.ResponseWriter, r *http.Request) {
	mu.Lock()
	defer mu.Unlock()
	seen[r.URL.Path]++
}

func noHandler(path string) { seen[path]++ }
