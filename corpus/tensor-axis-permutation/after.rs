// Reorders the axes of activation tensors, as needed between the layers of a small inference engine.

struct Tensor {
    shape: Vec<usize>,
    data: Vec<f32>,
}

fn strides(shape: &[usize]) -> Vec<usize> {
    let mut s = vec![1; shape.len()];
    for d in (0..shape.len() - 1).rev() {
        s[d] = s[d + 1] * shape[d + 1];
    }
    s
}

impl Tensor {
    fn new(shape: &[usize], seed: u32) -> Tensor {
        let n = shape.iter().product();
        let mut s = seed;
        let mut data = Vec::with_capacity(n);
        for _ in 0..n {
            s = s.wrapping_mul(1664525).wrapping_add(1013904223);
            data.push((s >> 8) as f32 / 16777216.0 - 0.5);
        }
        Tensor { shape: shape.to_vec(), data }
    }

    fn permute(&self, axes: [usize; 4]) -> Tensor {
        let shape: Vec<usize> = axes.iter().map(|&a| self.shape[a]).collect();
        let src = strides(&self.shape);
        let step = [src[axes[0]], src[axes[1]], src[axes[2]], src[axes[3]]];
        let mut data = Vec::with_capacity(self.data.len());
        for c0 in 0..shape[0] {
            for c1 in 0..shape[1] {
                for c2 in 0..shape[2] {
                    let base = c0 * step[0] + c1 * step[1] + c2 * step[2];
                    if step[3] == 1 {
                        data.extend_from_slice(&self.data[base..base + shape[3]]);
                    } else {
                        data.extend(self.data[base..].iter().step_by(step[3]).take(shape[3]));
                    }
                }
            }
        }
        Tensor { shape, data }
    }

    fn scale_bias(&mut self, scale: f32, bias: f32) {
        for v in self.data.iter_mut() {
            *v = (*v * scale + bias).clamp(-4.0, 4.0);
        }
    }
}

fn checksum(t: &Tensor) -> f64 {
    t.data.iter().enumerate().map(|(i, &v)| v as f64 * ((i % 101) as f64)).sum()
}

fn main() {
    // batch, sequence, heads, head size
    let mut x = Tensor::new(&[4, 96, 12, 48], 99);
    for layer in 0..180 {
        let mut y = x.permute([0, 2, 1, 3]);
        y.scale_bias(1.01, 0.001 * (layer % 7) as f32);
        let mut z = y.permute([0, 1, 3, 2]);
        z.scale_bias(0.99, -0.002);
        x = z.permute([0, 3, 1, 2]);
        if layer % 50 == 0 {
            println!("layer {} checksum {:.6}", layer, checksum(&x));
        }
    }
    println!("shape {:?}", x.shape);
    println!("checksum {:.6} first {:.6} last {:.6}", checksum(&x), x.data[0], x.data[x.data.len() - 1]);
}
