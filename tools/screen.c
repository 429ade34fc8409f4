/* SPDX-License-Identifier: MIT */
/*
 * screen.c -- colours, columns, and lines that fit.
 *
 * A column is as wide as its widest cell, but a few cells much longer than
 * the rest do not count: they push the rest of their own row, and the other
 * rows stay together.  Which ones are long depends on the whole table: columns
 * give up width, widest first, until the last column has a fifth of the screen
 * or all that it wants.  Output that goes to a file or to grep is not cut, and
 * its last column is as wide as it is.
 */
#include "screen.h"

#include <langinfo.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
  MAX_COLUMNS = 8,
  GAP = 2, /* between two columns */
  MIN_WIDTH = 60,
  DEFAULT_WIDTH = 100,
  MIN_LAST = 8, /* of a last column that was pushed out */
};

struct cca_grid_cell {
  const char *text; /* borrowed from the grid's arena */
  size_t columns;
  enum cca_style style;
  bool line; /* a whole line, not a cell */
};

static const char *const escapes[] = {
    [CCA_STYLE_PLAIN] = "",       [CCA_STYLE_HEADING] = "\033[1m",
    [CCA_STYLE_NAME] = "\033[1m", [CCA_STYLE_TYPE] = "\033[36m",
    [CCA_STYLE_DIM] = "\033[2m",  [CCA_STYLE_WARN] = "\033[33m",
};

static size_t width_of(int file) {
  struct winsize size;
  size_t width = DEFAULT_WIDTH;
  const char *columns = getenv("COLUMNS");
  if (ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col)
    width = size.ws_col;
  else if (columns && *columns >= '1' && *columns <= '9')
    width = strtoul(columns, NULL, 10);
  return width < MIN_WIDTH ? MIN_WIDTH : width;
}

struct cca_screen cca_screen_of(int file, enum cca_color when) {
  const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
  bool terminal = isatty(file);
  bool able = terminal && term && *term && strcmp(term, "dumb") &&
              !(no_color && *no_color);
  bool unicode = !strcmp(nl_langinfo(CODESET), "UTF-8");
  return (struct cca_screen){
      .color = when == CCA_COLOR_ALWAYS || (when == CCA_COLOR_AUTO && able),
      .cut = terminal,
      .width = width_of(file),
      .arrow = unicode ? "→" : "->",
      .ellipsis = unicode ? "…" : "...",
  };
}

size_t cca_screen_columns(const char *text, size_t len) {
  size_t columns = 0;
  for (size_t i = 0; i < len; i++)
    columns += ((unsigned char)text[i] & 0xc0) != 0x80;
  return columns;
}

/* Bytes of the well-formed UTF-8 character at P that may be shown, or 0. */
static size_t character_at(const unsigned char *p) {
  if (*p < 0x80)
    return *p >= 0x20 && *p != 0x7f;
  size_t len = *p >= 0xf0 && *p <= 0xf4   ? 4
               : *p >= 0xe0 && *p <= 0xef ? 3
               : *p >= 0xc2 && *p <= 0xdf ? 2
                                          : 0;
  for (size_t i = 1; i < len; i++)
    if ((p[i] & 0xc0) != 0x80) /* also stops at the terminator */
      return 0;
  if ((*p == 0xc2 && p[1] < 0xa0) ||  /* the C1 controls */
      (*p == 0xe0 && p[1] < 0xa0) ||  /* overlong */
      (*p == 0xed && p[1] >= 0xa0) || /* surrogates */
      (*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] >= 0x90))
    return 0;
  return len;
}

void cca_screen_clean(struct cca_text *out, const char *string) {
  while (*string) {
    size_t len = character_at((const unsigned char *)string);
    cca_text_add(out, len ? string : "?", len ? len : 1);
    string += len ? len : 1;
  }
}

void cca_screen_styled(const struct cca_screen *screen, struct cca_text *out,
                       enum cca_style style, const char *text) {
  bool paint = screen->color && escapes[style][0] && *text;
  if (paint)
    cca_text_adds(out, escapes[style]);
  cca_text_adds(out, text);
  if (paint)
    cca_text_adds(out, "\033[0m");
}

void cca_screen_wrap(const struct cca_screen *screen, struct cca_text *out,
                     enum cca_style style, size_t indent, size_t hanging,
                     const char *text) {
  struct cca_text line = {0};
  bool first = true;
  cca_text_adds(&line, "");
  while (*text || first) {
    size_t word = strcspn(text, " ");
    word += strspn(text + word, " ");
    size_t end = word;
    while (end && text[end - 1] == ' ')
      end--;
    size_t margin = indent + (first ? 0 : hanging);
    if (line.len && margin + cca_screen_columns(line.data, line.len) +
                            cca_screen_columns(text, end) >
                        screen->width) {
      while (line.len && line.data[line.len - 1] == ' ')
        line.data[--line.len] = 0;
      cca_text_addf(out, "%*s", (int)margin, "");
      cca_screen_styled(screen, out, style, line.data);
      cca_text_adds(out, "\n");
      line.len = 0;
      line.data[0] = 0;
      first = false;
      continue;
    }
    cca_text_add(&line, text, word);
    text += word;
    if (!*text) {
      cca_text_addf(out, "%*s", (int)(indent + (first ? 0 : hanging)), "");
      cca_screen_styled(screen, out, style, line.data);
      cca_text_adds(out, "\n");
      break;
    }
  }
  cca_text_release(&line);
}

static void push(struct cca_grid *grid, struct cca_grid_cell cell) {
  if (grid->count == grid->room) {
    grid->room = grid->room * 2 + 32;
    grid->cells = cca_realloc(grid->cells, grid->room, sizeof *grid->cells);
  }
  grid->cells[grid->count++] = cell;
}

void cca_cell(struct cca_grid *grid, enum cca_style style, const char *string) {
  struct cca_text clean = {0};
  cca_screen_clean(&clean, string);
  push(grid, (struct cca_grid_cell){
                 .text = cca_arena_strndup(
                     &grid->arena, clean.data ? clean.data : "", clean.len),
                 .columns = cca_screen_columns(clean.data, clean.len),
                 .style = style,
             });
  grid->column = (grid->column + 1) % grid->columns;
  cca_text_release(&clean);
}

void cca_cellf(struct cca_grid *grid, enum cca_style style, const char *format,
               ...) {
  char *text = NULL;
  va_list args;
  va_start(args, format);
  int len = vasprintf(&text, format, args);
  va_end(args);
  cca_cell(grid, style, len < 0 ? "" : text);
  if (len >= 0)
    free(text);
}

void cca_grid_line(struct cca_grid *grid, const char *line) {
  push(grid, (struct cca_grid_cell){
                 .text = cca_arena_strdup(&grid->arena, line),
                 .line = true,
             });
}

/* The widest cell of COLUMN that is no wider than LIMIT. */
static size_t widest(const struct cca_grid *grid, size_t column, size_t limit) {
  size_t width = 0, at = 0;
  for (size_t i = 0; i < grid->count; i++) {
    const struct cca_grid_cell *cell = &grid->cells[i];
    if (cell->line)
      continue;
    if (at++ % grid->columns == column && cell->columns > width &&
        cell->columns <= limit)
      width = cell->columns;
  }
  return width;
}

/* Decide the widths of all columns but the last, which has what is left. */
static void fit(const struct cca_grid *grid, const struct cca_screen *screen,
                size_t width[MAX_COLUMNS]) {
  size_t total = grid->indent, last = grid->columns - 1;
  for (size_t c = 0; c < last; c++) {
    width[c] = widest(grid, c, screen->width);
    total += width[c] + GAP;
  }
  size_t want = widest(grid, last, screen->width);
  width[last] = screen->cut ? screen->width / 5 : 0;
  if (width[last] > want)
    width[last] = want;

  while (total + width[last] > screen->width) {
    size_t most = 0;
    for (size_t c = 1; c < last; c++)
      if (width[c] > width[most])
        most = c;
    if (width[most] <= 12)
      break;
    size_t less = widest(grid, most, width[most] - 1);
    total -= width[most] - less;
    width[most] = less;
  }
}

/* The first COLUMNS columns of TEXT. */
static size_t bytes_of_columns(const char *text, size_t columns) {
  size_t i = 0;
  for (; text[i]; i++)
    if (((unsigned char)text[i] & 0xc0) != 0x80 && columns-- == 0)
      break;
  return i;
}

/* Write the last cell of a row, which may have ROOM columns.  A list of types
 * is cut behind a comma, lest `struct s (12)` become `struct s (1...`. */
static void print_last(const struct cca_screen *screen, struct cca_text *out,
                       const struct cca_grid_cell *cell, size_t room) {
  if (!screen->cut || cell->columns <= room) {
    cca_screen_styled(screen, out, cell->style, cell->text);
    return;
  }
  size_t dots = cca_screen_columns(screen->ellipsis, strlen(screen->ellipsis));
  size_t keep = bytes_of_columns(cell->text, room - dots);
  for (size_t i = keep; i > 4 && cell->style == CCA_STYLE_TYPE; i--)
    if (!memcmp(cell->text + i - 2, ", ", 2)) {
      keep = i;
      break;
    }
  struct cca_text cut = {0};
  cca_text_add(&cut, cell->text, keep);
  cca_text_adds(&cut, screen->ellipsis);
  cca_screen_styled(screen, out, cell->style, cut.data);
  cca_text_release(&cut);
}

static void print_row(const struct cca_grid *grid,
                      const struct cca_screen *screen, struct cca_text *out,
                      const struct cca_grid_cell *row, const size_t *width) {
  size_t at = 0, want = grid->indent, last = grid->columns;
  while (last && !row[last - 1].columns)
    last--;
  for (size_t c = 0; c < last; c++) {
    const struct cca_grid_cell *cell = &row[c];
    size_t pad = cell->columns < width[c] ? width[c] - cell->columns : 0;
    size_t start = want + ((grid->right >> c & 1) ? pad : 0);
    if (at && start < at + 1)
      start = at + 1;
    if (cell->columns) {
      cca_text_addf(out, "%*s", (int)(start - at), "");
      if (c + 1 == grid->columns) {
        size_t room = start < screen->width ? screen->width - start : 0;
        print_last(screen, out, cell, room < MIN_LAST ? MIN_LAST : room);
      } else {
        cca_screen_styled(screen, out, cell->style, cell->text);
      }
      at = start + cell->columns;
    }
    want += width[c] + GAP;
  }
  cca_text_adds(out, "\n");
}

void cca_grid_print(struct cca_grid *grid, const struct cca_screen *screen,
                    struct cca_text *out) {
  size_t width[MAX_COLUMNS] = {0};
  fit(grid, screen, width);
  for (size_t i = 0; i < grid->count;) {
    if (grid->cells[i].line) {
      cca_text_adds(out, grid->cells[i++].text);
    } else {
      print_row(grid, screen, out, &grid->cells[i], width);
      i += grid->columns;
    }
  }
  cca_arena_release(&grid->arena);
  free(grid->cells);
  grid->cells = NULL;
  grid->count = grid->room = grid->column = 0;
}
