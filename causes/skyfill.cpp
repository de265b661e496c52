// Software renderer: the depth tile is cleared and the sky colour laid into
// the colour tile before the triangles are drawn.
#include <cstdio>
template <class T>
static inline void clear(T *t, int n, T v)
{
    for (int i = 0; i < n; i++)
        t[i] = v;
}
static float tile[4096] __attribute__((aligned(64)));
int main()
{
    double s = 0;
    for (int f = 0; f < 20000000; f++) {
        float v = 1.0f + static_cast<float>(f & 1023);
        clear(tile, 4096, v);
        s += tile[(f * 13) & 4095];
    }
    std::printf("%.1f\n", s);
    return 0;
}
