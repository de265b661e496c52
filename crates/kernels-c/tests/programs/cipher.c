/* Sealing and opening, one message and many; what is refused. Exits with 1 when something is wrong. */
#include "expect.h"
#include <stdlib.h>

/* RFC 7518, appendix B.1: A128CBC-HS256. */
static const char *TEXT = "A cipher system must not be required to be secret, and it must be able to fall into the "
                          "hands of the enemy without inconvenience";
static const char *AAD = "The second principle of Auguste Kerckhoffs";
static const uint8_t IV[16] = {0x1a, 0xf3, 0x8c, 0x2d, 0xc2, 0xb9, 0x6f, 0xfd,
                               0xd8, 0x66, 0x94, 0x09, 0x23, 0x41, 0xbc, 0x04};
static const uint8_t TAG[16] = {0x65, 0x2c, 0x3f, 0xa3, 0x6b, 0x0a, 0x7c, 0x5b,
                                0x32, 0x19, 0xfa, 0xb3, 0xa3, 0x0b, 0xc1, 0xc4};

#define MESSAGES 20

static void many(uint32_t cipher, uint32_t mac, const uint8_t *keys_bytes, const lw_cbc_hmac *other)
{
    static unsigned char data[MESSAGES][640], one[640];
    lw_cbc_hmac_message messages[MESSAGES];
    lw_cbc_hmac *keys[2] = {NULL, NULL};
    uint8_t tag[32];
    size_t i, tags, bytes = cipher == LW_AES_128 ? 16 : 32;

    EXPECT(lw_cbc_hmac_new(cipher, keys_bytes, bytes, mac, keys_bytes, 20, 0, &keys[0]) == LW_OK);
    EXPECT(lw_cbc_hmac_new(cipher, keys_bytes + 5, bytes, mac, keys_bytes, 40, 0, &keys[1]) == LW_OK);
    tags = lw_cbc_hmac_tag_bytes(keys[0]);
    EXPECT(tags == (mac == LW_HMAC_SHA1 ? 20 : 32));
    for (i = 0; i < MESSAGES; i++) {
        lw_cbc_hmac_message message = {keys[i % 2], AAD, i, data[i], i * 47 / 16 * 16 % 640, {(uint8_t)i}, {0}};
        messages[i] = message;
        memset(data[i], (int)i, sizeof data[i]);
    }
    EXPECT(lw_cbc_hmac_seal_many(messages, MESSAGES) == LW_OK);
    for (i = 0; i < MESSAGES; i++) {
        lw_cbc_hmac_message *m = &messages[i];
        memset(one, (int)i, sizeof one);
        EXPECT(lw_cbc_hmac_seal(m->keys, m->iv, AAD, i, one, m->length, tag, tags) == LW_OK);
        EXPECT(memcmp(one, data[i], m->length) == 0 && memcmp(tag, m->tag, tags) == 0);
        EXPECT(lw_cbc_hmac_open(m->keys, m->iv, AAD, i, data[i], m->length, m->tag, tags) == LW_OK);
        EXPECT(m->length == 0 || (data[i][0] == i && data[i][m->length - 1] == i));
    }

    messages[7].length = 17;
    REFUSED(lw_cbc_hmac_seal_many(messages, MESSAGES), LW_ERROR_LENGTH, "17 bytes of data");
    messages[7].length = 32;
    messages[7].data = data[6] + 16;
    REFUSED(lw_cbc_hmac_seal_many(messages, MESSAGES), LW_ERROR_OVERLAP, "data of message 7 overlaps");
    messages[7].data = messages;
    REFUSED(lw_cbc_hmac_seal_many(messages, MESSAGES), LW_ERROR_OVERLAP, "data of message 7 overlaps");
    messages[7].data = data[7];
    messages[9].aad = data[7];
    REFUSED(lw_cbc_hmac_seal_many(messages, MESSAGES), LW_ERROR_OVERLAP, "data of message 7 overlaps");
    messages[9].aad = AAD;
    messages[7].keys = other;
    REFUSED(lw_cbc_hmac_seal_many(messages, MESSAGES), LW_ERROR_VALUE, "the keys of message 7 are of another");
    messages[7].keys = NULL;
    REFUSED(lw_cbc_hmac_seal_many(messages, MESSAGES), LW_ERROR_NULL, "keys is null");
    for (i = 0; i < MESSAGES; i++)
        EXPECT(messages[i].length == 0 || data[i][0] == i);
    lw_cbc_hmac_free(keys[0]);
    lw_cbc_hmac_free(keys[1]);
}

/* Every length there and back, each level, and what is refused. */
static void padded(const lw_cbc_hmac *keys)
{
    uint8_t data[80], before[80], tag[16];
    size_t length, sealed, opened, i;
    uint32_t isa;

    for (isa = 0; isa <= lw_isa_best(); isa++)
        for (length = 0; length < 64; length++) {
            for (i = 0; i < sizeof data; i++)
                data[i] = (uint8_t)(7 * i);
            sealed = opened = 99;
            EXPECT(lw_cbc_hmac_seal_padded_with(isa, keys, IV, AAD, 5, data, length, 64, tag, 16, &sealed) == LW_OK);
            EXPECT(sealed == length / 16 * 16 + 16 && data[64] == (uint8_t)(7 * 64));
            memcpy(before, data, sizeof data);
            tag[3] ^= 4;
            REFUSED(lw_cbc_hmac_open_padded_with(isa, keys, IV, AAD, 5, data, sealed, tag, 16, &opened), LW_ERROR_REJECTED, "is rejected");
            tag[3] ^= 4;
            EXPECT(memcmp(data, before, sizeof data) == 0 && opened == 99);
            EXPECT(lw_cbc_hmac_open_padded_with(isa, keys, IV, AAD, 5, data, sealed, tag, 16, &opened) == LW_OK);
            EXPECT(opened == length);
            for (i = 0; i < length; i++)
                EXPECT(data[i] == (uint8_t)(7 * i));
            /* Sealed with the same keys, but not padded. */
            memset(data, 17, 64);
            EXPECT(lw_cbc_hmac_seal_with(isa, keys, IV, AAD, 5, data, 64, tag, 16) == LW_OK);
            memcpy(before, data, 64);
            REFUSED(lw_cbc_hmac_open_padded(keys, IV, AAD, 5, data, 64, tag, 16, &opened), LW_ERROR_REJECTED, "is rejected");
            EXPECT(memcmp(data, before, 64) == 0 && opened == length);
        }

    memcpy(before, data, sizeof data);
    sealed = 99;
    REFUSED(lw_cbc_hmac_seal_padded(keys, IV, AAD, 5, data, 64, 79, tag, 16, &sealed), LW_ERROR_LENGTH, "room for 79 bytes where 64 are padded to 80");
    REFUSED(lw_cbc_hmac_seal_padded(keys, IV, AAD, 5, data, SIZE_MAX, 80, tag, 16, &sealed), LW_ERROR_LENGTH, "room for 80 bytes");
    REFUSED(lw_cbc_hmac_seal_padded(keys, IV, AAD, 5, data, 20, 80, tag, 15, &sealed), LW_ERROR_LENGTH, "tag has 15 bytes");
    REFUSED(lw_cbc_hmac_seal_padded(keys, IV, AAD, 5, data, 20, 80, data + 70, 16, &sealed), LW_ERROR_OVERLAP, "tag overlaps");
    REFUSED(lw_cbc_hmac_seal_padded(keys, IV, AAD, 5, data, 20, 80, tag, 16, (size_t *)(void *)tag), LW_ERROR_OVERLAP, "sealed overlaps");
    REFUSED(lw_cbc_hmac_seal_padded(keys, IV, AAD, 5, data, 20, 80, tag, 16, NULL), LW_ERROR_NULL, "sealed is null");
    REFUSED(lw_cbc_hmac_open_padded(keys, IV, AAD, 5, data, 64, tag, 16, (size_t *)(void *)(data + 8)), LW_ERROR_OVERLAP, "opened overlaps");
    REFUSED(lw_cbc_hmac_open_padded(keys, IV, AAD, 5, data, 64, tag, 16, NULL), LW_ERROR_NULL, "opened is null");
    EXPECT(memcmp(data, before, sizeof data) == 0 && sealed == 99);
}

int main(void)
{
    uint8_t bytes[128], data[144], sealed[144], tag[16], wrong[16];
    lw_cbc_hmac *keys = NULL, *other = NULL;
    const size_t aad = strlen(AAD);
    uint32_t isa;
    size_t i;

    for (i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)i;
    EXPECT(lw_cbc_hmac_new(LW_AES_128, bytes + 16, 16, LW_HMAC_SHA256, bytes, 16, 16, &keys) == LW_OK);
    EXPECT(lw_cbc_hmac_tag_bytes(keys) == 16 && lw_cbc_hmac_tag_bytes(NULL) == 0);
    EXPECT(strlen(TEXT) == 128);
    for (isa = 0; isa <= lw_isa_best(); isa++) {
        memcpy(data, TEXT, 128);
        memset(data + 128, 16, 16);
        EXPECT(lw_cbc_hmac_seal_with(isa, keys, IV, AAD, aad, data, 144, tag, 16) == LW_OK);
        EXPECT(memcmp(tag, TAG, 16) == 0 && data[0] == 0xc8 && data[1] == 0x0e);
        memcpy(sealed, data, 144);
        memcpy(wrong, tag, 16);
        wrong[15] ^= 1;
        REFUSED(lw_cbc_hmac_open_with(isa, keys, IV, AAD, aad, data, 144, wrong, 16), LW_ERROR_REJECTED, "is rejected");
        REFUSED(lw_cbc_hmac_open_with(isa, keys, IV, AAD, aad - 1, data, 144, tag, 16), LW_ERROR_REJECTED, "is rejected");
        REFUSED(lw_cbc_hmac_open_with(isa, keys, IV, AAD, aad, data, 128, tag, 16), LW_ERROR_REJECTED, "is rejected");
        REFUSED(lw_cbc_hmac_open_with(isa, keys, IV, AAD, aad, data, 144, tag, 15), LW_ERROR_REJECTED, "is rejected");
        EXPECT(memcmp(data, sealed, 144) == 0);
        EXPECT(lw_cbc_hmac_open_with(isa, keys, IV, AAD, aad, data, 144, tag, 16) == LW_OK);
        EXPECT(memcmp(data, TEXT, 128) == 0);
    }

    padded(keys);
    REFUSED(lw_cbc_hmac_seal(keys, IV, AAD, aad, data, 143, tag, 16), LW_ERROR_LENGTH, "not a multiple of 16");
    REFUSED(lw_cbc_hmac_seal(keys, IV, AAD, aad, data, 144, tag, 12), LW_ERROR_LENGTH, "tag has 12 bytes where 16");
    REFUSED(lw_cbc_hmac_seal(keys, IV, AAD, aad, data, 144, data + 140, 16), LW_ERROR_OVERLAP, "tag overlaps");
    REFUSED(lw_cbc_hmac_seal(keys, IV, data + 100, 4, data, 144, tag, 16), LW_ERROR_OVERLAP, "data overlaps");
    REFUSED(lw_cbc_hmac_seal(keys, IV, AAD, aad, keys, 16, tag, 16), LW_ERROR_OVERLAP, "data overlaps");
    REFUSED(lw_cbc_hmac_seal(NULL, IV, AAD, aad, data, 144, tag, 16), LW_ERROR_NULL, "keys is null");
    REFUSED(lw_cbc_hmac_seal(keys, NULL, AAD, aad, data, 144, tag, 16), LW_ERROR_NULL, "iv is null");
    REFUSED(lw_cbc_hmac_seal(keys, IV, NULL, aad, data, 144, tag, 16), LW_ERROR_NULL, "data is null");
    REFUSED(lw_cbc_hmac_seal(keys, IV, NULL, 0, NULL, 144, tag, 16), LW_ERROR_NULL, "data is null");
    REFUSED(lw_cbc_hmac_seal(keys, IV, NULL, 0, data, 144, NULL, 16), LW_ERROR_NULL, "tag is null");
    REFUSED(lw_cbc_hmac_seal_with(8, keys, IV, NULL, 0, data, 144, tag, 16), LW_ERROR_ISA_UNKNOWN, "8 is no");
    REFUSED(lw_cbc_hmac_open(keys, IV, NULL, 0, data, 144, data, 16), LW_ERROR_OVERLAP, "data overlaps");
    EXPECT(memcmp(data, TEXT, 128) == 0);
    EXPECT(lw_cbc_hmac_seal(keys, IV, NULL, 0, NULL, 0, tag, 16) == LW_OK);
    EXPECT(lw_cbc_hmac_open(keys, IV, NULL, 0, NULL, 0, tag, 16) == LW_OK);

    REFUSED(lw_cbc_hmac_new(2, bytes, 16, 0, bytes, 16, 0, &other), LW_ERROR_VALUE, "2 is no cipher");
    REFUSED(lw_cbc_hmac_new(0, bytes, 16, 2, bytes, 16, 0, &other), LW_ERROR_VALUE, "2 is no MAC");
    REFUSED(lw_cbc_hmac_new(LW_AES_256, bytes, 16, 0, bytes, 16, 0, &other), LW_ERROR_LENGTH, "16 bytes where 32");
    REFUSED(lw_cbc_hmac_new(LW_AES_128, bytes, 16, 0, bytes, 15, 0, &other), LW_ERROR_LENGTH, "MAC key has 15 bytes");
    REFUSED(lw_cbc_hmac_new(LW_AES_128, bytes, 16, 0, bytes, 16, 9, &other), LW_ERROR_VALUE, "between 10 and 20");
    REFUSED(lw_cbc_hmac_new(LW_AES_128, bytes, 16, 0, bytes, 16, 0, NULL), LW_ERROR_NULL, "keys is null");
    REFUSED(lw_cbc_hmac_new(LW_AES_128, NULL, 16, 0, bytes, 16, 0, &other), LW_ERROR_NULL, "data is null");
    EXPECT(other == NULL);

    EXPECT(lw_cbc_hmac_new(LW_AES_256, bytes, 32, LW_HMAC_SHA256, bytes, 16, 0, &other) == LW_OK);
    many(LW_AES_128, LW_HMAC_SHA1, bytes, other);
    many(LW_AES_128, LW_HMAC_SHA256, bytes, other);
    many(LW_AES_256, LW_HMAC_SHA1, bytes, other);
    many(LW_AES_256, LW_HMAC_SHA256, bytes, keys);
    EXPECT(lw_cbc_hmac_seal_many(NULL, 0) == LW_OK);
    REFUSED(lw_cbc_hmac_seal_many(NULL, 1), LW_ERROR_NULL, "messages is null");
    lw_cbc_hmac_free(keys);
    lw_cbc_hmac_free(other);
    lw_cbc_hmac_free(NULL);
    return failures == 0 ? 0 : 1;
}
