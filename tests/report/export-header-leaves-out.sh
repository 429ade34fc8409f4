#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What cannot be declared in front of every unit, or whose size an attribute
# cannot say, is left out with its reason; the header compiles with each unit
# of the program, also where a name is a macro.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

cat >inline.h <<'EOF'
#include <stdlib.h>
inline void *of_inline(size_t n) { return malloc(n); }
EOF
compile one.c -std=gnu17 <<'EOF'
#include <stdarg.h>
#include "inline.h"
extern void *of_inline(size_t n);
typedef struct { int x; } untagged;
struct two { int x; };
void *of_untagged(untagged *u, size_t n) { u->x = 1; return malloc(n); }
void *of_two(struct two *t, size_t n) { t->x = 1; return malloc(n); }
void *of_complex(_Complex double *z, size_t n) { *z = 1; return malloc(n); }
void *of_kandr(n) unsigned long n; { return malloc(n); }
void *renamed(size_t n) __asm__("of_renamed");
void *renamed(size_t n) { return malloc(n); }
void *elsewhere_static(size_t n) { return malloc(n); }
void *elsewhere_variable(size_t n) { return malloc(n); }
void *elsewhere_type(size_t n) { return malloc(n); }
void *elsewhere_enumerator(size_t n) { return malloc(n); }
void *elsewhere_other(size_t n) { return malloc(n); }
void *one_more(size_t n) { return malloc(n + 1); }
void *usable(size_t n, size_t *told) { void *p = malloc(n); *told = n; return p; }
int out(void **p, size_t n) { *p = malloc(n); return *p != 0; }
void *good(size_t n) { return malloc(n); }
void *macro(size_t n) { return malloc(n); }
static __attribute__((noinline)) void *local(size_t n) { return malloc(n); }
void *(*hook)(size_t) = local;
void *through(size_t n) { return hook(n); }
void give(void *p) { free(p); }
EOF
compile two.c <<'EOF'
#include "inline.h"
extern int printf(const char *, ...);
union two { char c[2]; };
int take(union two *t) { return t->c[0]; }
__attribute__((noinline)) static void *elsewhere_static(unsigned long x) { return printf("%lu", x) ? 0 : (void *)x; }
static __attribute__((noinline)) int elsewhere(int elsewhere_variable) { return printf("%d", elsewhere_variable); }
typedef long elsewhere_type;
elsewhere_type use(int x) { return elsewhere_static(x) ? 1 : elsewhere(x); }
enum constant { elsewhere_enumerator = 2 } constant;
extern char *elsewhere_other(int);
char *call_other(void) { return elsewhere_other(3); }
int main(void) { return 0; }
EOF
compile three.c <<'EOF'
extern int printf(const char *, ...);
static long elsewhere_variable[2];
int count(int i) { elsewhere_variable[i & 1]++; return printf("%ld", elsewhere_variable[i & 1]); }
EOF
allocs export --format=header one.o two.o three.o >seen.h
sed -n '/Left out/,$p' seen.h >left
expect left <<'EOF'
 * Left out:
 *
 * elsewhere_other (one.c:16): it is declared with two types
 * hook (one.c:23): it is a function pointer
 * elsewhere_enumerator (one.c:15): another unit has an enumerator of this name
 * elsewhere_static (one.c:12): it is static in one unit, and not in another
 * elsewhere_type (one.c:14): another unit has a type of this name
 * elsewhere_variable (one.c:13): another unit has a variable of this name
 * local (one.c:22): it is static, and not all units define it
 * of_complex (one.c:8): its type needs a base type that is not plain C
 * of_inline (inline.h:2): it is inline, or may be so in another unit
 * of_kandr (one.c:9): its definition has no prototype
 * of_renamed (one.c:11): no debug information describes it
 * of_two (one.c:7): struct two is another kind of type in another unit
 * of_untagged (one.c:6): its type needs a type without a tag
 * one_more (one.c:17): its size is no parameter, and no product of two
 * out (one.c:19): its result comes back through a parameter
 * usable (one.c:18): it may tell its caller, through a pointer to a number, of more memory than was asked for
 * 1 deallocation function: an attribute would say that nothing else releases these blocks
 */
EOF
sed -n '/^#ifndef g/,/^#endif/p; /^#ifndef m/,/^#endif/p' seen.h >kept
expect kept <<'EOF'
#ifndef good
void *good(unsigned long)
    __attribute__((__alloc_size__(1)));
#endif
#ifndef macro
void *macro(unsigned long)
    __attribute__((__alloc_size__(1)));
#endif
EOF
for cc in "$CCA_CC" ${CCA_CLANG:+"$CCA_CLANG"}; do
  for unit in one two three; do
    "$cc" -std=gnu17 -O2 -Wno-deprecated-non-prototype -Dmacro=other -include seen.h -c $unit.c -o $unit.out.o
  done
  "$cc" one.out.o two.out.o three.out.o -o prog
done

# A program of one unit has its static functions declared, too.
allocs export --format=header one.o | sed -n '/^#ifndef local/,/^#endif/p' >kept
expect kept <<'EOF'
#ifndef local
static void *local(unsigned long)
    __attribute__((__alloc_size__(1)));
#endif
EOF
allocs export --format=header one.o >seen.h
for cc in "$CCA_CC" ${CCA_CLANG:+"$CCA_CLANG"}; do
  "$cc" -std=gnu17 -O2 -Wno-deprecated-non-prototype -Wall -Werror -include seen.h -c one.c -o out.o
done
