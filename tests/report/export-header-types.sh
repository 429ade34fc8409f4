#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Declarations are of the program's own types, whatever the parameters are: the
# header goes in front of units under all warnings and several standards, and
# gcc's and clang's debug information give the same.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

cat >types.c <<'EOF'
#include <stdarg.h>
#include <stdlib.h>
typedef struct node node;
struct node { node *next; };
typedef const node *const *nodes;
typedef enum color { RED, GREEN } color;
typedef int compare(const void *, const void *);
typedef int matrix[3][4];
union both;
union both { int i; float f; };
void *a(nodes list, size_t n);
void *a(nodes list, size_t n) { return list ? malloc(n) : 0; }
node *b(color c, const char *const restrict s, unsigned n);
node *b(color c, const char *const restrict s, unsigned n) { return c || s ? malloc(n) : 0; }
const char *c(compare *f, void (*const g[])(int, ...), int n);
const char *c(compare *f, void (*const g[])(int, ...), int n) { return f && g ? malloc((size_t)n) : 0; }
void **d(matrix *m, int (*(*h)(volatile int *))[5], size_t n);
void **d(matrix *m, int (*(*h)(volatile int *))[5], size_t n) { return m && h ? malloc(n) : 0; }
void *e(union both u, long double x, _Bool t, size_t n, va_list ap);
void *e(union both u, long double x, _Bool t, size_t n, va_list ap) { (void)ap; return u.i && x > 1 && t ? malloc(n) : 0; }
void *f(size_t n, ...);
void *f(size_t n, ...) { return malloc(n); }
EOF
gcc=$(command -v gcc) || skip "no gcc here"
for cc in "$gcc" ${CCA_CLANG:+"$CCA_CLANG"}; do
  CC_ALLOCS_CC=$cc cc-allocs -c -O2 -g types.c
  allocs export --format=header types.o >types.h
  sed '1,/system_header/d; /^#/d; /^$/d' types.h >said
  expect said <<'EOF'
enum color;
struct node;
union both;
void *a(const struct node *const *, unsigned long)
    __attribute__((__alloc_size__(2)));
struct node *b(enum color, const char *, unsigned int)
    __attribute__((__alloc_size__(3)));
const char *c(int (*)(const void *, const void *), void (*const *)(int, ...), int)
    __attribute__((__alloc_size__(3)));
void **d(int (*)[3][4], int (*(*)(volatile int *))[5], unsigned long)
    __attribute__((__alloc_size__(3)));
void *e(union both, long double, _Bool, unsigned long, __builtin_va_list)
    __attribute__((__alloc_size__(4)));
void *f(unsigned long, ...)
    __attribute__((__alloc_size__(1)));
EOF
  for std in gnu89 c99 gnu11 gnu17 gnu2x; do
    sed 's/restrict/__restrict/' types.c >again.c
    "$cc" -std=$std -O2 -Wall -Wextra -Wredundant-decls -Wstrict-prototypes \
      -Wmissing-prototypes -Wshadow -Werror -include types.h -include types.h -c again.c
  done
  # It is seen: another type is an error.
  echo 'void *f(int n);' >wrong.c
  not "$cc" -include types.h -c wrong.c 2>error
  grep -q 'conflicting types for' error
done

# Assembler and C++ see nothing of it.
echo '#if 0' >plain.S
echo '#endif' >>plain.S
"$gcc" -include types.h -c plain.S
echo 'int f(int n) { return n; }' >plain.cc
if command -v g++ >/dev/null; then g++ -include types.h -c plain.cc; fi
