/* SPDX-License-Identifier: MIT */
/*
 * symserver.c -- `allocs symserver`: make symbol tables for other processes of
 * this user (docs/symserver.md), until a signal ends it.
 */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "allocs.h"
#include "symbols/server.h"

static const char help[] =
    "usage: allocs symserver [OPTION...]\n"
    "\n"
    "Make symbol tables for other processes of this user, which ask for them "
    "through\n"
    "ccallocs/symbols.h or by allocs symbolize --server, and share them.  "
    "Write the\n"
    "path of the socket, once it is there, and serve until SIGTERM or SIGINT.\n"
    "\n"
    "      --socket PATH    its socket, in a folder of mode 0700\n"
    "      --memory MIB     what all tables that are kept may take together; "
    "1024\n"
    "      --workers N      processes that make tables at once; 2\n"
    "      --seconds N      of CPU time that one table may take; 120\n"
    "      --worker-memory MIB\n"
    "                       what one process may use for it; 4096\n"
    "      --idle N         end after N seconds without a client; 0, never\n"
    "      --help           this text\n"
    "\n"
    "Without --socket it is CC_ALLOCS_SYMBOLS, or cc-allocs/symbols in the "
    "folder\n"
    "XDG_RUNTIME_DIR, or /tmp/cc-allocs-UID/symbols.\n"
    "\n"
    "Exit status: 0 ended by a signal, or idle; 2 wrong usage, or it cannot\n"
    "serve (standard error says why).\n";

static void show(const char *path) {
  puts(path);
  fflush(stdout);
}

/* The number WORD, from MIN to MAX, in *OUT; false, which was said, if it is
 * none. */
static bool parse_number(const char *option, const char *word, uint64_t min,
                         uint64_t max, uint64_t *out) {
  char *end;
  unsigned long long number = strtoull(word, &end, 10);
  if (*word >= '0' && *word <= '9' && !*end && number >= min && number <= max) {
    *out = number;
    return true;
  }
  cca_complain("symserver", "--%s is a number from %llu to %llu, not `%s'",
               option, (unsigned long long)min, (unsigned long long)max, word);
  return false;
}

int cca_symserver_main(int argc, char **argv) {
  enum { HELP = 256, SOCKET, MEMORY, WORKERS, SECONDS, WORKER_MEMORY, IDLE };
  static const struct option longs[] = {
      {"help", no_argument, NULL, HELP},
      {"socket", required_argument, NULL, SOCKET},
      {"memory", required_argument, NULL, MEMORY},
      {"workers", required_argument, NULL, WORKERS},
      {"seconds", required_argument, NULL, SECONDS},
      {"worker-memory", required_argument, NULL, WORKER_MEMORY},
      {"idle", required_argument, NULL, IDLE},
      {0}};
  const char *socket = NULL;
  uint64_t memory = 1024, workers = 2, seconds = 120, worker_memory = 4096;
  uint64_t idle = 0;
  int option;
  opterr = 0;
  while ((option = getopt_long(argc, argv, ":h", longs, NULL)) != -1) {
    bool good = true;
    if (option == HELP || option == 'h')
      return cca_show_help(help);
    if (option == SOCKET)
      socket = optarg;
    else if (option == MEMORY)
      good = parse_number("memory", optarg, 1, 1 << 20, &memory);
    else if (option == WORKERS)
      good = parse_number("workers", optarg, 1, 64, &workers);
    else if (option == SECONDS)
      good = parse_number("seconds", optarg, 1, 86400, &seconds);
    else if (option == WORKER_MEMORY)
      good = parse_number("worker-memory", optarg, 1, 1 << 20, &worker_memory);
    else if (option == IDLE)
      good = parse_number("idle", optarg, 0, 1 << 30, &idle);
    else
      cca_complain_option(option, argv);
    if (!good || option == '?' || option == ':')
      return CCA_EXIT_ERROR;
  }
  if (optind < argc) {
    cca_complain("symserver", "`%s' is too much; it takes options only",
                 argv[optind]);
    return CCA_EXIT_ERROR;
  }
  struct cca_server_options options = {.socket = socket,
                                       .memory = memory << 20,
                                       .workers = (unsigned)workers,
                                       .seconds = (unsigned)seconds,
                                       .idle = (unsigned)idle,
                                       .worker_bytes = worker_memory << 20};
  signal(SIGPIPE, SIG_IGN); /* who started us need not read the path */
  const char *wrong = cca_server_run(&options, show);
  if (!wrong)
    return CCA_EXIT_OK;
  cca_complain("symserver", "%s", wrong);
  return CCA_EXIT_ERROR;
}
