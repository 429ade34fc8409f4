/* SPDX-License-Identifier: MIT */
/*
 * run.c -- `allocs run`: run a program, and say what its heap was made of.
 *
 * The runtime is preloaded into the program and all that it starts.  Each
 * process leaves its snapshots in a folder of ours, which are read when the
 * program has ended, those of the program itself first.  The program has our
 * standard input, output and error, gets the signals that were meant for it,
 * and its exit status is ours.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <dirent.h>

#include "allocs.h"
#include "base/file.h"
#include "heap.h"

extern char **environ;

static const char help[] =
    "usage: allocs run [OPTION...] PROGRAM [ARGUMENT...]\n"
    "\n"
    "Run PROGRAM and show the objects of its heap by type: how many were "
    "allocated,\n"
    "how many are live when it ends.  Types are known of what was built with\n"
    "CC=cc-allocs; all else is counted too.\n"
    "\n"
    "  -o, --output FILE   write there, not to standard error\n"
    "      --json          for programs; docs/run.schema.json describes it\n"
    "      --live          those first of which most is live\n"
    "      --all           all types; else the first 40\n"
    "      --sites         each type with the calls that allocated it\n"
    "      --signal SIG    a snapshot whenever the program gets SIG (USR1, "
    "10)\n"
    "      --diff          each snapshot of a process less the one before\n"
    "      --color[=WHEN]  auto (the default: on a terminal), always, never\n"
    "      --help          this text\n"
    "\n"
    "Exit status: the program's; 128 and the number of the signal that ended "
    "it; 125\n"
    "wrong usage, or nothing could be recorded; 126, 127 it could not be "
    "started.\n"
    "\n"
    "NO_COLOR turns colours off, COLUMNS is the width where there is no "
    "terminal.\n";

enum { EXIT_OURS = 125, EXIT_NOT_RUN = 126, EXIT_NOT_THERE = 127, MOST = 40 };

struct options {
  struct cca_heap_options heap;
  enum cca_color color;
  bool json, diff;
  const char *output;
  int signal; /* 0: none */
};

/* ---- The command line ---- */

static int parse_signal(const char *word) {
  char *end;
  long number = strtol(word, &end, 10);
  if (*word && !*end)
    return number > 0 && number < NSIG ? (int)number : 0;
  if (!strncmp(word, "SIG", 3))
    word += 3;
  for (int i = 1; i < NSIG; i++) {
    const char *name = sigabbrev_np(i);
    if (name && !strcmp(name, word))
      return i;
  }
  return 0;
}

/* Returns negative to go on with the program at argv[optind], or the exit
 * status. */
static int parse(struct options *options, int argc, char **argv) {
  enum { JSON = 256, LIVE, ALL, SITES, SIGNAL, DIFF, COLOR, HELP };
  static const struct option longs[] = {
      {"json", no_argument, NULL, JSON},
      {"live", no_argument, NULL, LIVE},
      {"all", no_argument, NULL, ALL},
      {"sites", no_argument, NULL, SITES},
      {"output", required_argument, NULL, 'o'},
      {"signal", required_argument, NULL, SIGNAL},
      {"diff", no_argument, NULL, DIFF},
      {"color", optional_argument, NULL, COLOR},
      {"help", no_argument, NULL, HELP},
      {0},
  };
  int option;
  opterr = 0;
  options->heap.most = MOST;
  while ((option = getopt_long(argc, argv, "+:ho:", longs, NULL)) != -1)
    switch (option) {
    case JSON:
      options->json = true;
      break;
    case LIVE:
      options->heap.live = true;
      break;
    case ALL:
      options->heap.most = 0;
      break;
    case SITES:
      options->heap.sites = true;
      break;
    case 'o':
      options->output = optarg;
      break;
    case SIGNAL:
      options->signal = parse_signal(optarg);
      if (!options->signal) {
        cca_complain("run", "there is no signal `%s'; kill -l lists them",
                     optarg);
        return EXIT_OURS;
      }
      break;
    case DIFF:
      options->diff = true;
      break;
    case COLOR:
      if (cca_parse_color("run", optarg, &options->color) < 0)
        return EXIT_OURS;
      break;
    case 'h':
    case HELP:
      return cca_show_help(help) == CCA_EXIT_OK ? CCA_EXIT_OK : EXIT_OURS;
    default:
      cca_complain_option(option, argv);
      return EXIT_OURS;
    }
  if (options->diff && options->json) {
    cca_complain("run", "--json has every snapshot as it is; --diff is for "
                        "people");
    return EXIT_OURS;
  }
  if (optind == argc) {
    cca_complain("run", "no PROGRAM is given");
    return EXIT_OURS;
  }
  return -1;
}

/* ---- The program ---- */

static pid_t program;

static void hand_on(int signal) {
  if (program > 0)
    kill(program, signal);
}

/* What is sent to us is meant for the program.  Keys of the terminal reach it
 * by themselves. */
static void hand_on_signals(int snapshot) {
  static const int sent[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCONT};
  struct sigaction action = {.sa_handler = hand_on, .sa_flags = SA_RESTART};
  for (size_t i = 0; i < sizeof sent / sizeof sent[0]; i++)
    sigaction(sent[i], &action, NULL);
  if (snapshot)
    sigaction(snapshot, &action, NULL);
  action.sa_handler = SIG_IGN;
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGQUIT, &action, NULL);
}

/* Ours first, then what was to be preloaded already. */
static void set_environment(const char *runtime, const char *folder,
                            int signal) {
  const char *others = getenv("LD_PRELOAD");
  char number[16];
  struct cca_text preload = {0};
  cca_text_adds(&preload, runtime);
  if (others && *others)
    cca_text_addf(&preload, ":%s", others);
  setenv("LD_PRELOAD", preload.data, 1);
  setenv("CC_ALLOCS_HEAP", folder, 1);
  snprintf(number, sizeof number, "%d", signal);
  if (signal)
    setenv("CC_ALLOCS_HEAP_SIGNAL", number, 1);
  else
    unsetenv("CC_ALLOCS_HEAP_SIGNAL");
  cca_text_release(&preload);
}

/* Start ARGV and wait for it.  Returns the exit status to end with. */
static int run(char **argv, int signal) {
  posix_spawnattr_t attributes;
  sigset_t ours;
  posix_spawnattr_init(&attributes);
  sigemptyset(&ours);
  sigaddset(&ours, SIGINT);
  sigaddset(&ours, SIGQUIT);
  posix_spawnattr_setsigdefault(&attributes, &ours);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  hand_on_signals(signal);
  int error = posix_spawnp(&program, argv[0], NULL, &attributes, argv, environ);
  posix_spawnattr_destroy(&attributes);
  if (error) {
    program = 0;
    cca_complain("run", "%s: %s", argv[0], strerror(error));
    return error == ENOENT ? EXIT_NOT_THERE : EXIT_NOT_RUN;
  }
  int status;
  while (waitpid(program, &status, 0) < 0)
    if (errno != EINTR)
      return EXIT_OURS;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- What it left ---- */

struct found {
  char *path;
  unsigned long pid, number;
};
struct founds cca_vec(struct found);

static int found_order(const void *a, const void *b) {
  const struct found *x = a, *y = b;
  bool first_x = x->pid == (unsigned long)program,
       first_y = y->pid == (unsigned long)program;
  if (first_x != first_y)
    return first_x ? -1 : 1;
  if (x->pid != y->pid)
    return x->pid < y->pid ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

/* The snapshots in FOLDER: those of the program first, by process and number.
 */
static struct founds find_snapshots(const char *folder) {
  struct founds founds = {0};
  DIR *dir = opendir(folder);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    struct found found = {0};
    int end = 0;
    if (sscanf(entry->d_name, "%lu.%lu%n", &found.pid, &found.number, &end) <
            2 ||
        entry->d_name[end])
      continue;
    struct cca_text path = {0};
    cca_text_addf(&path, "%s/%s", folder, entry->d_name);
    found.path = path.data;
    cca_vec_push(&founds, found);
  }
  if (dir)
    closedir(dir);
  if (founds.count)
    qsort(founds.items, founds.count, sizeof founds.items[0], found_order);
  return founds;
}

static void remove_folder(const char *folder) {
  DIR *dir = opendir(folder);
  for (struct dirent *entry; dir && (entry = readdir(dir));)
    unlinkat(dirfd(dir), entry->d_name, 0);
  if (dir)
    closedir(dir);
  rmdir(folder);
}

/* ---- The result ---- */

static int write_all(int file, const char *bytes, size_t len) {
  while (len) {
    ssize_t done = write(file, bytes, len);
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0)
      return -1;
    bytes += done;
    len -= (size_t)done;
  }
  return 0;
}

/* The snapshot of which each next one of the same process is the difference. */
struct before {
  struct cca_heap heap;
  unsigned long pid;
  bool is_there;
};

static void report_one(const struct found *found, const struct options *options,
                       int file, struct before *before, json_t *processes,
                       struct cca_text *out) {
  struct cca_screen screen = cca_screen_of(file, options->color);
  struct cca_heap heap;
  const char *why;
  if (cca_heap_read(&heap, found->path, &why) < 0) {
    cca_complain("run", "the snapshot of process %lu cannot be read: %s",
                 found->pid, why);
  } else if (options->json) {
    json_array_append_new(processes, cca_heap_json(&heap));
  } else {
    struct cca_heap older = before->heap;
    bool was_there = before->is_there, same = before->pid == found->pid;
    /* It is read twice: the next one needs it as it is. */
    before->is_there = cca_heap_read(&before->heap, found->path, &why) == 0;
    before->pid = found->pid;
    if (options->diff && was_there && same)
      cca_heap_subtract(&heap, &older);
    if (was_there)
      cca_heap_release(&older);
    cca_heap_text(&heap, &options->heap, &screen, out);
  }
  cca_heap_release(&heap);
}

static void report(const struct founds *founds, const struct options *options,
                   int file, int status, struct cca_text *out) {
  json_t *document = json_object(), *processes = json_array();
  struct before before = {0};
  for (size_t i = 0; i < founds->count; i++)
    report_one(&founds->items[i], options, file, &before, processes, out);
  if (before.is_there)
    cca_heap_release(&before.heap);
  if (options->json) {
    json_object_set_new(document, "version", json_integer(1));
    json_object_set_new(document, "exit_status", json_integer(status));
    json_object_set(document, "processes", processes);
    char *text = json_dumps(document, JSON_INDENT(2));
    cca_text_adds(out, text ? text : "");
    cca_text_adds(out, "\n");
    free(text);
  }
  json_decref(processes);
  json_decref(document);
}

/* Write what is in FOLDER to FILE.  Returns STATUS, or that of an error of
 * ours.
 */
static int show(const char *folder, const struct options *options, int file,
                int status) {
  struct founds founds = find_snapshots(folder);
  struct cca_text out = {0};
  bool none = !founds.count || founds.items[0].pid != (unsigned long)program;
  if (none)
    cca_complain("run",
                 "the program left no record: it was killed, is linked "
                 "statically or brings a malloc of its own, runs with other "
                 "rights, or executed another program");
  report(&founds, options, file, status, &out);
  if (out.len && write_all(file, out.data, out.len) < 0) {
    cca_complain("run", "cannot write %s: %s",
                 options->output ? options->output : "to standard error",
                 strerror(errno));
    status = EXIT_OURS;
  }
  for (size_t i = 0; i < founds.count; i++)
    free(founds.items[i].path);
  cca_vec_release(&founds);
  cca_text_release(&out);
  return none && status == 0 ? EXIT_OURS : status;
}

int cca_run_main(int argc, char **argv) {
  struct options options = {0};
  int status = parse(&options, argc, argv);
  if (status >= 0)
    return status;
  char *runtime =
      cca_file_beside_program("../lib/cc-allocs/libccallocs-runtime.so");
  if (!runtime || access(runtime, R_OK) < 0) {
    cca_complain("run", "%s: %s; is cc-allocs installed as a whole?",
                 runtime ? runtime : "the runtime", strerror(errno));
    return EXIT_OURS;
  }
  /* Before the program, which may run for hours. */
  int file = STDERR_FILENO;
  if (options.output)
    file = open(options.output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) {
    cca_complain("run", "cannot write %s: %s", options.output, strerror(errno));
    free(runtime);
    return EXIT_OURS;
  }
  const char *temporary = getenv("TMPDIR");
  struct cca_text folder = {0};
  if (!temporary || *temporary != '/')
    temporary = "/tmp";
  cca_text_addf(&folder, "%s/allocs-run.XXXXXX", temporary);
  if (!mkdtemp(folder.data)) {
    cca_complain("run", "cannot make the folder %s: %s", folder.data,
                 strerror(errno));
    return EXIT_OURS;
  }
  set_environment(runtime, folder.data, options.signal);
  status = run(argv + optind, options.signal);
  if (program)
    status = show(folder.data, &options, file, status);
  if (file != STDERR_FILENO)
    close(file);
  remove_folder(folder.data);
  cca_text_release(&folder);
  free(runtime);
  return status;
}
