# Fetches the source package $1 as the machine's own package sources offer it, and unpacks its original source into the
# folder `source`. Nothing of it becomes part of this repository.
set -eu
[ -d source ] && exit 0
mkdir -p apt/parts apt/lists/partial
# The machine's package sources, queried for sources instead of packages.
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
    [ -e "$file" ] || continue
    case $file in
    *.list) sed -n 's/^deb /deb-src /p' "$file" >"apt/parts/$(basename "$file")" ;;
    *.sources) sed 's/^Types:.*/Types: deb-src/' "$file" >"apt/parts/$(basename "$file")" ;;
    esac
done
options="-o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts=$PWD/apt/parts -o Dir::State::lists=$PWD/apt/lists -o APT::Sandbox::User=root"
apt-get $options update -qq >/dev/null
# The distribution's changes are not needed, and a mirror may lack them.
apt-get $options source -qq --download-only "$1" >/dev/null || true
archive=$(ls "$1"_*.orig.tar.* | grep -v '\.asc$' | head -n 1)
mkdir unpacked
tar -xf "$archive" -C unpacked --strip-components=1
mv unpacked source
