/* The end of every generated program in C: PROGRAM [THREADS]. */
struct work { pthread_t thread; u64 sums[ROOTS * ROUNDS]; };

static void *run(void *place) {
    struct work *work = place;
    for (int root = 0; root < ROOTS; root++)
        for (int round = 0; round < ROUNDS; round++) {
            u64 seed = root * 1000003ul + round;
            for (int i = 0; i < 256; i++)
                mem[i] = seed = seed * 6364136223846793005ul + 1442695040888963407ul;
            for (int i = 0; i < 128; i++)
                real[i] = (double)(mem[i] >> 40) * 0.125;
            u64 sum = roots[root](mem[3], mem[round]);
            for (int i = 0; i < 256; i++)
                sum = (sum ^ mem[i]) * 1099511628211ul;
            for (int i = 0; i < 128; i++)
                sum = (sum ^ bits(real[i])) * 1099511628211ul;
            work->sums[root * ROUNDS + round] = sum;
        }
    return 0;
}

int main(int count, char **arguments) {
    enum { MOST = 8 };
    static struct work works[MOST];
    int threads = count > 1 ? atoi(arguments[1]) : 1;
    if (threads < 1 || threads > MOST)
        return 2;
    for (int i = 1; i < threads; i++)
        if (pthread_create(&works[i].thread, 0, run, &works[i]))
            return 3;
    run(&works[0]);
    for (int i = 1; i < threads; i++)
        pthread_join(works[i].thread, 0);
    for (int i = 0; i < threads; i++)
        for (int k = 0; k < ROOTS * ROUNDS; k++)
            printf("%d.%d.%d %016lx\n", i, k / ROUNDS, k % ROUNDS, works[i].sums[k]);
    return 0;
}
