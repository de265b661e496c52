// Linearises the raw readings of a detector: every channel has its own calibration polynomial.
#include <cstdint>
#include <cstdio>
#include <vector>

struct Channel {
    int first;   // index of the first coefficient, highest power first
    int terms;   // number of coefficients
};

struct Calibration {
    std::vector<Channel> channels;
    std::vector<float> coeff;
};

static uint32_t next(uint32_t &s) {
    s = s * 1664525u + 1013904223u;
    return s >> 8;
}

static Calibration make_calibration(int nch) {
    Calibration cal;
    uint32_t s = 77;
    for (int c = 0; c < nch; c++) {
        Channel ch;
        ch.first = (int)cal.coeff.size();
        ch.terms = 2 + (int)(next(s) % 7);
        for (int k = 0; k < ch.terms; k++)
            cal.coeff.push_back(((int)(next(s) % 2001) - 1000) * 1e-3f);
        cal.channels.push_back(ch);
    }
    return cal;
}

static void calibrate(const Calibration &cal, const float *raw, float *value) {
    for (size_t c = 0; c < cal.channels.size(); c++) {
        const Channel &ch = cal.channels[c];
        const float *p = &cal.coeff[ch.first];
        float y = p[0];
        for (int k = 1; k < ch.terms; k++)
            y = y * raw[c] + p[k];
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
