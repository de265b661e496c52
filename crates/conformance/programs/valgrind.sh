# Fetches the source package of valgrind as the machine's own package sources offer it, and builds the stand-alone programs
# of its tests into the current folder. Nothing of it becomes part of this repository.
set -eu
[ -e built ] && exit 0
if [ ! -d source ]; then
    mkdir -p apt/parts apt/lists/partial
    # The machine's package sources, asked for sources instead of packages.
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
        case $file in
        *.list) sed -n 's/^deb /deb-src /p' "$file" >"apt/parts/$(basename "$file")" ;;
        *.sources) sed 's/^Types:.*/Types: deb-src/' "$file" >"apt/parts/$(basename "$file")" ;;
        esac
    done
    options="-o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts=$PWD/apt/parts -o Dir::State::lists=$PWD/apt/lists -o APT::Sandbox::User=root"
    apt-get $options update -qq >/dev/null
    apt-get $options source -qq --download-only valgrind >/dev/null
    mkdir source
    tar -xf valgrind_*.orig.tar.* -C source --strip-components=1
fi
mkdir -p bin
touch config.h
for folder in none/tests none/tests/amd64 none/tests/linux none/tests/amd64-linux none/tests/x86-linux; do
    for file in source/$folder/*.vgtest; do
        [ -e "$file" ] || continue
        program=$(sed -n 's/^prog:[[:space:]]*//p' "$file" | head -n 1 | tr -d ' ')
        source="source/$folder/$program.c"
        [ -e "$source" ] || continue
        [ -e "bin/$program" ] || timeout 60 gcc -w -O1 -g -pthread -mavx2 -I. -Isource -Isource/include -o "bin/$program" \
            "$source" -lm -ldl 2>/dev/null || continue
        words=$(sed -n 's/^args:[[:space:]]*//p' "$file" | head -n 1)
        echo "$(basename "$file" .vgtest): cd \"\$INPUT/source/$folder\" && timeout 20 \"\$INPUT/bin/$program\" $words"
    done
done | sort -u >rows
touch built
