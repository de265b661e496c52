// Generics, closures and inlined iterator adaptors.
mod shapes {
    pub trait Area {
        fn area(&self) -> f64;
    }
    pub struct Square(pub f64);
    pub struct Circle(pub f64);
    impl Area for Square {
        #[inline(never)]
        fn area(&self) -> f64 {
            self.0 * self.0
        }
    }
    impl Area for Circle {
        #[inline(never)]
        fn area(&self) -> f64 {
            3.14159 * self.0 * self.0
        }
    }
    #[inline(never)]
    pub fn total<T: Area>(all: &[T]) -> f64 {
        all.iter().map(|shape| shape.area()).filter(|area| *area > 1.0).sum()
    }
}

fn main() {
    let squares: Vec<_> = (0..10).map(|i| shapes::Square(i as f64)).collect();
    let circles = [shapes::Circle(1.0), shapes::Circle(2.0)];
    println!("{} {}", shapes::total(&squares), shapes::total(&circles));
}
