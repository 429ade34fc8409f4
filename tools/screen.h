/* SPDX-License-Identifier: MIT */
/*
 * screen.h -- text for people: colours, columns, and lines that fit.
 *
 * What is read from files may be hostile: every string reaches the screen
 * through cca_cell_* or cca_screen_clean(), which let no control character and
 * no broken UTF-8 through.
 *
 *     struct cca_grid grid = {.columns = 3, .indent = 2};
 *     cca_cell(&grid, CCA_STYLE_NAME, "luaM_malloc_");
 *     cca_cell(&grid, CCA_STYLE_PLAIN, "malloc");
 *     cca_cellf(&grid, CCA_STYLE_DIM, "%s:%u", file, line);
 *     cca_grid_line(&grid, &text);        a line outside the columns
 *     cca_grid_print(&grid, &screen, &out);
 *
 * Memory: base/memory.h.
 */
#ifndef CCA_SCREEN_H
#define CCA_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/text.h"

enum cca_color { CCA_COLOR_AUTO, CCA_COLOR_ALWAYS, CCA_COLOR_NEVER };

enum cca_style {
  CCA_STYLE_PLAIN,
  CCA_STYLE_HEADING,
  CCA_STYLE_NAME,
  CCA_STYLE_TYPE,
  CCA_STYLE_DIM,
  CCA_STYLE_WARN,
};

struct cca_screen {
  bool color;
  bool cut; /* a terminal: what does not fit is cut, not wrapped */
  size_t width;         /* columns */
  const char *arrow;    /* "->" or its one-column sign */
  const char *ellipsis; /* "..." or its one-column sign */
};

/*
 * What FILE, standard output as a rule, can show.  AUTO colours a terminal that is not dumb,
 * unless NO_COLOR is set and not empty.  The width is the terminal's, else
 * COLUMNS, else 100; never below 60.  Call setlocale(LC_CTYPE, "") before.
 */
struct cca_screen cca_screen_of(int file, enum cca_color when);

/* Columns that TEXT (LEN bytes, clean UTF-8) takes. */
size_t cca_screen_columns(const char *text, size_t len);

/* Append STRING with control characters and broken UTF-8 replaced by `?`. */
void cca_screen_clean(struct cca_text *out, const char *string);

/* Append TEXT in STYLE. */
void cca_screen_styled(const struct cca_screen *screen, struct cca_text *out,
                       enum cca_style style, const char *text);

/*
 * Append a line to OUT: INDENT blanks, then the words of TEXT (separated by
 * blanks; the first LABEL columns of the text are the hanging indent), broken
 * where the screen ends.  TEXT is clean; STYLE applies to all of it.
 */
void cca_screen_wrap(const struct cca_screen *screen, struct cca_text *out,
                     enum cca_style style, size_t indent, size_t hanging,
                     const char *text);

/* Rows of cells.  A zeroed struct with `columns` set is an empty grid. */
struct cca_grid {
  size_t columns; /* at most 8 */
  size_t indent;
  unsigned right; /* bit n: column n is right-aligned */
  struct cca_grid_cell *cells;
  size_t count, room;
  size_t column; /* of the next cell */
  struct cca_arena arena;
};

/* The next cell of the current row; a row ends with its last column.  STRING
 * is cleaned and copied.  "" is an empty cell. */
void cca_cell(struct cca_grid *grid, enum cca_style style, const char *string);
void cca_cellf(struct cca_grid *grid, enum cca_style style, const char *format,
               ...) __attribute__((format(printf, 3, 4)));

/* A ready-made line (it may hold styles, and ends with a newline) after the
 * current row, which must be complete. */
void cca_grid_line(struct cca_grid *grid, const char *line);

/* Write the rows to OUT, and empty the grid.  On a terminal the last column is
 * cut where the screen ends; other cells never are: one that is much longer
 * than its neighbours pushes the rest of its row to the right. */
void cca_grid_print(struct cca_grid *grid, const struct cca_screen *screen,
                    struct cca_text *out);

#endif
