# Makes what the rows of all tables read, in the current folder. The same on every machine, keys apart.
set -eu
awk 'BEGIN {
    seed = 42
    split("loop vector cache line store load branch count trace stride core flop byte page", words, " ")
    for (i = 0; i < 6000; i++) {
        line = ""
        for (k = 0; k < 8; k++) {
            seed = (seed * 16807) % 2147483647
            line = line words[seed % 14 + 1] " " seed % 1000 " "
        }
        print line
    }
}' >text
awk '{ print NR "," $2 "," $4 * 1.5 "," $1 }' text >table.csv
awk 'BEGIN { print "[" } { printf "%s{\"id\": %d, \"name\": \"%s\", \"value\": %s}\n", NR > 1 ? "," : "", NR, $1, $2 }
     END { print "]" }' table.csv FS=, | head -n 2000 >all.json
echo ']' >>all.json
head -n 1500 text >small
tr 'a-m' 'n-za-m' <text | tail -n 2000 >other
awk 'BEGIN { print "P3 160 120 255"; for (y = 0; y < 120; y++) for (x = 0; x < 160; x++) print x % 256, y * 2, (x * y) % 256 }' >picture.ppm
cat >program.c <<'C'
#include <stdio.h>
static int gcd(int a, int b) { return b ? gcd(b, a % b) : a; }
int main(void) { long s = 0; for (int i = 1; i < 200; i++) for (int k = 1; k < 200; k++) s += gcd(i, k); printf("%ld\n", s); }
C
cat >program.py <<'P'
import collections, hashlib, json, re, zlib
text = open(__import__("os").environ["DATA"] + "/text").read()
words = collections.Counter(re.findall(r"[a-z]+", text))
print(json.dumps(words, sort_keys=True), hashlib.sha256(text.encode()).hexdigest(), len(zlib.compress(text.encode(), 9)))
P
if command -v openssl >/dev/null; then
    openssl genrsa -out key.pem 2048 2>/dev/null
    openssl ecparam -name prime256v1 -genkey -noout -out ec.pem
    openssl ec -in ec.pem -pubout -out ec-public.pem 2>/dev/null
    openssl dgst -sha256 -sign ec.pem -out ec-signature text
fi
