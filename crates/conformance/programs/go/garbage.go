// PROGRAM: trees that become garbage while others are built, from several goroutines.
package main

import (
	"fmt"
	"sync"
)

type node struct {
	left, right *node
	value       int
}

func grow(depth, value int) *node {
	if depth == 0 {
		return &node{value: value}
	}
	return &node{grow(depth-1, 2*value), grow(depth-1, 2*value+1), value}
}

func (n *node) sum() int {
	if n == nil {
		return 0
	}
	return n.value + n.left.sum() - n.right.sum()
}

func main() {
	var wait sync.WaitGroup
	sums := make([]int, 4)
	for g := range sums {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for round := 0; round < 40; round++ {
				sums[g] += grow(11, round+g).sum()
			}
		}()
	}
	wait.Wait()
	fmt.Println(sums)
}
