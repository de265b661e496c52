// PROGRAM: a sieve of goroutines that hand numbers on through channels.
package main

import "fmt"

func filter(in <-chan int, out chan<- int, prime int) {
	for {
		if n := <-in; n%prime != 0 {
			out <- n
		}
	}
}

func main() {
	numbers := make(chan int)
	go func() {
		for n := 2; ; n++ {
			numbers <- n
		}
	}()
	for i := 0; i < 120; i++ {
		prime := <-numbers
		if i%20 == 19 {
			fmt.Println(prime)
		}
		next := make(chan int)
		go filter(numbers, next, prime)
		numbers = next
	}
}
