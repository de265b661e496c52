/* Spectrometer: converts detector positions to wavelengths with the
   calibration polynomial of the instrument. */
#include <stdio.h>
enum { PIXELS = 2048, SPECTRA = 6500000 };
static float pos[PIXELS], wave[PIXELS];
static void __attribute__((noinline)) calibrate(const float *restrict x, float *restrict w, const float *c) {
    float c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3], c4 = c[4], c5 = c[5];
    float c6 = c[6], c7 = c[7], c8 = c[8], c9 = c[9];
    for (int i = 0; i < PIXELS; i++) {
        float t = x[i];
        w[i] = ((((((((c9 * t + c8) * t + c7) * t + c6) * t + c5) * t + c4) * t + c3) * t + c2) * t + c1) * t + c0;
    }
}
int main(void) {
    float c[10];
    double sum = 0;
    for (int i = 0; i < PIXELS; i++) pos[i] = (float)i / PIXELS - 0.5f;
    for (int k = 0; k < 10; k++) c[k] = 1.0f / (float)(k + 2);
    for (int s = 0; s < SPECTRA; s++) {
        c[0] = 400.0f + (float)(s & 15);
        calibrate(pos, wave, c);
        sum += wave[s % PIXELS];
    }
    printf("calib %.4f\n", sum);
    return 0;
}
