/* Books a parcel's weight to the account of a station; part of the depot
   records program. */
#include <stdint.h>
void book(uint64_t *acc, uint32_t station, uint32_t weight);
void book(uint64_t *acc, uint32_t station, uint32_t weight)
{
    acc[station & 255u] += weight;
}
