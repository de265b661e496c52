// PROGRAM: maps, strings, sorting, interfaces, deferred calls and recovered panics.
package main

import (
	"fmt"
	"sort"
	"strings"
)

type shape interface{ area() float64 }
type square struct{ a float64 }
type disc struct{ r float64 }

func (s square) area() float64 { return s.a * s.a }
func (d disc) area() float64   { return 3 * d.r * d.r }

func risky(n int) (result int) {
	defer func() {
		if r := recover(); r != nil {
			result = -1
		}
	}()
	values := []int{1, 2, 3}
	return values[n]
}

func main() {
	counts := map[string]int{}
	for i := 0; i < 200000; i++ {
		counts[fmt.Sprint("k", i%997)] += i
	}
	keys := make([]string, 0, len(counts))
	for k := range counts {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	total, areas := 0, 0.0
	for i, k := range keys {
		total = (total*31 + counts[k]) % 1000003
		var s shape = square{float64(i)}
		if i%2 == 0 {
			s = disc{float64(i)}
		}
		areas += s.area()
	}
	failed := 0
	for i := 0; i < 100; i++ {
		failed += risky(i % 5)
	}
	fmt.Println(total, areas, failed, strings.Count(strings.Join(keys, ","), "9"))
}
