# Builds the stand-alone programs of valgrind's tests into the current folder and lists them in `rows`.
set -eu
[ -e built ] && exit 0
sh "$PROGRAMS/source.sh" valgrind
mkdir -p bin
touch config.h
for folder in none/tests none/tests/amd64 none/tests/linux none/tests/amd64-linux none/tests/x86-linux; do
    for file in source/$folder/*.vgtest; do
        [ -e "$file" ] || continue
        # A thread's handler runs against its removal by another thread: how it ends depends on which is first.
        [ "$(basename "$file" .vgtest)" = pth_self_kill_15_other ] && continue
        program=$(sed -n 's/^prog:[[:space:]]*//p' "$file" | head -n 1 | tr -d ' ')
        source="source/$folder/$program.c"
        [ -e "$source" ] || continue
        [ -e "bin/$program" ] || timeout 60 gcc -w -O1 -g -pthread -mavx2 -I. -Isource -Isource/include -o "bin/$program" \
            "$source" -lm -ldl 2>/dev/null || continue
        words=$(sed -n 's/^args:[[:space:]]*//p' "$file" | head -n 1)
        echo "$(basename "$file" .vgtest): cd \"\$INPUT/source/$folder\" && timeout 100 \"\$INPUT/bin/$program\" $words"
    done
done | sort -u >rows
touch built
