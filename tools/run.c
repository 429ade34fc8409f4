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
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <dirent.h>

#include "allocs.h"
#include "base/file.h"
#include "peek.h"
#include "run-cache.h"
#include "run-clients.h"
#include "run-show.h"

extern char **environ;

static const char help[] =
    "usage: allocs run [OPTION...] PROGRAM [ARGUMENT...]\n"
    "\n"
    "Run PROGRAM and show the objects of its heap by type: how many were "
    "allocated,\n"
    "how many are live when it ends.  Types are known of what was built with\n"
    "CC=cc-allocs; all else is counted too.\n"
    "\n"
    "  -o, --output FILE   write there, not to standard error; - is standard "
    "output\n"
    "      --format FORMAT text, the default; html, a page to look at in a "
    "browser;\n"
    "                      folded, stacks for flame graphs; pprof, a profile; "
    "json,\n"
    "                      for programs: docs/run.schema.json describes it\n"
    "      --json          --format=json\n"
    "      --live          those first of which most is live\n"
    "      --all           all types; else the first 40\n"
    "      --sites         each type with the calls that allocated it\n"
    "      --classification what is known of the modules, and what calls "
    "between them\n"
    "                      are bound to\n"
    "      --signal SIG    a snapshot whenever the program gets SIG (USR1, "
    "10)\n"
    "      --interval SEC  a snapshot of every process each SEC seconds (0.5)\n"
    "      --diff          each snapshot of a process less the one before\n"
    "      --allocator NAME\n"
    "                      let PROGRAM have the malloc of mimalloc, jemalloc "
    "or\n"
    "                      tcmalloc, or of a library: faster than glibc's, "
    "even "
    "typed\n"
    "      --cache DIR     where what is known of modules is kept for the next "
    "time\n"
    "                      (~/.cache/cc-allocs)\n"
    "      --no-cache      keep nothing, and use nothing that is kept\n"
    "      --cache-write WHEN\n"
    "                      exit, when a process ends; asked, by "
    "--cache-signal; never\n"
    "      --cache-signal SIG\n"
    "                      write it whenever the program gets SIG\n"
    "      --show-cache    say whether it was used, and why not\n"
    "      --no-symbols    addresses without functions and lines\n"
    "      --symbols-wait SEC\n"
    "                      how long the result waits for them (60)\n"
    "      --client LIBRARY[:OPTIONS]\n"
    "                      a tool that is told of each object and its type; "
    "several\n"
    "                      are told in this order\n"
    "      --server PATH   have the allocs symserver with this socket look "
    "them up,\n"
    "                      which is started if there is none; empty: the "
    "usual one\n"
    "      --no-start      but not that\n"
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

enum { EXIT_OURS = 125, EXIT_NOT_RUN = 126, EXIT_NOT_THERE = 127 };
enum { MOST = 40, SYMBOLS_WAIT_MS = 60000 };

struct options {
  struct cca_show show;
  enum cca_color color;
  const char *output;      /* NULL: standard error; "-": standard output */
  int signal;              /* 0: none */
  double interval;         /* seconds; 0: none */
  const char *allocator;   /* library to preload behind ours; NULL: none */
  struct cca_text clients; /* CC_ALLOCS_CLIENTS */
  struct cca_run_symbols_options symbols;
  struct cca_run_cache_options cache;
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

/* 0: there is no signal WORD, and that has been said. */
static int take_signal(const char *word) {
  int signal = parse_signal(word);
  if (!signal)
    cca_complain("run", "there is no signal `%s'; kill -l lists them", word);
  return signal;
}

static double parse_interval(const char *word) {
  char *end;
  double seconds = strtod(word, &end);
  return *word && !*end && seconds >= 0.01 && seconds <= 1e6 ? seconds : 0;
}

static const struct {
  const char *name, *suffix;
  bool is_file; /* no use on a screen */
} formats[CCA_HEAP_FORMATS] = {
    [CCA_HEAP_TEXT] = {"text", "", false},
    [CCA_HEAP_JSON] = {"json", "", false},
    [CCA_HEAP_HTML] = {"html", "html", true},
    [CCA_HEAP_FOLDED] = {"folded", "", false},
    [CCA_HEAP_PPROF] = {"pprof", "pb.gz", true},
};

static int parse_format(const char *name, enum cca_heap_format *format) {
  for (int i = 0; i < CCA_HEAP_FORMATS; i++)
    if (!strcmp(name, formats[i].name)) {
      *format = (enum cca_heap_format)i;
      return 0;
    }
  cca_complain("run", "--format is text, html, folded, pprof or json, not `%s'",
               name);
  return -1;
}

/* Well-kept allocators, by the name of their projects. */
static const struct {
  const char *name, *library;
} allocators[] = {
    {"mimalloc", "libmimalloc.so.2"}, {"mimalloc", "libmimalloc.so.3"},
    {"jemalloc", "libjemalloc.so.2"}, {"tcmalloc", "libtcmalloc_minimal.so.4"},
    {"tcmalloc", "libtcmalloc.so.4"},
};

/* Would the dynamic linker preload LIBRARY?  Where it does not, it goes on and
 * says so in the middle of the program's output: find it out now. */
static bool can_preload(const char *library) {
  return *library && !strpbrk(library, ": ") &&
         dlopen(library, RTLD_LAZY | RTLD_LOCAL);
}

/* The library of the allocator NAME; NULL, and a message, if there is none. */
static const char *find_allocator(const char *name) {
  bool known = false;
  for (size_t i = 0; i < sizeof allocators / sizeof allocators[0]; i++)
    if (!strcmp(name, allocators[i].name)) {
      known = true;
      if (can_preload(allocators[i].library))
        return allocators[i].library;
    }
  if (!known && can_preload(name))
    return name;
  if (known)
    cca_complain("run", "--allocator: %s is not installed", name);
  else
    cca_complain("run",
                 "--allocator: `%s' is neither mimalloc, jemalloc or tcmalloc "
                 "nor a library that can be loaded",
                 name);
  return NULL;
}

/* Returns negative to go on with the program at argv[optind], or the exit
 * status. */
static int parse(struct options *options, int argc, char **argv) {
  enum {
    FORMAT = 256,
    JSON,
    LIVE,
    ALL,
    SITES,
    MODULES,
    SIGNAL,
    INTERVAL,
    DIFF,
    ALLOCATOR,
    NO_SYMBOLS,
    SYMBOLS_WAIT,
    CLIENT,
    SERVER,
    NO_START,
    CACHE,
    NO_CACHE,
    CACHE_WRITE,
    CACHE_SIGNAL,
    SHOW_CACHE,
    COLOR,
    HELP
  };
  static const struct option longs[] = {
      {"format", required_argument, NULL, FORMAT},
      {"json", no_argument, NULL, JSON},
      {"live", no_argument, NULL, LIVE},
      {"all", no_argument, NULL, ALL},
      {"sites", no_argument, NULL, SITES},
      {"classification", no_argument, NULL, MODULES},
      {"output", required_argument, NULL, 'o'},
      {"signal", required_argument, NULL, SIGNAL},
      {"interval", required_argument, NULL, INTERVAL},
      {"diff", no_argument, NULL, DIFF},
      {"allocator", required_argument, NULL, ALLOCATOR},
      {"no-symbols", no_argument, NULL, NO_SYMBOLS},
      {"symbols-wait", required_argument, NULL, SYMBOLS_WAIT},
      {"client", required_argument, NULL, CLIENT},
      {"server", required_argument, NULL, SERVER},
      {"no-start", no_argument, NULL, NO_START},
      {"cache", required_argument, NULL, CACHE},
      {"no-cache", no_argument, NULL, NO_CACHE},
      {"cache-write", required_argument, NULL, CACHE_WRITE},
      {"cache-signal", required_argument, NULL, CACHE_SIGNAL},
      {"show-cache", no_argument, NULL, SHOW_CACHE},
      {"color", optional_argument, NULL, COLOR},
      {"help", no_argument, NULL, HELP},
      {0},
  };
  int option;
  opterr = 0;
  options->show.heap.most = MOST;
  options->symbols.wait_ms = SYMBOLS_WAIT_MS;
  while ((option = getopt_long(argc, argv, "+:ho:", longs, NULL)) != -1)
    switch (option) {
    case FORMAT:
      if (parse_format(optarg, &options->show.format) < 0)
        return EXIT_OURS;
      break;
    case JSON:
      options->show.format = CCA_HEAP_JSON;
      break;
    case LIVE:
      options->show.heap.live = true;
      break;
    case ALL:
      options->show.heap.most = 0;
      break;
    case SITES:
      options->show.heap.sites = true;
      break;
    case MODULES:
      options->show.heap.modules = true;
      break;
    case 'o':
      options->output = optarg;
      break;
    case SIGNAL:
      options->signal = take_signal(optarg);
      if (!options->signal)
        return EXIT_OURS;
      break;
    case INTERVAL:
      options->interval = parse_interval(optarg);
      if (options->interval <= 0) {
        cca_complain("run",
                     "--interval is a number of seconds, from 0.01, "
                     "not `%s'",
                     optarg);
        return EXIT_OURS;
      }
      break;
    case DIFF:
      options->show.diff = true;
      break;
    case ALLOCATOR:
      options->allocator = find_allocator(optarg);
      if (!options->allocator)
        return EXIT_OURS;
      break;
    case NO_SYMBOLS:
      options->symbols.off = true;
      break;
    case SYMBOLS_WAIT:
      if (cca_parse_wait("run", "symbols-wait", optarg,
                         &options->symbols.wait_ms) < 0)
        return EXIT_OURS;
      break;
    case CACHE:
      options->cache.folder = optarg;
      options->cache.off = false;
      break;
    case NO_CACHE:
      options->cache.folder = NULL;
      options->cache.off = true;
      break;
    case CACHE_WRITE:
      options->cache.when = optarg;
      if (!cca_run_cache_is_when(optarg)) {
        cca_complain("run", "--cache-write is exit, asked or never, not `%s'",
                     optarg);
        return EXIT_OURS;
      }
      break;
    case CACHE_SIGNAL:
      options->cache.signal = take_signal(optarg);
      if (!options->cache.signal)
        return EXIT_OURS;
      break;
    case SHOW_CACHE:
      options->cache.show = true;
      break;
    case CLIENT:
      if (cca_run_clients_add(&options->clients, optarg) < 0)
        return EXIT_OURS;
      break;
    case SERVER:
      options->symbols.server = optarg;
      break;
    case NO_START:
      options->symbols.no_start = true;
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
  if (options->show.diff && (options->show.format == CCA_HEAP_JSON ||
                             options->show.format == CCA_HEAP_HTML)) {
    cca_complain("run",
                 "--format=%s has every snapshot as it is, to be "
                 "compared by its reader; --diff is for the others",
                 formats[options->show.format].name);
    return EXIT_OURS;
  }
  if (options->signal && options->signal == options->cache.signal) {
    cca_complain("run", "--signal and --cache-signal are two signals");
    return EXIT_OURS;
  }
  if (options->signal && options->interval > 0) {
    cca_complain("run", "snapshots come by --signal or by --interval");
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
static void hand_on_signals(int snapshot, int cache) {
  static const int sent[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCONT};
  struct sigaction action = {.sa_handler = hand_on, .sa_flags = SA_RESTART};
  for (size_t i = 0; i < sizeof sent / sizeof sent[0]; i++)
    sigaction(sent[i], &action, NULL);
  if (snapshot)
    sigaction(snapshot, &action, NULL);
  if (cache)
    sigaction(cache, &action, NULL);
  action.sa_handler = SIG_IGN;
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGQUIT, &action, NULL);
}

/* Ours first, then the allocator below it, then what was to be preloaded
 * already. */
static void set_environment(const char *runtime, const char *folder,
                            const struct options *options) {
  const char *others = getenv("LD_PRELOAD");
  char number[16];
  struct cca_text preload = {0};
  cca_text_adds(&preload, runtime);
  if (options->allocator)
    cca_text_addf(&preload, ":%s", options->allocator);
  if (others && *others)
    cca_text_addf(&preload, ":%s", others);
  setenv("LD_PRELOAD", preload.data, 1);
  setenv("CC_ALLOCS_HEAP", folder, 1);
  snprintf(number, sizeof number, "%d", options->signal);
  if (options->signal)
    setenv("CC_ALLOCS_HEAP_SIGNAL", number, 1);
  else
    unsetenv("CC_ALLOCS_HEAP_SIGNAL");
  if (options->clients.len)
    setenv("CC_ALLOCS_CLIENTS", options->clients.data, 1);
  else
    unsetenv("CC_ALLOCS_CLIENTS");
  cca_text_release(&preload);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Until the program ends, a snapshot each INTERVAL seconds. */
static void peek_until_end(const char *folder, double interval) {
  struct pollfd end = {.fd = pidfd_open(program, 0), .events = POLLIN};
  if (end.fd < 0) {
    cca_complain("run", "no snapshots by interval: %s", strerror(errno));
    return;
  }
  double next = now() + interval;
  for (unsigned number = 0;;) {
    double left = next - now();
    int ready = poll(&end, 1, left > 0 ? (int)(left * 1000) + 1 : 0);
    if (ready > 0 || (ready < 0 && errno != EINTR))
      break;
    if (now() < next)
      continue;
    cca_peek(folder, number++);
    next = now() + interval;
  }
  close(end.fd);
}

/* Start ARGV and wait for it.  Returns the exit status to end with. */
static int run(char **argv, const struct options *options, const char *folder) {
  posix_spawnattr_t attributes;
  sigset_t ours;
  posix_spawnattr_init(&attributes);
  sigemptyset(&ours);
  sigaddset(&ours, SIGINT);
  sigaddset(&ours, SIGQUIT);
  posix_spawnattr_setsigdefault(&attributes, &ours);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  hand_on_signals(options->signal, options->cache.signal);
  int error = posix_spawnp(&program, argv[0], NULL, &attributes, argv, environ);
  posix_spawnattr_destroy(&attributes);
  if (error) {
    program = 0;
    cca_complain("run", "%s: %s", argv[0], strerror(error));
    return error == ENOENT ? EXIT_NOT_THERE : EXIT_NOT_RUN;
  }
  if (options->interval > 0)
    peek_until_end(folder, options->interval);
  int status;
  while (waitpid(program, &status, 0) < 0)
    if (errno != EINTR)
      return EXIT_OURS;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- The result ---- */

static void remove_folder(const char *folder) {
  DIR *dir = opendir(folder);
  for (struct dirent *entry; dir && (entry = readdir(dir));)
    unlinkat(dirfd(dir), entry->d_name, 0);
  if (dir)
    closedir(dir);
  rmdir(folder);
}

/* Where the result goes.  What is no use on a screen has a file of its own
 * unless it is told another, called PROGRAM.PID.html; until the process has a
 * number, nothing is opened. */
struct target {
  char *name; /* owned; of a file, else NULL */
  int file;   /* negative: not open yet */
};

/* Before the program is started, which may run for hours. */
static int open_target(struct target *target, const struct options *options) {
  *target = (struct target){NULL, STDERR_FILENO};
  if (!options->output) {
    if (!formats[options->show.format].is_file)
      return 0;
    target->file = -1;
    if (access(".", W_OK) == 0)
      return 0;
    cca_complain("run", "cannot write into this folder: %s", strerror(errno));
    return -1;
  }
  if (!strcmp(options->output, "-")) {
    target->file = STDOUT_FILENO;
    return 0;
  }
  target->name = strdup(options->output);
  target->file =
      open(options->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (target->name && target->file >= 0)
    return 0;
  cca_complain("run", "cannot write %s: %s", options->output, strerror(errno));
  return -1;
}

static void name_target(struct target *target, const struct options *options,
                        const char *command) {
  const char *slash = strrchr(command, '/');
  struct cca_text name = {0};
  cca_text_addf(&name, "%s.%ld.%s", slash ? slash + 1 : command, (long)program,
                formats[options->show.format].suffix);
  target->name = name.data;
  target->file = open(name.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

/* Write what is in FOLDER.  Returns the exit status to end with. */
static int show(const char *folder, const struct options *options,
                struct cca_run_symbols *symbols, struct target *target,
                const char *command) {
  int status = options->show.exit_status, error = 0;
  if (target->file < 0)
    name_target(target, options, command);
  if (target->file < 0)
    error = errno;
  struct cca_screen screen = cca_screen_of(target->file, options->color);
  bool left = cca_run_show(folder, &options->show, symbols, &screen,
                           target->file, &error);
  if (!left)
    cca_complain("run",
                 "the program left no record: it was killed, is linked "
                 "statically or brings a malloc of its own, runs with other "
                 "rights, or executed another program");
  if (error) {
    cca_complain("run", "cannot write %s: %s",
                 target->name                    ? target->name
                 : target->file == STDOUT_FILENO ? "to standard output"
                                                 : "to standard error",
                 strerror(error));
    status = EXIT_OURS;
  } else if (target->name && (!options->output || isatty(STDERR_FILENO))) {
    cca_complain("run", "the heap by type is in %s", target->name);
  }
  return !left && status == 0 ? EXIT_OURS : status;
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
  struct target target;
  if (cca_run_cache_prepare(&options.cache) < 0) {
    free(runtime);
    return EXIT_OURS;
  }
  if (open_target(&target, &options) < 0) {
    free(target.name);
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
  options.symbols.folder = folder.data;
  cca_run_cache_of_symbols(&options.cache, &options.symbols);
  if (options.show.format == CCA_HEAP_TEXT && !options.show.heap.sites)
    options.symbols.off = true; /* no address is shown */
  struct cca_run_symbols *symbols = cca_run_symbols_begin(&options.symbols);
  set_environment(runtime, folder.data, &options);
  status = run(argv + optind, &options, folder.data);
  if (program) {
    options.show.program = program;
    options.show.exit_status = status;
    cca_run_clients_say(folder.data);
    cca_run_cache_say(&options.cache, folder.data);
    status = show(folder.data, &options, symbols, &target, argv[optind]);
  }
  cca_run_symbols_end(symbols);
  if (program)
    cca_run_cache_trim();
  if (target.name && target.file >= 0)
    close(target.file);
  remove_folder(folder.data);
  cca_text_release(&folder);
  cca_text_release(&options.clients);
  free(target.name);
  free(runtime);
  return status;
}
