/* Patient register: replaces record numbers by scrambled ones before a table
   is handed out for research; four rounds, without a key table. */
#include <stdint.h>
#include <stdio.h>

#define RECORDS 1024
#define TABLES 1700000

static uint64_t record[RECORDS];

static inline uint64_t turn(uint64_t x, int k)
{
    return x >> k | x << (64 - k);
}

__attribute__((target("bmi2"), noinline))
static void scramble(uint64_t *r, int n, uint64_t salt)
{
    for (int i = 0; i < n; i++) {
        uint64_t x = r[i] + salt;
        x = turn(x, 14) ^ turn(x, 18) ^ turn(x, 41);
        x = turn(x, 28) ^ turn(x, 34) ^ turn(x, 39);
        x = turn(x, 7) ^ turn(x, 23) ^ turn(x, 52);
        x = turn(x, 11) ^ turn(x, 31) ^ turn(x, 47);
        r[i] = x;
    }
}

int main(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < RECORDS; i++)
        record[i] = 1000003ull * (unsigned)i;
    for (int t = 0; t < TABLES; t++) {
        scramble(record, RECORDS, (uint64_t)t | 1);
        sum += record[t % RECORDS];
    }
    printf("register sum %016llx\n", (unsigned long long)sum);
    return 0;
}
