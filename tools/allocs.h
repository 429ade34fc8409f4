/* SPDX-License-Identifier: MIT */
/*
 * allocs.h -- the commands of `allocs`, each a main() of its own.
 *
 * argv[0] is the command's name.  Each returns a CCA_EXIT_* (report.h), which
 * are the statuses documented in allocs(1).
 */
#ifndef CCA_ALLOCS_H
#define CCA_ALLOCS_H

#include <stddef.h>

#include "screen.h"

int cca_report_main(int argc, char **argv);
int cca_run_main(int argc, char **argv);
int cca_check_main(int argc, char **argv);
int cca_export_main(int argc, char **argv);
int cca_symbolize_main(int argc, char **argv);
int cca_symserver_main(int argc, char **argv);
int cca_cache_main(int argc, char **argv);
int cca_dump_main(int argc, char **argv);
int cca_assemble_main(int argc, char **argv);
int cca_solve_main(int argc, char **argv);

enum {
  CCA_EXIT_OK = 0,
  CCA_EXIT_NOTHING = 1, /* a good file with nothing in it for us */
  CCA_EXIT_ERROR = 2,   /* wrong usage; a file unreadable or broken */
};

/* Say "allocs COMMAND: ..." on standard error. */
void cca_complain(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Say what is wrong with the option at which getopt_long() stopped; ANSWER is
 * what it returned, `:` or `?`. */
void cca_complain_option(int answer, char **argv);

/* Say that COMMAND, which looks at linked files and objects, was given none. */
void cca_complain_no_file(const char *command);

/* Write HELP to standard output; CCA_EXIT_ERROR if it cannot be written. */
int cca_show_help(const char *help);

/* The word of --color, NULL for none, in *COLOR.  Negative if it is none of
 * them, which COMMAND has then said. */
int cca_parse_color(const char *command, const char *word,
                    enum cca_color *color);

/* Publish BYTES as the file PATH: all of them, or the file as it was.  Returns 0
 * or an errno value. */
int cca_write_file(const char *path, const struct cca_text *bytes);

/* Write LEN bytes to standard output; an error is said, and CCA_EXIT_ERROR
 * returned. */
int cca_print(const char *command, const void *bytes, size_t len);

#endif
