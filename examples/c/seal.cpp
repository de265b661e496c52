// Seals messages with AES-128-CBC and HMAC-SHA-256, several at a time, opens them again, and shows what becomes of one that
// somebody has changed on the way. C++ with the header for C.
#include <loopwright_kernels.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void check(lw_status status)
{
    if (status != LW_OK)
        throw std::runtime_error(lw_last_error());
}

struct Free {
    void operator()(lw_cbc_hmac *keys) const { lw_cbc_hmac_free(keys); }
};
using Keys = std::unique_ptr<lw_cbc_hmac, Free>;

// From the system's random numbers: keys and IVs must be unforeseeable.
void fill_randomly(std::uint8_t *bytes, std::size_t count)
{
    static std::random_device device;
    std::generate(bytes, bytes + count, [] { return static_cast<std::uint8_t>(device()); });
}

Keys new_keys()
{
    std::uint8_t cipher[16], mac[32];
    fill_randomly(cipher, sizeof cipher);
    fill_randomly(mac, sizeof mac);
    lw_cbc_hmac *keys = nullptr;
    check(lw_cbc_hmac_new(LW_AES_128, cipher, sizeof cipher, LW_HMAC_SHA256, mac, sizeof mac, 0, &keys));
    return Keys(keys);
}

} // namespace

int main()
try {
    const Keys keys = new_keys();
    const std::string header = "a header that everybody may read";
    // Whole blocks of 16 bytes.
    std::vector<std::string> texts{"sixteen letters.", std::string(4096, 'x'), std::string(160, 'y')};
    const std::vector<std::string> originals = texts;

    std::vector<lw_cbc_hmac_message> messages(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        messages[i].keys = keys.get();
        messages[i].aad = header.data();
        messages[i].aad_length = header.size();
        messages[i].data = &texts[i][0];
        messages[i].length = texts[i].size();
        fill_randomly(messages[i].iv, sizeof messages[i].iv);
    }
    check(lw_cbc_hmac_seal_many(messages.data(), messages.size()));

    texts[1][100] ^= 1;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const lw_cbc_hmac_message &message = messages[i];
        const lw_status status = lw_cbc_hmac_open(keys.get(), message.iv, message.aad, message.aad_length, message.data,
                                                  message.length, message.tag, lw_cbc_hmac_tag_bytes(keys.get()));
        if (status == LW_ERROR_REJECTED)
            std::cout << "message " << i << ": " << lw_last_error() << '\n';
        else
            check(status), std::cout << "message " << i << ": " << texts[i].size() << " bytes\n";
        if ((status == LW_OK) != (texts[i] == originals[i]) || (status == LW_OK) == (i == 1))
            return 1;
    }
    return 0;
} catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
}
