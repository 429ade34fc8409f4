# shellcheck shell=bash
# shellcheck disable=SC2154 # common.sh, which comes first, sets them
# SPDX-License-Identifier: MIT
#
# link.bash -- sourced by link tests, after common.sh.
#
# Objects here carry summaries made from text, so that a link is tested without
# a C analyser: each call of malloc in an object is a site of struct s.
#
# A test that is to run with each linker is one file NAME.bash, to which
# NAME-bfd.sh, NAME-gold.sh, ... are links.

need gcc objcopy objdump readelf
linker=${0##*-}
linker=${linker%.sh}
case $linker in
bfd | gold | lld | mold) need "ld.$linker" ;;
*) linker=bfd ;;
esac
export TMPDIR=$work/tmp
mkdir "$TMPDIR"

# plain ARGUMENT...: link with the linker under test.
plain() {
  gcc "-fuse-ld=$linker" "$@"
}

# through ARGUMENT...: the same through our shim.
through() {
  COMPILER_PATH=$build_dir/lib/cc-allocs/shim plain "$@"
}

# calls_of FILE: "SECTION OFFSET" for the return address of each call of malloc.
calls_of() {
  objdump -dr --no-show-raw-insn "$1" | awk '
    /^Disassembly of section/ { section = $4; sub(":$", "", section) }
    $1 ~ /^[0-9a-f]+:$/ && pending {
      sub(":", "", $1); print section, "0x" $1; pending = 0
    }
    /R_X86_64_(PLT32|PC32|GOTPCRELX?)[ \t]+malloc-/ { pending = 1 }'
}

# object FILE.o [FLAG...] <SOURCE: compile by gcc, and attach a summary.
object() {
  local file=$1 name=${1##*/}
  shift
  cat >"${file%.o}.c"
  gcc -c -O1 "$@" "${file%.o}.c" -o "$file"
  {
    echo 'summary 2.0'
    echo "unit source=\"${name%.o}.c\" producer=\"test\""
    echo "file @file name=\"${name%.o}.c\""
    echo 'type @s name="struct s" kind=struct size=24 identity=7'
    echo 'node @size sizeof @s 24'
    local n=0 section offset index
    local sites=''
    echo 'func @malloc symbol="malloc" shape="pl" params=@n+1'
    echo 'param @n name="n" kind=integer'
    echo "func @f symbol=\"${name%.o}\" linkage=external file=@file"
    while read -r section offset; do
      n=$((n + 1))
      index=$(readelf -SW "$file" |
        sed -n "s/^ *\[ *\([0-9]*\)\] $section .*/\1/p" | sed -n 1p)
      echo "call @c$n func=@f file=@file line=$n callee=@malloc" \
        'args=[@size] used_as=@s'
      sites+="site call=@c$n section=\"$section\" index=$index"
      sites+=" offset=$((offset))"$'\n'
    done < <(calls_of "$file")
    printf %s "$sites"
  } >"$file.txt"
  allocs assemble "$file.txt" -o "$file.summary"
  objcopy --add-section ".cc_allocs=$file.summary" \
    --set-section-flags .cc_allocs=exclude,readonly "$file"
}

# objects: main.o, libpart.a(part.o), libpart.a(unused.o).
objects() {
  object main.o -fPIC "$@" <<'EOF'
#include <stdlib.h>
void *part(void);
void *volatile kept;
int main(void) {
  kept = malloc(24);
  free(kept);
  free(part());
  return 0;
}
EOF
  object part.o -fPIC "$@" <<'EOF'
#include <stdlib.h>
extern void *volatile kept;
void *part(void) {
  kept = malloc(24);
  free(kept);
  kept = malloc(24);
  return kept;
}
EOF
  object spare.o -fPIC "$@" <<'EOF'
#include <stdlib.h>
extern void *volatile kept;
void *spare(void) {
  kept = malloc(24);
  return kept;
}
EOF
  ar rc libpart.a part.o spare.o
}

# addresses FILE: the addresses in the classification of FILE, dead ones as 0.
addresses() {
  allocs dump "$1" | sed -n 's/^address .*value=\(0x[0-9a-f]*\).*/\1/p;t
    s/^address .*/0/p'
}

# real_addresses FILE: of the calls of malloc in its code.
real_addresses() {
  objdump -d --no-show-raw-insn "$1" | awk '
    pending { sub(":", "", $1); print "0x" $1; pending = 0 }
    $2 == "call" && $NF ~ /^<malloc/ { pending = 1 }' | sort
}

# sections FILE: name, type, size and flags of all but ours, and of the tables
# that list sections; .relro_padding is what is left of a page.
sections() {
  readelf -SW "$1" | sed -n 's/^ *\[ *[0-9]*\] *\([^ ].*\)/\1/p' |
    awk '$1 !~ /^(.note.cc-allocs|.shstrtab|.symtab|.relro_padding)$/ {
      print $1, $2, $5, (NF > 9 ? $7 : "") }'
  readelf -lW "$1" | awk '$1 == "GNU_STACK" || $1 == "INTERP" { print $1, $7 }'
  readelf -hW "$1" | grep -E 'Type:|Flags:|ABI'
  readelf -nW "$1" | grep -A 2 Properties || true
}

# nothing_left: our files are gone.
nothing_left() {
  [ -z "$(ls -A "$TMPDIR")" ] && [ -z "$(find . -name '*cc_allocs*')" ]
}
