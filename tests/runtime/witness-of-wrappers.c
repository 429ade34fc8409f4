/* SPDX-License-Identifier: MIT */
/*
 * witness-of-wrappers.c -- allocations through all that programs put between
 * themselves and malloc(); each is looked at by witness.h.
 */
#include "witness.h"

#include <stdalign.h>

struct node {
  struct node *next;
  int value;
};
struct edge {
  struct node *from, *to;
  double weight;
};
struct trio {
  long a, b, c; /* as large as struct edge */
};
struct pair {
  short a, b;
};
struct buffer {
  size_t len;
  unsigned char data[];
};
struct big {
  char bytes[5000];
};

/* ---- Wrappers ---- */

static void *xmalloc(size_t n) {
  void *p = malloc(n);
  if (!p)
    abort();
  return p;
}
__attribute__((noinline)) void *xmalloc_far(size_t n) { return xmalloc(n); }
static void *twice(size_t n) { return xmalloc_far(n); }
static void *thrice(size_t n) { return twice(n); }
static void *xcalloc(size_t n, size_t size) {
  void *p = calloc(n, size);
  if (!p)
    abort();
  return p;
}
__attribute__((noinline)) void *xrealloc(void *p, size_t n) {
  p = realloc(p, n);
  if (!p)
    abort();
  return p;
}
/* A frame with a variable size, and one with a realigned stack. */
__attribute__((noinline)) void *with_alloca(size_t n, size_t some) {
  volatile char *room = __builtin_alloca(some + 1);
  room[some] = 1;
  void *p = malloc(n);
  return room[some] ? p : NULL;
}
__attribute__((noinline)) void *realigned(size_t n) {
  alignas(64) volatile char line[64];
  line[1] = 2;
  void *p = malloc(n);
  return line[1] ? p : NULL;
}

/* Another object inside of an allocation: of its own type. */
struct note {
  char text[40];
  int n;
};
static struct note *last;
__attribute__((noinline)) void *noted(size_t n) {
  free(last);
  last = malloc(sizeof *last);
  SAW(last, "struct note");
  return malloc(n);
}

/* cmusphinx's: the second block is an array of pointers, the first has the type
 * of the caller's elements. */
__attribute__((noinline)) void **calloc_2d(size_t d1, size_t d2, size_t size) {
  char *mem = xcalloc(d1 * d2, size);
  void **ref = xmalloc(d1 * sizeof(void *));
  SAW(ref, "void *");
  for (size_t i = 0; i < d1; i++)
    ref[i] = mem + i * d2 * size;
  return ref;
}

__attribute__((noinline)) struct node *new_node(int value) {
  struct node *n = xmalloc_far(sizeof *n);
  n->value = value;
  return n;
}
__attribute__((noinline)) struct pair *tail_called(void) {
  return xmalloc_far(sizeof(struct pair));
}
__attribute__((noinline)) void *by_pointer(void *(*f)(size_t), size_t n) {
  return f(n);
}

int main(int argc, char **argv) {
  for (int i = 0; i < 3; i++) {
    void *p = xmalloc(sizeof(struct node));
    SAW(p, "struct node");
    free(p);
    p = xmalloc_far(sizeof(struct edge));
    SAW(p, "struct edge");
    free(p);
    p = twice(sizeof(struct big));
    SAW(p, "struct big");
    free(p);
    p = thrice(sizeof(struct pair));
    SAW(p, "struct pair");
    free(p);
    p = thrice(sizeof(struct trio));
    SAW(p, "struct trio");
    free(p);
    p = thrice(sizeof(struct edge));
    SAW(p, "struct edge");
    free(p);
    p = xcalloc((size_t)argc + 2, sizeof(struct edge));
    SAW(p, "struct edge");
    free(p);
    p = xrealloc(NULL, sizeof(struct pair));
    SAW(p, "struct pair");
    p = xrealloc(p, (size_t)(argc + 1) * sizeof(struct pair));
    SAW(p, "struct pair");
    free(p);
    p = with_alloca(sizeof(struct node), (size_t)argc * 100);
    SAW(p, "struct node");
    free(p);
    p = realigned(sizeof(struct edge));
    SAW(p, "struct edge");
    free(p);
    p = noted(sizeof(struct node));
    SAW(p, "struct node");
    free(p);
    p = xmalloc(sizeof(struct buffer) + (size_t)argc * 10);
    SAW(p, "struct buffer");
    free(p);
    p = xmalloc(strlen(argv[0]) + 17);
    SAW(p, "bytes");
    free(p);
    void **grid = calloc_2d(4, (size_t)argc, sizeof(struct pair));
    SAW(grid[0], "struct pair");
    free(grid[0]);
    free(grid);
    struct node *n = new_node(i);
    SAW(n, "struct node");
    free(n);
    p = tail_called();
    SAW(p, "struct pair");
    free(p);
    p = by_pointer(xmalloc_far, sizeof(struct edge));
    SAW(p, "struct edge");
    free(p);
  }
  return witness_end();
}
