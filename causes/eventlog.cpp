// Replay of a trading log: applies the recorded events of a session to the
// state of the account, one after the other.
#include <cstdio>
#include <cstdint>
#include <vector>

struct Event { uint8_t kind; uint8_t slot; uint16_t amount; };
struct Account { int64_t cash, limit, fees; int64_t pos[256]; uint32_t trades, resets; };

static void replay(Account &a, const std::vector<Event> &log)
{
    for (const Event &e : log) {
        switch (e.kind) {
        case 0: a.cash += e.amount; break;
        case 1: a.cash -= e.amount; a.trades++; break;
        case 2: a.pos[e.slot] += e.amount; break;
        case 3: a.pos[e.slot] -= e.amount; a.fees += 2; break;
        case 4: a.limit = (a.limit >> 1) + e.amount; break;
        case 5: a.fees += e.amount & 31; break;
        case 6: a.pos[e.slot] = a.limit; a.resets++; break;
        default: a.pos[255 - e.slot] ^= a.fees; break;
        }
    }
}

int main()
{
    std::vector<Event> log(1500000);
    uint64_t r = 59;
    for (Event &e : log) {
        r = r * 6364136223846793005ULL + 1442695040888963407ULL;
        e.kind = static_cast<uint8_t>(r >> 61);
        e.slot = static_cast<uint8_t>(r >> 50);
        e.amount = static_cast<uint16_t>(r >> 33);
    }
    static Account a;
    for (int t = 0; t < 250; t++)
        replay(a, log);
    int64_t key = a.cash + a.limit + a.fees + a.trades + a.resets;
    for (int i = 0; i < 256; i++)
        key = key * 31 + a.pos[i];
    std::printf("account %llx\n", static_cast<unsigned long long>(key));
    return 0;
}
