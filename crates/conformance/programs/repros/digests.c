/* PROGRAM: one message through a digest or a cipher of libcrypto, whose assembly keeps values in any register. */
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char message[20000], sealed[24000];

int main(int count, char **words) {
    if (count != 4)
        return 2;
    size_t length = strtoul(words[3], 0, 10);
    if (length > sizeof message)
        return 2;
    for (size_t i = 0; i < sizeof message; i++)
        message[i] = i * i >> 3;
    if (!strcmp(words[1], "digest")) {
        unsigned char out[EVP_MAX_MD_SIZE];
        unsigned size = 0;
        EVP_MD *kind = EVP_MD_fetch(0, words[2], 0);
        if (!kind || !EVP_Digest(message, length, out, &size, kind, 0))
            return 3;
        for (unsigned i = 0; i < size; i++)
            printf("%02x", out[i]);
        puts("");
        return 0;
    }
    unsigned char key[64] = {1}, start[32] = {2};
    int written = 0, last = 0;
    EVP_CIPHER *kind = EVP_CIPHER_fetch(0, words[2], 0);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (!kind || !EVP_EncryptInit_ex(context, kind, 0, key, start) ||
        !EVP_EncryptUpdate(context, sealed, &written, message, length))
        return 3;
    int ended = EVP_EncryptFinal_ex(context, sealed + written, &last);
    unsigned hash = 0;
    for (int i = 0; i < written + last; i++)
        hash = hash * 31 + sealed[i];
    printf("%s %zu %d %08x\n", words[2], length, ended, hash);
    return 0;
}
