/* Risk of a portfolio by Monte Carlo: many scenarios of market moves, the loss in each, and the loss that only one
 * scenario in a hundred exceeds. --threads or OMP_NUM_THREADS threads share the scenarios of one calculation. */
#include "case.h"
#include "portfolio.h"

#include <math.h>
#include <pthread.h>
#include <unistd.h>

/* Days of history from which the moves of each factor are drawn. */
enum { HISTORY = 1024 };

struct share {
    const struct portfolio *portfolio;
    const double *draws;
    long scenarios;
    double *changes, *total;
    pthread_t thread;
};

static void *work(void *argument)
{
    struct share *share = argument;
    evaluate(share->portfolio, share->draws, share->scenarios, share->changes, share->total);
    return NULL;
}

/* All scenarios, in contiguous shares of almost equal size; the calling thread takes the first. */
static void simulate(struct share *shares, int threads)
{
    for (int t = 1; t < threads; t++)
        if (pthread_create(&shares[t].thread, NULL, work, &shares[t])) {
            fprintf(stderr, "no thread could be started\n");
            exit(1);
        }
    work(&shares[0]);
    for (int t = 1; t < threads; t++)
        pthread_join(shares[t].thread, NULL);
}

/* This program divides the scenarios among threads. OpenBLAS reads the number of its own threads when it is loaded, before
 * main, and its idle threads spin beside ours: restart without them. */
static void keep_library_single(char **argv)
{
    const char *threads = getenv("OPENBLAS_NUM_THREADS");
    if (threads && strcmp(threads, "1") && !setenv("OPENBLAS_NUM_THREADS", "1", 1))
        execv("/proc/self/exe", argv); /* if it fails, the program is only slower */
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    keep_library_single(argv);
    int factors = (int)case_option(argc, argv, "--factors", 8);
    int instruments = (int)case_option(argc, argv, "--instruments", 16);
    long scenarios = case_option(argc, argv, "--scenarios", 100);
    const char *wanted = getenv("OMP_NUM_THREADS");
    int threads = (int)case_option(argc, argv, "--threads", wanted ? strtol(wanted, NULL, 10) : 1);
    if (factors < 1 || instruments < 1 || scenarios < 1 || threads < 1) {
        fprintf(stderr, "%s: nothing to calculate\n", argv[0]);
        return 2;
    }
    double *correlate = case_memory((size_t)factors * (size_t)factors, sizeof *correlate);
    double *sensitivity = case_memory((size_t)instruments * (size_t)factors, sizeof *sensitivity);
    double *weight = case_memory((size_t)instruments, sizeof *weight);
    double *history = case_memory(HISTORY, sizeof *history);
    double *draws = case_memory((size_t)scenarios * (size_t)factors, sizeof *draws);
    double *changes = case_memory((size_t)scenarios, sizeof *changes);
    double *totals = case_memory((size_t)threads * (size_t)instruments, sizeof *totals);
    struct share *shares = case_memory((size_t)threads, sizeof *shares);
    uint64_t state = 1;
    /* The lower triangle of a factorised correlation matrix, stored in full as libraries require. */
    for (int i = 0; i < factors; i++)
        for (int j = 0; j <= i; j++)
            correlate[(size_t)i * (size_t)factors + (size_t)j] = (case_random(&state) - 0.3) / factors;
    for (size_t i = 0; i < (size_t)instruments * (size_t)factors; i++)
        sensitivity[i] = case_random(&state) - 0.4;
    for (int i = 0; i < instruments; i++)
        weight[i] = case_random(&state);
    /* Normally distributed moves (Box and Muller, 1958). */
    for (int i = 0; i < HISTORY; i++)
        history[i] = sqrt(-2 * log(1 - case_random(&state))) * cos(6.283185307179586 * case_random(&state));
    for (size_t i = 0; i < (size_t)scenarios * (size_t)factors; i++)
        draws[i] = history[(size_t)(case_random(&state) * HISTORY)];
    struct portfolio portfolio = {factors, instruments, correlate, sensitivity, weight};
    for (int t = 0; t < threads; t++) {
        long from = scenarios * t / threads, to = scenarios * (t + 1) / threads;
        shares[t] = (struct share){
            .portfolio = &portfolio,
            .draws = draws + from * factors,
            .scenarios = to - from,
            .changes = changes + from,
            .total = totals + (size_t)t * (size_t)instruments,
        };
    }

    double start = case_seconds();
    simulate(shares, threads);
    double seconds = case_seconds() - start;

    double mean = 0, square = 0, instrument = 0;
    for (int t = 0; t < threads; t++)
        for (int i = 0; i < instruments; i++)
            instrument += totals[t * instruments + i];
    for (long s = 0; s < scenarios; s++) {
        mean += changes[s] / (double)scenarios;
        square += changes[s] * changes[s] / (double)scenarios;
    }
    qsort(changes, (size_t)scenarios, sizeof *changes, ascending);
    double per_scenario = 2.0 * factors * factors + 2.0 * instruments * factors + 3.0 * instruments;
    case_print("seconds", seconds);
    case_print("flop", per_scenario * (double)scenarios);
    case_print("bytes", 8.0 * ((double)scenarios * factors + (double)factors * factors + (double)instruments * factors));
    case_print("working_set", 8.0 * ((double)factors * factors + (double)instruments * factors));
    case_print("mean", mean);
    case_print("deviation", sqrt(square - mean * mean));
    case_print("value_at_risk", -changes[scenarios / 100]);
    case_print("instruments", instrument / (double)scenarios);
    return 0;
}
