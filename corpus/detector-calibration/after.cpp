// Linearises the raw readings of a detector: every channel has its own calibration polynomial.
#include <cstdint>
#include <cstdio>
#include <vector>

const int MAXTERMS = 8;

// coeff[k * nch + c]: highest power first, padded with leading zeros to MAXTERMS terms
struct Calibration {
    int nch;
    std::vector<float> coeff;
};

static uint32_t next(uint32_t &s) {
    s = s * 1664525u + 1013904223u;
    return s >> 8;
}

static Calibration make_calibration(int nch) {
    Calibration cal;
    cal.nch = nch;
    cal.coeff.assign((size_t)MAXTERMS * nch, 0.0f);
    uint32_t s = 77;
    for (int c = 0; c < nch; c++) {
        int terms = 2 + (int)(next(s) % 7);
        for (int k = MAXTERMS - terms; k < MAXTERMS; k++)
            cal.coeff[(size_t)k * nch + c] = ((int)(next(s) % 2001) - 1000) * 1e-3f;
    }
    return cal;
}

static void calibrate(const Calibration &cal, const float *__restrict raw, float *__restrict value) {
    const int n = cal.nch;
    const float *__restrict p = cal.coeff.data();
    for (int c = 0; c < n; c++) {
        float x = raw[c], y = p[c];
        y = y * x + p[1 * n + c];
        y = y * x + p[2 * n + c];
        y = y * x + p[3 * n + c];
        y = y * x + p[4 * n + c];
        y = y * x + p[5 * n + c];
        y = y * x + p[6 * n + c];
        y = y * x + p[7 * n + c];
        value[c] = y;
    }
}

int main() {
    const int nch = 768, frames = 560000;
    Calibration cal = make_calibration(nch);
    std::vector<uint32_t> adc(nch);
    std::vector<float> raw(nch), value(nch), peak(nch, -1e30f), mean(nch, 0.0f);
    for (int c = 0; c < nch; c++) adc[c] = 12345u + 977u * c;

    for (int f = 0; f < frames; f++) {
        for (int c = 0; c < nch; c++) {
            adc[c] = adc[c] * 1664525u + 1013904223u;
            raw[c] = (float)(int)(adc[c] >> 18) * (1.0f / 16384.0f);
        }
        calibrate(cal, raw.data(), value.data());
        for (int c = 0; c < nch; c++) {
            peak[c] = value[c] > peak[c] ? value[c] : peak[c];
            mean[c] += (value[c] - mean[c]) * 0.001f;
        }
    }

    double sp = 0, sm = 0;
    for (int c = 0; c < nch; c++) { sp += peak[c]; sm += mean[c]; }
    printf("peak sum %.5f mean sum %.5f\n", sp, sm);
    for (int c = 0; c < nch; c += 128) printf("%d %.6f %.6f\n", c, peak[c], mean[c]);
}
