/* Comparison of a symbol with a key, for symtab.c:
   kept in a file of its own as linkers have it in their name module. */
#include <stdint.h>
struct sym { uint32_t next; uint32_t key; uint32_t ref; uint32_t size; uint64_t addr[6]; };
int same_symbol(const struct sym *s, uint32_t key);
int same_symbol(const struct sym *s, uint32_t key)
{
    return s->key == key;
}
