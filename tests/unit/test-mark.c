/* libs: cca_frontend */
/* SPDX-License-Identifier: MIT */
/*
 * test-mark.c -- exactly the sizeofs that make sizes are marked, with exactly
 * their extents.
 *
 * A row is C in which the marks that must be found stand between two @ (marked
 * in place) or two ` (in a static initialiser).  Without these signs it is the
 * input, and every other sizeof in it is one that must stay as it is: nearly
 * every row is its own twin.
 */
#include <stdlib.h>

#include "analysis/mark.h"
#include "check.h"

/* The input of ROW, and ROW as the marks found in it would have it. */
static void check_row(const char *row) {
  struct cca_text input = {0}, got = {0};
  cca_text_add(&input, "", 0);
  for (const char *p = row; *p; p++)
    if (*p != '@' && *p != '`')
      cca_text_add(&input, p, 1);

  struct cca_marks *marks = cca_marks_find(input.data, input.len, false);
  size_t count, at = 0;
  const struct cca_mark *mark = cca_marks_list(marks, &count);
  for (size_t i = 0; i < count; i++) {
    const char *sign = mark[i].thunk == CCA_MARK_IN_PLACE ? "@" : "`";
    cca_text_add(&got, input.data + at, mark[i].begin - at);
    cca_text_adds(&got, sign);
    cca_text_add(&got, input.data + mark[i].begin, mark[i].end - mark[i].begin);
    cca_text_adds(&got, sign);
    at = mark[i].end;
  }
  cca_text_add(&got, input.data + at, input.len - at);
  CHECK_STR(got.data, row);
  cca_marks_free(marks);
  cca_text_release(&input);
  cca_text_release(&got);
}

static void check_rows(const char *const *rows, size_t count) {
  for (size_t i = 0; i < count; i++)
    check_row(rows[i]);
}

#define CHECK_ROWS(rows) check_rows(rows, sizeof rows / sizeof rows[0])

static void test_extents(void) {
  static const char *const rows[] = {
      "void f(void) { g(@sizeof(int)@); }",
      "void f(void) { g(@sizeof (struct s)@ * n); }",
      "void f(void) { g(n * @sizeof *p@, 1); }",
      "void f(void) { g(@sizeof p->v[0].w@ + 1); }",
      "void f(void) { g(@sizeof *p->v(x)[1]@ + 1); }",
      "void f(void) { g(@sizeof(*p)@ - 1); }",
      "void f(void) { g(@sizeof (x)->y@ - 1); }",
      "void f(void) { g(@sizeof (x)[0]@ - 1); }",
      "void f(void) { g(@sizeof (x).y.z@ | 1); }",
      "void f(void) { g(@sizeof (h)(1, 2)@); }",
      "void f(void) { g(@sizeof x++@ + 1); }",
      "void f(void) { g(@sizeof -x@ + 1); }",
      "void f(void) { g(@sizeof &x@ & 1); }",
      "void f(void) { g(@sizeof !x@); }",
      "void f(void) { g(@sizeof *(T *)p@ + 1); }",
      "void f(void) { g(@sizeof *(T *)(p)@ + 1); }",
      "void f(void) { g(@sizeof *(T)p@ + 1); }",
      "void f(void) { g(@sizeof *(T *)&p@ + 1); }",
      "void f(void) { g(@sizeof *(p)@ + 1); }",
      "void f(void) { g(@sizeof (T){1, 2}@ + 1); }",
      "void f(void) { g(@sizeof (T){1}.x@ + 1); }",
      "void f(void) { g(@sizeof *&(T){1}@ + 1); }",
      "void f(void) { g(@sizeof(T[3])@ / @sizeof(T)@); }",
      "void f(void) { g(@sizeof sizeof x@ + 1); }",
      "void f(void) { g(@sizeof \"a\" \"b\"@ - 1); }",
      "void f(void) { g(@sizeof L\"a\"@ - 1); }",
      "void f(void) { g(@sizeof \"a\"[0]@ - 1); }",
      "void f(void) { g(@sizeof 'x'@ + @sizeof 1.5e+3@ + 2); }",
      "void f(void) { g(@sizeof ({ int a = 1; a; })@ + 1); }",
      "void f(void) { g(@sizeof __extension__ x@); }",
      "void f(void) { g(@sizeof __builtin_alloca(3)@); }",
      "void f(void) { g(@sizeof(__typeof__(x))@ + 1); }",
      "void f(void) { g(@sizeof _Generic(x, int: 1)@ + 1); }",
      "void f(void) { g(@sizeof(int[g(sizeof(int))])@ + 1); }",
      "void f(void) { while (n < @sizeof(T)@) { g(1); } }",
      "void f(void) { g(@sizeof(struct { int a, b; })@); }",
      "void f(void) { g(@sizeof(\n# 3 \"x.h\"\nT\n# 4 \"y.c\"\n)@); }",
      "void f(void) { g(@sizeof(T)@); }\n#pragma x sizeof(T)\n",
      "void f(void) { g(sizeof_(x), @sizeof(y)@, \"sizeof(z)\"); }",
  };
  CHECK_ROWS(rows);
}

static void test_constants_stay(void) {
  static const char *const rows[] = {
      "char a[sizeof(int)]; void f(void) { char b[sizeof(a) + 1]; }",
      "void f(void) { a[sizeof(int)] = @sizeof(int)@; }",
      "void f(void) { a[g(@sizeof(int)@)] = a[(sizeof(int))]; }",
      "int a[__builtin_choose_expr(1, sizeof(int), 2)];",
      "enum { A = sizeof(int), B }; enum e { C = sizeof(A) };",
      "enum e : short { A = sizeof(int) };",
      "struct s { int a : sizeof(int); char b[sizeof(int)]; };",
      "void f(void) { struct s { int a : sizeof(int); } x; g(@sizeof x@); }",
      "void f(void) { enum { A = sizeof(int) } x = @sizeof(x)@; }",
      "union __attribute__((aligned(8))) u { int a : sizeof(int); };",
      "struct [[x]] s { int a : sizeof(int); };",
      "void f(void) { switch (x) { case sizeof(int): g(@sizeof(int)@); } }",
      "void f(void) { switch (x) { case 1 ? sizeof(x) : 2: return; } }",
      "void f(void) { switch (x) { case 1 ... sizeof(x): return; } }",
      "void f(void) { switch (sizeof(x)) { case 4: return; } }",
      "void f(void) { switch (x) { default: g(@sizeof(x)@); } }",
      "_Static_assert(sizeof(int) == 4, \"\");",
      "void f(void) { static_assert(sizeof(int) > 3); g(@sizeof(int)@); }",
      "void f(void) { _Alignas(sizeof(int)) char c = @sizeof(int)@; }",
      "void f(void) { __typeof__(sizeof(int)) n = @sizeof(n)@; }",
      "void f(void) { g(_Alignof(sizeof(int)), @sizeof(int)@); }",
      "void f(void) __attribute__((alloc_size(sizeof(int))));",
      "[[gnu::aligned(sizeof(int))]] int x;",
      "void f(void) { __asm__ volatile(\"\" : : \"i\"(sizeof(int))); }",
      "void f(void) { asm(\"\" : : \"i\"(sizeof(int))); g(@sizeof(int)@); }",
      "void f(void) { _Generic(sizeof(int), int: @sizeof(long)@); }",
      "void f(void) { __builtin_choose_expr(sizeof(int) > 3, @sizeof(a)@, 1); "
      "}",
      "void f(void) { g(__builtin_constant_p(sizeof(int))); }",
      "void f(void) { g(__builtin_object_size(p, sizeof(int))); }",
      "void f(int a[static sizeof(int)], char (*b)[sizeof(a)]) { }",
      "int f(int (*)(char[sizeof(int)]));",
      "void f(void) { g(@sizeof(int)@, __builtin_mul_overflow(n, @sizeof(T)@, "
      "&r)); }",
  };
  CHECK_ROWS(rows);
}

static void test_what_makes_no_size_stays(void) {
  static const char *const rows[] = {
      "void f(void) { if (sizeof(long) == 8) g(@sizeof(long)@); }",
      "void f(void) { if (8 == sizeof(long) && x) g(); }",
      "void f(void) { assert(sizeof(a) <= sizeof(b)); }",
      "void f(void) { n = sizeof(a) > sizeof(b) ? @sizeof(a)@ : @sizeof(b)@; }",
      "void f(void) { if (n > @sizeof(long)@) g(); }",
      "void f(void) { if (n * @sizeof(long)@ > 8) g(); }",
      "void f(void) { if (@sizeof(long)@ > 4 * n) g(); }",
      "void f(void) { (void)sizeof(x); (long)@sizeof(x)@; }",
  };
  CHECK_ROWS(rows);
}

static void test_static_initialisers(void) {
  static const char *const rows[] = {
      "unsigned long n = `sizeof(int)`;",
      "static const unsigned long n = `sizeof(int)` + 1, m = 2;",
      "struct m m = { .size = `sizeof(struct s)`, .f = f };",
      "struct m m[] = { [0] = { `sizeof(a)`, f }, [sizeof(b)] = { `sizeof(c)` "
      "} };",
      "struct m *m = &(const struct m){ `sizeof(a)` };",
      "void f(void) { static struct m m = { `sizeof(a)` }; g(@sizeof(m)@); }",
      "void f(void) { static const unsigned long int n = `sizeof(a)`, k; }",
      "void f(void) { struct m m = { @sizeof(a)@ }; }",
      "void f(void) { const int n = @sizeof(a)@; static int k; k = "
      "@sizeof(k)@; }",
      "void f(void) { { static int k; } k = @sizeof(k)@; }",
      "void f(void) { struct s { int a; } static k = { `sizeof(k)` }; }",
      "void f(void) { constexpr int n = `sizeof(a)`; int m = @sizeof(n)@; }",
      "_Thread_local int n = `sizeof(int)`;",
      "int (*const t[2])(char[sizeof(int)]) = { (void *)`sizeof(int)` };",
      "int n = `sizeof(int)`; void f(void) { g(@sizeof(int)@); } int m = "
      "`sizeof(n)`;",
      "int f(a) int a; { return @sizeof a@; }",
      "int f(a, b) struct s *a; char b[sizeof(int)]; { return @sizeof *a@; }",
      "void f(void) { for (int i = 0; i < @sizeof(a)@ / @sizeof(a[0])@; i++) "
      "g(); }",
      "int a[] = { [sizeof(int)] = 1 };",
      "void f(void) { T x[] = { [sizeof(int)] = @sizeof(int)@ }; }",
  };
  CHECK_ROWS(rows);
}

static void test_offsetof(void) {
#define O "__builtin_offsetof"
  static const char *const rows[] = {
      "void f(void) { g(@" O "(struct s, a)@ + n); }",
      "void f(void) { g(@" O "(struct s, a[n])@, @" O "(T, a.b[3])@); }",
      "void f(void) { g(" O "(struct s, a[n].b)); }",
      "void f(void) { p = (T *)((char *)q - " O "(T, a)); }",
      "struct c c[] = { { " O "(struct s, a), 1 }, { " O "(struct s, b) } };",
      "unsigned long n = `" O "(struct s, a)`;",
      "struct m m = { `" O "(struct s, a)` + `sizeof(int)` };",
      "int a[" O "(struct s, a)]; enum { A = " O "(struct s, a) };",
  };
#undef O
  CHECK_ROWS(rows);
}

/* What is not C has no marks, and does not trouble us. */
static void test_broken_text(void) {
  static const char *const rows[] = {
      "",
      "void f(void) { g(sizeof(int)); ",
      "void f(void) { g(sizeof(int); }",
      "void f(void) { g(sizeof(int)]; }",
      "sizeof",
      "void f(void) { sizeof }",
      "void f(void) { sizeof. (a)->(b)@sizeof x@.(c) }",
      "void f(void) { g(sizeof(; }",
      "\"unterminated\n' \nvoid f(void) { g(@sizeof(int)@); }",
      "struct enum union case switch typeof _Generic asm [[ ]] = ; = ,",
      "case sizeof(int)",
      "enum { enum {",
      "= sizeof(int);",
      "int = { = };",
  };
  CHECK_ROWS(rows);
}

static void check_text(const char *in, bool from_gcc, const char *want) {
  struct cca_marks *marks = cca_marks_find(in, strlen(in), from_gcc);
  struct cca_text out = {0};
  cca_marks_apply(marks, &out);
  CHECK_STR(out.data, want);
  cca_marks_free(marks);
  cca_text_release(&out);
}

static void check_applied(const char *in, const char *want) {
  check_text(in, false, want);
}

static void test_the_text(void) {
  check_applied("# 7 \"a.c\"\nf(void) { g(sizeof(T), 1); }\n",
                "# 7 \"a.c\"\n"
                "f(void) { g(({static __typeof__(T)*__cca_sizeof_0;"
                "(__typeof__(sizeof 0))&__cca_sizeof_0;})\n"
                "# 7\n"
                "                     , 1); }\n");
  check_applied("# 7 \"a.c\"\nint n = sizeof a;\nint m;\n",
                "# 7 \"a.c\"\n"
                "int n = sizeof a;"
                "static __attribute__((__used__))void __cca_init_0(void){"
                "extern void __cca_init(const volatile void*,"
                "const volatile void*);__typeof__(n)__cca_of_n=\n"
                "# 7 \"a.c\"\n"
                "        ({static __typeof__(a)*__cca_sizeof_0;"
                "(__typeof__(sizeof 0))&__cca_sizeof_0;})\n"
                "# 7\n"
                "                ;__cca_init(&n,&__cca_of_n);}\n"
                "# 7 \"a.c\"\n"
                "\nint m;\n");
  check_applied(
      "FILE *f(void) __attribute__((__malloc__ (fclose,\n 1), cold)),\n"
      "*malloc(int) __attribute__((malloc));\n",
      "FILE *f(void) __attribute__((__malloc__         \n   , cold)),\n"
      "*malloc(int) __attribute__((malloc));\n");
  check_applied("void f(void) { static int n = sizeof a; }\nint m;\n",
                "void f(void) { static int n = sizeof a;"
                "{extern const volatile int __cca_never;if(__cca_never){"
                "extern void __cca_init(const volatile void*,"
                "const volatile void*);__typeof__(n)__cca_of_n=\n"
                "# 1 \"\"\n"
                "                              ({static __typeof__(a)*"
                "__cca_sizeof_0;(__typeof__(sizeof 0))&__cca_sizeof_0;})\n"
                "# 1\n"
                "                                      "
                ";__cca_init(&n,&__cca_of_n);}}\n"
                "# 1 \"\"\n"
                "                                        }\nint m;\n");
  check_text("struct s { _Atomic int a; _Atomic(long) b; } s;", true,
             "struct s {         int a; __typeof__(long) b; } s;");
  check_applied("struct s { _Atomic int a; _Atomic(long) b; } s;",
                "struct s { _Atomic int a; _Atomic(long) b; } s;");
  check_applied("f(void) { char a[sizeof(T)]; }", /* nothing to do */
                "f(void) { char a[sizeof(T)]; }");
}

static size_t drop(struct cca_marks *marks, const char *file, unsigned line) {
  return cca_marks_drop(marks, file, strlen(file), line);
}

/* Marks are dropped by the lines that clang names, and a thunk with them. */
static void test_dropping(void) {
  static const char in[] = "# 5 \"a.c\"\n"
                           "struct m m = {\n"
                           "  1,\n"
                           "  sizeof(int) };\n"
                           "f(void) { g(sizeof(int),\n"
                           "# 8 \"b.c\"\n"
                           "sizeof(T)); }\n";
  struct cca_marks *marks = cca_marks_find(in, strlen(in), false);
  size_t count;
  cca_marks_list(marks, &count);
  CHECK_U(count, 3);
  CHECK_U(drop(marks, "b.c", 14), 0);
  CHECK_U(drop(marks, "a.c", 14), 0);
  CHECK_U(drop(marks, "b.c", 8), 1);
  CHECK_U(drop(marks, "b.c", 8), 0);
  CHECK_U(drop(marks, "a.c", 6), 1); /* inside the initialiser of m */
  CHECK_U(drop(marks, "a.c", 3), 1); /* near enough */
  CHECK_U(cca_marks_drop_all(marks), 0);
  struct cca_text out = {0};
  cca_marks_apply(marks, &out);
  CHECK_STR(out.data, in);
  cca_text_release(&out);
  cca_marks_free(marks);
}

int main(void) {
  RUN(test_extents);
  RUN(test_constants_stay);
  RUN(test_what_makes_no_size_stays);
  RUN(test_static_initialisers);
  RUN(test_offsetof);
  RUN(test_broken_text);
  RUN(test_the_text);
  RUN(test_dropping);
  return check_done();
}
