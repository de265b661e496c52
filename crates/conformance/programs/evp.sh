# Builds OpenSSL's own tests against the installed library into the current folder and lists in `rows` those that run
# without arguments, and the vectors of evp_test. Tests of what the library does not export are not built.
set -eu
[ -e built ] && exit 0
sh "$PROGRAMS/source.sh" openssl
mkdir -p bin objects
include="-Isource -Isource/include -Isource/test -Isource/apps/include -DOPENSSL_NO_KTLS"
for file in source/test/testutil/*.c source/apps/lib/opt.c; do
    gcc -w -O1 -c "$file" $include -o "objects/$(basename "$file" .c).o"
done
rm -f libtestutil.a
ar rc libtestutil.a objects/*.o
gcc -w -O1 $include source/test/evp_test.c libtestutil.a -o bin/evp_test -lssl -lcrypto
: >found
for file in source/test/recipes/30-test_evp_data/*.txt; do
    name=$(basename "$file" .txt)
    echo "$name: \"\$INPUT/bin/evp_test\" \"\$INPUT/$file\"" >>found
done
for file in source/test/*.c; do
    name=$(basename "$file" .c)
    [ "$name" = evp_test ] && continue
    timeout 60 gcc -w -O1 $include "$file" libtestutil.a -o "bin/$name" -lssl -lcrypto 2>/dev/null || continue
    (mkdir -p try && cd try && timeout 10 "../bin/$name" >/dev/null 2>&1 </dev/null) || continue
    echo "$name: \"\$INPUT/bin/$name\"" >>found
done
mv found rows
touch built
