/* A k-d tree over the faces: nodes farther than the best face so far are skipped. Each node holds the faces of a
 * range of the array, halved along x, y and z in turn down to a few. */
#include "case.h"
#include "wall.h"

enum { LEAF = 16 };

struct tree {
    struct face *face; /* in the order of the leaves */
    int *number;       /* of each of them on the wall */
    double *plane;     /* between the halves, at the place of the first face of the upper one */
};

/* Puts the smaller half along `d` in front of `middle` (C. A. R. Hoare's selection). */
static void halve(struct tree t, int begin, int end, int middle, int d)
{
    while (end - begin > 1) {
        double pivot = t.face[begin + (end - begin) / 2].at[d];
        int i = begin, j = end - 1;
        while (i <= j) {
            while (t.face[i].at[d] < pivot)
                i++;
            while (t.face[j].at[d] > pivot)
                j--;
            if (i <= j) {
                struct face face = t.face[i];
                int number = t.number[i];
                t.face[i] = t.face[j];
                t.number[i++] = t.number[j];
                t.face[j] = face;
                t.number[j--] = number;
            }
        }
        if (middle <= j)
            end = j + 1;
        else if (middle >= i)
            begin = i;
        else
            return;
    }
}

static void build(struct tree t, int begin, int end, int d)
{
    if (end - begin <= LEAF)
        return;
    int middle = begin + (end - begin) / 2;
    halve(t, begin, end, middle, d);
    t.plane[middle] = t.face[middle].at[d];
    build(t, begin, middle, (d + 1) % 3);
    build(t, middle, end, (d + 1) % 3);
}

struct query {
    double at[3], square;
    int face; /* in the tree's order */
};

static void try(struct tree t, int f, struct query *q)
{
    const struct face *face = &t.face[f];
    double dx = q->at[0] - face->at[0];
    double dy = q->at[1] - face->at[1];
    double dz = q->at[2] - face->at[2];
    double s = dx * dx + dy * dy + dz * dz;
    if (s < q->square && face->normal[0] * dx + face->normal[1] * dy + face->normal[2] * dz > 0) {
        q->square = s;
        q->face = f;
    }
}

/* The box of these faces is `away` from the query in each direction, `square` of it in all (S. Arya, D. Mount, 1993). */
static void visit(struct tree t, int begin, int end, int d, const double away[3], double square, struct query *q)
{
    if (square >= q->square)
        return;
    if (end - begin > LEAF) {
        int middle = begin + (end - begin) / 2, next = (d + 1) % 3;
        double beyond = q->at[d] - t.plane[middle];
        double far[3] = { away[0], away[1], away[2] };
        far[d] = beyond;
        double far_square = square - away[d] * away[d] + beyond * beyond;
        if (beyond < 0) {
            visit(t, begin, middle, next, away, square, q);
            visit(t, middle, end, next, far, far_square, q);
        } else {
            visit(t, middle, end, next, away, square, q);
            visit(t, begin, middle, next, far, far_square, q);
        }
        return;
    }
    for (int f = begin; f < end; f++)
        try(t, f, q);
}

void wall_distance(const double (*centre)[3], int cells, const struct face *wall, int faces, double *square, int *nearest)
{
    size_t n = (size_t)faces;
    struct tree t = { case_memory(n, sizeof *t.face), case_memory(n, sizeof *t.number), case_memory(n, sizeof *t.plane) };
    for (int f = 0; f < faces; f++) {
        t.face[f] = wall[f];
        t.number[f] = f;
    }
    build(t, 0, faces, 0);
    int last = 0;
    for (int c = 0; c < cells; c++) {
        struct query q = { { centre[c][0], centre[c][1], centre[c][2] }, square[c], -1 };
        /* The neighbour's face is near: it excludes most of the tree at once. */
        if (faces > 0)
            try(t, last, &q);
        visit(t, 0, faces, 0, (double[3]){ 0 }, 0, &q);
        if (q.face < 0)
            continue;
        square[c] = q.square;
        nearest[c] = t.number[q.face];
        last = q.face;
    }
    free(t.face);
    free(t.number);
    free(t.plane);
}
