/* Times messages between two ranks on one node, messages between two nodes, and two collective calls of all ranks. Rank 0 prints every
 * sample in nanoseconds, one line for each size; whoever reads them chooses the quantile.
 *
 * Ranks that do not take part look once a millisecond whether it is over: spinning, they would take CPUs from those that do. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef MOST
#define MOST 1000 /* samples of a size; a simulator needs few, as its times are exact */
#endif

enum {
    LARGEST = 4 << 20, /* bytes */
    BATCH = 20,        /* samples from one look at the clock to the next */
    WARM = 5,          /* round trips at the begin that are not timed: connections and buffers are made at first use */
    WINDOW = 64,       /* messages sent at once, as osu_mbw_mr has */
    CALLS = 10         /* collective calls of a sample */
};

static const double LIMIT = 0.2; /* seconds of a size, begun samples apart */

static char *buffer;
static double samples[MOST];

static void report(const char *what, int bytes, int n) {
    printf("%s %d", what, bytes);
    for (int i = 0; i < n; i++)
        printf(" %.0f", samples[i] * 1e9);
    printf("\n");
    fflush(stdout);
}

/* Wait for all ranks without spinning. */
static void gather(void) {
    MPI_Request request;
    int over = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (;;) {
        MPI_Test(&request, &over, MPI_STATUS_IGNORE);
        if (over)
            return;
        struct timespec pause = {0, 1000000};
        nanosleep(&pause, NULL);
    }
}

static void send(int bytes, int to) { MPI_Send(buffer, bytes, MPI_BYTE, to, 1, MPI_COMM_WORLD); }
static void receive(int bytes, int from) {
    MPI_Recv(buffer, bytes, MPI_BYTE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* A sample: there and back, or a window of messages and an empty answer. */
static void first(int bytes, int other, int window) {
    if (window) {
        MPI_Request all[WINDOW];
        for (int i = 0; i < WINDOW; i++)
            MPI_Isend(buffer, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD, &all[i]);
        MPI_Waitall(WINDOW, all, MPI_STATUSES_IGNORE);
        receive(0, other);
    } else {
        send(bytes, other);
        receive(bytes, other);
    }
}

static void second(int bytes, int window) {
    if (window) {
        MPI_Request all[WINDOW];
        for (int i = 0; i < WINDOW; i++)
            MPI_Irecv(buffer + i * 64, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &all[i]);
        MPI_Waitall(WINDOW, all, MPI_STATUSES_IGNORE);
        send(0, 0);
    } else {
        receive(bytes, 0);
        send(bytes, 0);
    }
}

static void sample(int rank, int bytes, int other, int window) {
    if (rank == 0)
        first(bytes, other, window);
    else
        second(bytes, window);
}

static void size(const char *what, int rank, int other, int bytes, int window) {
    int more = 0, n = 0;
    if (rank != 0 && rank != other)
        return;
    for (int i = 0; i < WARM; i++)
        sample(rank, bytes, other, window);
    for (double begin = MPI_Wtime();;) {
        if (rank == 0) {
            more = n < MOST && (n == 0 || MPI_Wtime() - begin < LIMIT);
            MPI_Send(&more, 1, MPI_INT, other, 2, MPI_COMM_WORLD);
        } else {
            MPI_Recv(&more, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        if (!more)
            break;
        /* The answer of the first one says that the other has read `more`. */
        sample(rank, bytes, other, window);
        for (int i = 0; i < BATCH; i++) {
            double from = MPI_Wtime();
            sample(rank, bytes, other, window);
            samples[n++] = MPI_Wtime() - from;
        }
    }
    if (rank == 0)
        report(what, bytes, n);
}

/* Between rank 0 and this one. */
static void pair(const char *trips, const char *windows, int rank, int other) {
    size(trips, rank, other, 0, 0);
    for (int bytes = 8; bytes <= LARGEST; bytes *= 2) {
        size(trips, rank, other, bytes, 0);
        /* Chunks show between powers of two. */
        if (bytes >= 1 << 19 && bytes < LARGEST)
            size(trips, rank, other, bytes / 2 * 3, 0);
    }
    size(windows, rank, other, 8, 1);
    gather();
}

static void collective(const char *what, int rank, int reduce) {
    int more = 1, n = 0;
    double value = 1, sum;
    for (double begin = MPI_Wtime(); more;) {
        for (int i = 0; i < BATCH; i++) {
            double from = MPI_Wtime();
            for (int k = 0; k < CALLS; k++)
                reduce ? MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD) : MPI_Barrier(MPI_COMM_WORLD);
            samples[n++] = (MPI_Wtime() - from) / CALLS;
        }
        more = n < MOST && MPI_Wtime() - begin < LIMIT;
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (rank == 0)
        report(what, reduce ? 8 : 0, n);
}

int main(int argc, char **argv) {
    int rank, ranks, length = 0;
    static char library[MPI_MAX_LIBRARY_VERSION_STRING + 1];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Get_library_version(library, &length);
    library[strcspn(library, "\n,")] = 0;
    buffer = calloc(1, LARGEST);
    int *nodes = malloc(ranks * sizeof *nodes);
    if (!buffer || !nodes) {
        fprintf(stderr, "no memory for messages of %d bytes\n", LARGEST);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    /* A node is named by the lowest of the ranks that share its memory. */
    MPI_Comm node;
    int mine = rank;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    MPI_Bcast(&mine, 1, MPI_INT, 0, node);
    MPI_Allgather(&mine, 1, MPI_INT, nodes, 1, MPI_INT, MPI_COMM_WORLD);
    int hosts = 0, near = -1, far = -1;
    for (int i = 0; i < ranks; i++) {
        hosts += nodes[i] == i;
        if (i > 0 && nodes[i] == nodes[0] && near < 0)
            near = i;
        if (nodes[i] != nodes[0] && far < 0)
            far = i;
    }
    if (rank == 0) {
        printf("loopwright-network 1\nlibrary %s\nranks %d %d\n", library, ranks, hosts);
        fflush(stdout);
    }
    if (near > 0)
        pair("node", "node-window", rank, near);
    if (far > 0)
        pair("between", "between-window", rank, far);
    if (ranks > 1) {
        collective("barrier", rank, 0);
        collective("allreduce", rank, 1);
    }
    if (rank == 0) {
        printf("end\n");
        fflush(stdout);
    }
    MPI_Finalize();
    return 0;
}
