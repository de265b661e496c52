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

static void step(std::vector<Vehicle> &cars, const Params &p, double ring, double dt) {
    const size_t n = cars.size();
    const double root = 1.0 / (2.0 * std::sqrt(p.amax * p.bsafe));
    for (size_t i = 0; i < n; i++) {
        Vehicle &c = cars[i];
        const Vehicle &lead = cars[i + 1 < n ? i + 1 : 0];
        double front = i + 1 < n ? lead.position : lead.position + ring;
        double gap = front - lead.length - c.position;
        double want = p.gap0 + c.speed * p.headway + c.speed * (c.speed - lead.speed) * root;
        double q = c.speed / c.wish_speed;
        double g = want / gap;
        c.acceleration = p.amax * (1.0 - q * q * q * q - g * g);
    }
    for (size_t i = 0; i < n; i++) {
        Vehicle &c = cars[i];
        double v = c.speed + c.acceleration * dt;
        if (v < 0.0) v = 0.0;
        c.position += 0.5 * (c.speed + v) * dt;
        c.speed = v;
    }
}

int main() {
    const int n = 120000, steps = 1200;
    const double spacing = 32.0, ring = n * spacing;
    Params p;
    std::vector<Vehicle> cars = make_traffic(n, spacing);
    for (int k = 0; k < steps; k++) step(cars, p, ring, 0.1);

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
