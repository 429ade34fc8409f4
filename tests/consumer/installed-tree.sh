#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# A project that knows only the installed tree finds the library by CMake and
# by pkg-config, also after the tree was moved; and the installed compiler works.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need cmake make pkg-config

cmake --install "$build_dir" --prefix "$work/first" >/dev/null
mv first moved
unset CFLAGS
PATH=$work/moved/bin:$PATH
sanitize=$(sed -n 's/^CCA_SANITIZE:.*=//p' "$build_dir/CMakeCache.txt")
flags=${sanitize:+-fsanitize=$sanitize}

# No file of the tree may lead back to where it was built or put first.
not grep -rlF -e "$work/first" moved
not grep -rIlF -e "$build_dir" moved

# Every page is there, once, and no folder is empty.
(cd "$source_dir/docs/man" && echo ./*) >pages
(cd moved/share/man/man1 && echo ./*) | expect pages
[ -z "$(find moved -type d -empty)" ]

cat >wrap.c <<'END'
#include <stdlib.h>
void *wrap(size_t n) { return malloc(n); }
int main(void) { return wrap(sizeof(long)) == 0; }
END
"$work/moved/bin/cc-allocs" -g wrap.c -o wrap
printf 'wrap malloc\n' >wanted

cmake -S "$here/project" -B by-cmake -DCMAKE_C_FLAGS="$flags" \
  -DCMAKE_PREFIX_PATH="$work/moved" >/dev/null
cmake --build by-cmake >/dev/null
by-cmake/stranger wrap >got
expect got <wanted

export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find moved -name cc-allocs.pc)")
# shellcheck disable=SC2046 # a list of words
"$CCA_CC" ${flags:+"$flags"} "$here/project/stranger.c" -o by-pkg-config \
  $(pkg-config --cflags --libs cc-allocs)
LD_LIBRARY_PATH=$(pkg-config --variable=libdir cc-allocs) \
  ./by-pkg-config wrap >got
expect got <wanted
[ -x "$(pkg-config --variable=compiler cc-allocs)" ]

# So do the links under compilers' names.
name=$(find moved/lib/cc-allocs/bin -name cc -o -name gcc | sed -n 1p)
PATH=$work/moved/lib/cc-allocs/bin:$PATH "${name##*/}" -g wrap.c -o by-name
by-cmake/stranger by-name >got
expect got <wanted

# The typed heap: linked by both ways, and loaded by `allocs run`.
"$work/moved/bin/cc-allocs" -g wrap.c -o wrap
"$work/moved/bin/allocs" run -o heap ./wrap
grep -qE '^ +1 +1 +8 +1 +8 +1 +long$' heap
# shellcheck disable=SC2046 # a list of words
"$work/moved/bin/cc-allocs" -g "$here/project/what.c" -o what \
  $(pkg-config --cflags --libs cc-allocs-runtime)
LD_LIBRARY_PATH=$(pkg-config --variable=libdir cc-allocs-runtime) ./what >got
expect got <<<'struct thing at +4'
by-cmake/what >got
expect got <<<'untyped at +4'

# The README's links lead to what lies beside it, headers apart.
readme=$(find moved -name README.md)
grep -o '](docs/[^)#]*\|]([A-Z]*\.md' "$readme" | sed 's/](//' >links
[ "$(wc -l <links)" -ge 8 ]
while read -r link; do
  [ -s "${readme%/*}/$link" ]
done <links

# The example of a client, by what is installed alone: 100 pairs were live at
# once, and later 300 singles, which are fewer bytes.
cat >peaks.c <<'END'
#include <stdlib.h>
struct pair { long x[2]; };
struct single { long x; };
static void *kept[300];
int main(void) {
  for (int i = 0; i < 100; i++) kept[i] = malloc(sizeof(struct pair));
  kept[0] = realloc(kept[0], 100 * sizeof(struct pair));
  for (int i = 0; i < 100; i++) free(kept[i]);
  for (int i = 0; i < 300; i++) kept[i] = malloc(sizeof(struct single));
  for (int i = 0; i < 300; i++) free(kept[i]);
  return 0;
}
END
"$work/moved/bin/cc-allocs" -g peaks.c -o peaks
cp -r "$(find moved -path '*/examples/client')" client
PKG_CONFIG_PATH=$work/$PKG_CONFIG_PATH make -s -C client CC="$CCA_CC"
"$work/moved/bin/allocs" run -o heap --client=client/libpeak.so:peak ./peaks 2>err
expect err </dev/null
sed -n '2p; / struct /p' peak.* >got
expect got <<'END'
         bytes    objects  type
          1600          1  struct pair[]
          1584         99  struct pair
END

# Symbols: by both ways.
# shellcheck disable=SC2046 # a list of words
"$CCA_CC" ${flags:+"$flags"} "$here/project/where.c" -o where \
  $(pkg-config --cflags --libs cc-allocs-symbols)
printf 'main at wrap.c:3, not found, stale\n' >wanted
for where in ./where by-cmake/where; do
  LD_LIBRARY_PATH=$(pkg-config --variable=libdir cc-allocs-symbols) \
    "$where" wrap >got
  expect got <wanted
done

# The twin: what was not built with cc-allocs says nothing.
"$CCA_CC" -g wrap.c -o plain
not by-cmake/stranger plain >got
expect got <<'END'
no classification
END
