// Traffic simulation on a set of ring roads: intelligent driver model, one record per vehicle.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

struct Vehicle {
    int id;
    int lane;
    char plate[16];
    double position;
    double speed;
    double acceleration;
    double length;
    double odometer;
    double fuel;
    double depart_time;
    double wish_speed;
    int origin, destination;
    int route[8];
};

struct Params {
    double headway = 1.4;
    double gap0 = 2.0;
    double amax = 1.1;
    double bsafe = 1.7;
};

static std::vector<Vehicle> make_traffic(int n, double spacing) {
    std::vector<Vehicle> v(n);
    unsigned s = 31415;
    for (int i = 0; i < n; i++) {
        s = s * 1664525u + 1013904223u;
        Vehicle &c = v[i];
        c = Vehicle();
        c.id = i;
        std::snprintf(c.plate, sizeof c.plate, "X%06d", i % 1000000);
        c.position = spacing * i;
        c.speed = 15.0 + (s >> 24) / 64.0;
        c.length = (s >> 16) % 10 == 0 ? 12.0 : 4.5;
        c.wish_speed = 24.0 + ((s >> 12) % 100) * 0.1;
        c.origin = i % 17;
        c.destination = i % 23;
    }
    return v;
}

// The fields that the time loop uses, one array each; the rest of a vehicle stays in its record.
struct Motion {
    std::vector<double> position, speed, acceleration, length, wish_speed;

    explicit Motion(const std::vector<Vehicle> &cars) {
        for (const Vehicle &c : cars) {
            position.push_back(c.position);
            speed.push_back(c.speed);
            acceleration.push_back(c.acceleration);
            length.push_back(c.length);
            wish_speed.push_back(c.wish_speed);
        }
    }
    void store(std::vector<Vehicle> &cars) const {
        for (size_t i = 0; i < cars.size(); i++) {
            cars[i].position = position[i];
            cars[i].speed = speed[i];
            cars[i].acceleration = acceleration[i];
        }
    }
};

static inline double accelerate(const Params &p, double root, double x, double v, double wish,
                                double front, double lead_length, double lead_speed) {
    double gap = front - lead_length - x;
    double want = p.gap0 + v * p.headway + v * (v - lead_speed) * root;
    double q = v / wish;
    double g = want / gap;
    return p.amax * (1.0 - q * q * q * q - g * g);
}

static void step(Motion &m, const Params &params, double ring, double dt) {
    const Params p = params;
    const size_t n = m.speed.size();
    const double root = 1.0 / (2.0 * std::sqrt(p.amax * p.bsafe));
    double *__restrict x = m.position.data();
    double *__restrict v = m.speed.data();
    double *__restrict acc = m.acceleration.data();
    const double *__restrict len = m.length.data();
    const double *__restrict wish = m.wish_speed.data();
    for (size_t i = 0; i + 1 < n; i++)
        acc[i] = accelerate(p, root, x[i], v[i], wish[i], x[i + 1], len[i + 1], v[i + 1]);
    acc[n - 1] = accelerate(p, root, x[n - 1], v[n - 1], wish[n - 1], x[0] + ring, len[0], v[0]);
    for (size_t i = 0; i < n; i++) {
        double w = v[i] + acc[i] * dt;
        w = w < 0.0 ? 0.0 : w;
        x[i] += 0.5 * (v[i] + w) * dt;
        v[i] = w;
    }
}

int main() {
    const int n = 120000, steps = 1200;
    const double spacing = 32.0, ring = n * spacing;
    Params p;
    std::vector<Vehicle> cars = make_traffic(n, spacing);
    Motion motion(cars);
    for (int k = 0; k < steps; k++) step(motion, p, ring, 0.1);
    motion.store(cars);

    double mean = 0, slow = 1e9, travelled = 0;
    for (const Vehicle &c : cars) {
        mean += c.speed;
        if (c.speed < slow) slow = c.speed;
        travelled += c.position - spacing * c.id;
    }
    printf("mean speed %.9f slowest %.9f travelled %.6f\n", mean / n, slow, travelled);
    for (int i = 0; i < n; i += n / 5)
        printf("%s %.9f %.9f\n", cars[i].plate, cars[i].position, cars[i].speed);
}
