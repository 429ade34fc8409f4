/* SPDX-License-Identifier: MIT */
/*
 * plugin.c -- a guest in GNU ld and gold: which files are in this link?
 *
 * In:    -plugin-opt=dir=DIR      a private folder, made by ld.allocs
 *        -plugin-opt=note=FILE    where `allocs solve` writes the placeholder
 *        -plugin-opt=allocs=PATH  the program to run
 * Out:   DIR/inputs, one "OFFSET SIZE PATH" per input, each ended by a zero
 *        byte, in link order; and FILE as one more input of the link.
 * Holds: no file is claimed, nothing is printed, no descriptor stays open,
 *        and whatever goes wrong the link is the one it would have been.
 *
 * The linker calls claim_file for each file that it takes in, members of
 * archives included: that is the list of inputs, and no parsing of command
 * lines could give it as exactly.  (GNU ld also calls it for archives
 * themselves and for members that it only peeks into; the solver copes.)  When
 * all symbols are read, the solver runs in its own process; if that fails
 * there is just no note.
 *
 * Memory: malloc, checked; if it fails the plugin stays silent from then on.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <plugin-api.h>

#include "base/pages.h"

extern char **environ;

__attribute__((visibility("default"))) enum ld_plugin_status
onload(struct ld_plugin_tv *tv);

/* The interface gives handlers no argument, so there is one context. */
static struct {
  char *dir, *note, *allocs;
  ld_plugin_add_input_file add_input_file;
  char *list; /* what DIR/inputs will hold */
  size_t len, room;
  int broken; /* out of memory: the list is not complete */
} link_context;

static enum ld_plugin_status claim_file(const struct ld_plugin_input_file *file,
                                        int *claimed) {
  *claimed = 0;

  size_t need = strlen(file->name) + 64;
  if (link_context.room - link_context.len < need) {
    size_t room = link_context.room * 2 + need;
    char *list = realloc(link_context.list, room);
    if (!list) {
      link_context.broken = 1;
      return LDPS_OK;
    }
    link_context.list = list;
    link_context.room = room;
  }
  link_context.len += (size_t)sprintf(link_context.list + link_context.len,
                                      "%lld %lld %s", (long long)file->offset,
                                      (long long)file->filesize, file->name);
  link_context.len++; /* the zero byte */
  return LDPS_OK;
}

/* Write DIR/inputs.  Returns 0, or -1. */
static int write_list(void) {
  char path[4096];
  int len = snprintf(path, sizeof path, "%s/inputs", link_context.dir);
  if (len < 0 || (size_t)len >= sizeof path)
    return -1;
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0)
    return -1;

  size_t done = 0;
  while (done < link_context.len) {
    ssize_t n = write(fd, link_context.list + done, link_context.len - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      break;
    done += (size_t)n;
  }
  return close(fd) == 0 && done == link_context.len ? 0 : -1;
}

/* Run `allocs solve --link DIR NOTE LINKER`, which ends with the linker that
 * has this process number, however that ends.  Returns 0 if it succeeded, or
 * -1. */
static int run_solver(void) {
  char solve[] = "solve", mode[] = "--link", linker[24];
  char *argv[] = {link_context.allocs, solve,  mode, link_context.dir,
                  link_context.note,   linker, NULL};
  snprintf(linker, sizeof linker, "%ld", (long)getpid());
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0)
    return -1;

  char **own = cca_pages_environment(environ);
  pid_t pid = -1;
  int status = -1;
  if (posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) ==
          0 &&
      posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) ==
          0 &&
      posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) ==
          0 &&
      posix_spawn(&pid, link_context.allocs, &actions, NULL, argv,
                  own ? own : environ) == 0)
    while (waitpid(pid, &status, 0) < 0)
      if (errno != EINTR) {
        status = -1;
        break;
      }
  posix_spawn_file_actions_destroy(&actions);
  free(own);
  return status == 0 ? 0 : -1;
}

static enum ld_plugin_status all_symbols_read(void) {
  if (!link_context.broken && write_list() == 0 && run_solver() == 0)
    link_context.add_input_file(link_context.note);

  free(link_context.list);
  free(link_context.dir);
  free(link_context.allocs);
  /* The linker keeps the note's name, so that one is not freed. */
  link_context.list = link_context.dir = link_context.allocs = NULL;
  link_context.len = link_context.room = 0;
  return LDPS_OK;
}

/* If OPTION begins with KEY, keep a copy of what follows in *VALUE. */
static void take_option(const char *option, const char *key, char **value) {
  size_t len = strlen(key);
  if (strncmp(option, key, len) == 0 && !*value)
    *value = strdup(option + len);
}

enum ld_plugin_status onload(struct ld_plugin_tv *tv) {
  ld_plugin_register_claim_file register_claim_file = NULL;
  ld_plugin_register_all_symbols_read register_all_symbols_read = NULL;

  for (; tv->tv_tag != LDPT_NULL; tv++)
    switch ((int)tv->tv_tag) {
    case LDPT_OPTION:
      take_option(tv->tv_u.tv_string, "dir=", &link_context.dir);
      take_option(tv->tv_u.tv_string, "note=", &link_context.note);
      take_option(tv->tv_u.tv_string, "allocs=", &link_context.allocs);
      break;
    case LDPT_REGISTER_CLAIM_FILE_HOOK:
      register_claim_file = tv->tv_u.tv_register_claim_file;
      break;
    case LDPT_REGISTER_ALL_SYMBOLS_READ_HOOK:
      register_all_symbols_read = tv->tv_u.tv_register_all_symbols_read;
      break;
    case LDPT_ADD_INPUT_FILE:
      link_context.add_input_file = tv->tv_u.tv_add_input_file;
      break;
    default:
      break;
    }

  /* Loaded by hand, or by a linker that can't: stay out of its way. */
  if (!link_context.dir || !link_context.note || !link_context.allocs ||
      !link_context.add_input_file || !register_claim_file ||
      !register_all_symbols_read)
    return LDPS_OK;
  if (register_claim_file(claim_file) == LDPS_OK)
    register_all_symbols_read(all_symbols_read);
  return LDPS_OK;
}
