/* SPDX-License-Identifier: MIT */
/*
 * allocs.c -- the command `allocs`: choose a subcommand.
 */
#include "allocs.h"

#include <errno.h>
#include <getopt.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *summary;
} commands[] = {
    {"report", cca_report_main, "the allocation functions and sites of a file"},
    {"run", cca_run_main, "a program, and its heap by type"},
    {"check", cca_check_main, "sites whose size is not that of what they make"},
    {"symbolize", cca_symbolize_main, "functions and lines of addresses"},
    {"symserver", cca_symserver_main, "make symbol tables for other processes"},
    {"cache", cca_cache_main, "what allocs run has left for the next time"},
    {"export", cca_export_main, "the functions as other tools read them"},
    {"dump", cca_dump_main, "summaries, classifications, symbol tables as text"},
    {"assemble", cca_assemble_main, "that text back into a table file"},
    {"solve", cca_solve_main,
     "summaries into a classification (links call it)"},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

void cca_complain(const char *command, const char *format, ...) {
  va_list args;
  fprintf(stderr, "allocs%s%s: ", *command ? " " : "", command);
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
}

void cca_complain_option(int answer, char **argv) {
  char letter[3] = {'-', (char)optopt, 0};
  const char *option = optopt > 0 && optopt < 128 ? letter : argv[optind - 1];
  if (answer == ':')
    cca_complain(argv[0], "%s needs an argument", option);
  else
    cca_complain(argv[0], "there is no option %s; allocs %s --help lists them",
                 option, argv[0]);
}

void cca_complain_no_file(const char *command) {
  cca_complain(command, "no FILE is given; name an executable, shared object, "
                        "object or archive");
}

int cca_show_help(const char *help) {
  return cca_print("", help, strlen(help));
}

int cca_parse_output(int argc, char **argv, const char *help,
                     const char **out) {
  static const struct option longs[] = {
      {"output", required_argument, NULL, 'o'},
      {"help", no_argument, NULL, 'h'},
      {0}};
  int option;
  opterr = 0;
  while ((option = getopt_long(argc, argv, out ? ":ho:" : ":h", longs, NULL)) !=
         -1) {
    if (option == 'h')
      return cca_show_help(help);
    if (option == 'o' && out) {
      *out = optarg;
      continue;
    }
    cca_complain_option(option, argv);
    return CCA_EXIT_ERROR;
  }
  return -1;
}

int cca_parse_color(const char *command, const char *word,
                    enum cca_color *color) {
  static const char *const words[] = {"auto", "always", "never"};
  for (int i = 0; i < 3; i++)
    if (!strcmp(word ? word : "always", words[i])) {
      *color = (enum cca_color)i;
      return 0;
    }
  cca_complain(command, "--color is auto, always or never, not `%s'", word);
  return -1;
}

int cca_parse_wait(const char *command, const char *option, const char *word,
                   unsigned *ms) {
  char *end;
  double seconds = strtod(word, &end);
  if (*word && !*end && seconds >= 0 && seconds <= 86400) {
    *ms = (unsigned)(seconds * 1000);
    return 0;
  }
  cca_complain(command, "--%s is a number of seconds, to 86400, not `%s'",
               option, word);
  return -1;
}

int cca_print(const char *command, const void *bytes, size_t len) {
  const char *next = bytes;
  while (len) {
    ssize_t done = write(STDOUT_FILENO, next, len);
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0) {
      cca_complain(command, "cannot write to standard output: %s",
                   strerror(errno));
      return CCA_EXIT_ERROR;
    }
    next += done;
    len -= (size_t)done;
  }
  return CCA_EXIT_OK;
}

bool cca_may_write_table(const char *command, const char *out) {
  if (out || !isatty(STDOUT_FILENO))
    return true;
  cca_complain(command, "a table file is no text for a terminal; name a file "
                        "with -o OUT");
  return false;
}

int cca_write_table(const char *command, const char *out,
                    const struct cca_text *image) {
  if (!out)
    return cca_print(command, image->data, image->len);
  int error = cca_write_file(out, image);
  if (error)
    cca_complain(command, "%s: cannot write it: %s", out, strerror(error));
  return error ? CCA_EXIT_ERROR : CCA_EXIT_OK;
}

static int help(void) {
  printf(
      "usage: allocs COMMAND [OPTION...] FILE...\n\n"
      "What the C code in a file allocates: which functions allocate, how "
      "much, and of\nwhich type.  The file was built with CC=cc-allocs.\n\n");
  for (size_t i = 0; i < COMMANDS; i++)
    printf("  allocs %-10s %s\n", commands[i].name, commands[i].summary);
  printf("\n"
         "allocs COMMAND --help has the options; allocs(1) has the rest.\n");
  return fflush(stdout) ? CCA_EXIT_ERROR : CCA_EXIT_OK;
}

int main(int argc, char **argv) {
  setlocale(LC_CTYPE, "");
  if (argc < 2) {
    help();
    return CCA_EXIT_ERROR;
  }
  const char *name = argv[1];
  if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help"))
    return help();
  if (!strcmp(name, "--version")) {
    printf("allocs %s\n", CCA_VERSION);
    return fflush(stdout) ? CCA_EXIT_ERROR : CCA_EXIT_OK;
  }
  for (size_t i = 0; i < COMMANDS; i++)
    if (!strcmp(name, commands[i].name))
      return commands[i].run(argc - 1, argv + 1);
  cca_complain("", "there is no command `%s'; allocs --help lists them", name);
  return CCA_EXIT_ERROR;
}
