#!/usr/bin/env bash
# An object with a summary links as one without: no linker says a word, the
# output has no trace of it and is the same; ld -r joins summaries, and
# objcopy, strip and ar keep them.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
attach=$build_dir/tests/test-attach

cat >main.c <<'EOF_C'
int other(int), many(int);
__attribute__((weak)) int many(int n) { return n + 1; }
int main(int argc, char **argv) { (void)argv; return other(argc) - many(argc); }
EOF_C
cat >other.c <<'EOF_C'
int other(int n) { return n + 1; }
EOF_C
printf 'first..' >first
printf 'second' >second

section() { # section FILE: the content of .cc_allocs
  readelf -x .cc_allocs "$1" 2>&1 | sed -n 's/^  0x[0-9a-f]* .* //p' | tr -d '\n'
}

check_compiler() { # check_compiler NAME COMPILER FLAG...
  local name=$1
  shift
  mkdir "$name"
  "$@" -c -g -ffunction-sections main.c -o "$name/main.o"
  "$@" -c -g -ffunction-sections other.c -o "$name/other.o"
  cp "$name/main.o" "$name/main0.o"
  cp "$name/other.o" "$name/other0.o"
  "$attach" "$name/main.o" first
  "$attach" "$name/other.o" second
  [ "$(section "$name/main.o")" = first.. ]

  # Apart from our section, objcopy sees the same object.
  objcopy --remove-section=.cc_allocs "$name/main.o" "$name/without.o"
  objcopy "$name/main0.o" "$name/copied.o"
  cmp "$name/without.o" "$name/copied.o"

  local linker said
  for linker in bfd gold lld-19 mold; do
    said=$("ld.$linker" --build-id=none -e main "$name/main.o" "$name/other.o" \
      -o "$name/with" 2>&1) || true
    [ -z "$said" ] || { echo "ld.$linker: $said"; false; }
    "ld.$linker" --build-id=none -e main "$name/main0.o" "$name/other0.o" \
      -o "$name/plain"
    cmp "$name/with" "$name/plain"

    "ld.$linker" -r "$name/main.o" "$name/other.o" -o "$name/both.o"
    [ "$(section "$name/both.o")" = first...second ]
  done

  for tool in objcopy strip "strip -g" "objcopy --strip-unneeded"; do
    cp "$name/main.o" "$name/kept.o"
    $tool "$name/kept.o"
    [ "$(section "$name/kept.o")" = first.. ]
  done
  ar rcs "$name/lib.a" "$name/main.o" "$name/other.o"
  (cd "$name" && mkdir x && cd x && ar x ../lib.a && cmp main.o ../main.o)
}

check_compiler gcc "$CCA_CC"
check_compiler gcc-lto "$CCA_CC" -flto -ffat-lto-objects
[ -z "${CCA_CLANG-}" ] || check_compiler clang "$CCA_CLANG"

# The twin: an object without summary has no section to find.
[ -z "$(section gcc/main0.o)" ]

# Attaching twice is refused, replacing is not.
[ "$("$attach" gcc/main.o second || true)" = "the object has a summary already" ]
"$attach" gcc/main.o second replace
[ "$(section gcc/main.o)" = second ]
