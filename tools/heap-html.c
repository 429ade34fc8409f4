/* SPDX-License-Identifier: MIT */
/*
 * heap-html.c -- the heaps of a run as a page for a browser.
 *
 * In:  heap.html, which is in this program, and the document of
 *      docs/run.schema.json, in pieces.
 * Out: one page with both in it.
 *
 * Types may be called anything.  What ends a script element, or begins a
 * comment in one, begins with `<`, which JSON has nowhere but in strings, and
 * may write otherwise there.  All else is the page's affair.
 */
#include "heap.h"

#include <stdlib.h>
#include <string.h>

extern const char cca_heap_page[]; /* made from heap.html */

/* Where the document goes in the page, in place of `null'. */
static const char *gap(void) {
  static const char before[] = "id=\"heap\">";
  return strstr(cca_heap_page, before) + strlen(before);
}

void cca_heap_html_begin(struct cca_text *out) {
  cca_text_add(out, cca_heap_page, (size_t)(gap() - cca_heap_page));
}

void cca_heap_html_add(const char *json, struct cca_text *out) {
  for (const char *from = json, *end; *from; from = end) {
    end = from + strcspn(from, "<");
    cca_text_add(out, from, (size_t)(end - from));
    if (*end) {
      cca_text_adds(out, "\\u003c");
      end++;
    }
  }
}

void cca_heap_html_end(struct cca_text *out) {
  cca_text_adds(out, gap() + strlen("null"));
}
