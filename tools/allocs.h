/* SPDX-License-Identifier: MIT */
/*
 * allocs.h -- the commands of `allocs`, each a main() of its own.
 *
 * argv[0] is the command's name.  Each returns a CCA_EXIT_* (report.h), which
 * are the statuses documented in allocs(1).
 */
#ifndef CCA_ALLOCS_H
#define CCA_ALLOCS_H

#include <stdbool.h>
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

/* Read the options of a command that has --help, its text HELP, and, if OUT is
 * not NULL, -o, whose word becomes *OUT.  Negative: go on with the files at
 * argv[optind]; else the exit status. */
int cca_parse_output(int argc, char **argv, const char *help, const char **out);

/* The word of --color, NULL for none, in *COLOR.  Negative if it is none of
 * them, which COMMAND has then said. */
int cca_parse_color(const char *command, const char *word,
                    enum cca_color *color);

/* The word of --OPTION, a number of seconds, as milliseconds in *MS.  Negative
 * if it is none, which COMMAND has then said. */
int cca_parse_wait(const char *command, const char *option, const char *word,
                   unsigned *ms);

/* Publish BYTES as the file PATH: all of them, or the file as it was.  Returns 0
 * or an errno value. */
int cca_write_file(const char *path, const struct cca_text *bytes);

/* May COMMAND write a table to OUT, or to standard output if that is NULL?  Not
 * if that is a terminal, which is then said. */
bool cca_may_write_table(const char *command, const char *out);

/* Publish IMAGE as the file OUT, or write it to standard output if that is
 * NULL.  CCA_EXIT_OK or CCA_EXIT_ERROR, which has then been said. */
int cca_write_table(const char *command, const char *out,
                    const struct cca_text *image);

/* Write LEN bytes to standard output; an error is said, and CCA_EXIT_ERROR
 * returned. */
int cca_print(const char *command, const void *bytes, size_t len);

#endif
