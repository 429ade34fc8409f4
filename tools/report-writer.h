/* SPDX-License-Identifier: MIT */
/*
 * report-writer.h -- what the text report's files have in common.
 *
 * report-text.c       totals, types, boundary; the helpers below
 * report-functions.c  the sections of functions
 * report-sites.c      the sites
 */
#ifndef CCA_REPORT_WRITER_H
#define CCA_REPORT_WRITER_H

#include "report.h"

enum { CCA_REPORT_SHOWN_TYPES = 3 }; /* in one cell */

struct cca_report_writer {
  const struct cca_report *report;
  const struct cca_table *table;
  const struct cca_report_options *options;
  const struct cca_screen *screen;
  struct cca_text *out;
};

/* report-text.c */

const char *cca__report_string(const struct cca_report_writer *w,
                               uint32_t offset);

/* Append "NAME:LINE", as much of it as is known, to TEXT. */
void cca__report_add_place(const struct cca_report_writer *w,
                           struct cca_text *text, uint32_t file, uint32_t line);

/* Append ", " unless TEXT ends where it began, at START. */
void cca__report_add_comma(struct cca_text *text, size_t start);

/* "Table (12), Proto (9), +3 more" of COUNT rows; at most MOST are named. */
void cca__report_add_counts(const struct cca_report_writer *w,
                            struct cca_text *text, uint32_t first,
                            uint32_t count, uint32_t most);

void cca__report_heading(const struct cca_report_writer *w, const char *title,
                         uint32_t count, const char *remark);

/* report-functions.c, report-sites.c: a section each, if it has rows. */
void cca__report_functions(const struct cca_report_writer *w,
                           enum cca_report_group group);
void cca__report_sites(const struct cca_report_writer *w);

#endif
