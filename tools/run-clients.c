/* SPDX-License-Identifier: MIT */
/*
 * run-clients.c -- from --client to the runtime, and what became of it; see
 * run-clients.h.
 *
 * In:  words of the command line; files PID.clients (docs/runtime.md, "Files"),
 *      which any process may have written.
 * Out: the value of CC_ALLOCS_CLIENTS; messages.
 *
 * No client is loaded here: that runs its constructors.
 */
#include "run-clients.h"

#include "allocs.h"
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_FILE = 1 << 16 };

int cca_run_clients_add(struct cca_text *list, const char *word) {
  size_t len = strcspn(word, ":");
  char *library = strndup(word, len), *path = library;
  if (!len || strchr(word, '\n')) {
    cca_complain("run", "--client is LIBRARY or LIBRARY:OPTIONS, not `%s'",
                 word);
    path = NULL;
  } else if (strchr(library, '/')) { /* the program may go elsewhere */
    path = realpath(library, NULL);
    if (!path || access(path, R_OK) < 0 || strpbrk(path, ":\n")) {
      cca_complain("run", "--client: %s: %s", library,
                   path && strpbrk(path, ":\n") ? "its path has a colon in it"
                                                : strerror(errno));
      free(path);
      path = NULL;
    }
  }
  if (path)
    cca_text_addf(list, "%s%s\n", path, word + len);
  if (path != library)
    free(path);
  free(library);
  return path ? 0 : -1;
}

/* Say what LINE does, if it is the first to. */
static void say(struct cca_text *said, char *line) {
  struct cca_text whole = {0};
  char *why = line;
  for (char *at = line; *at; at++)
    if ((*at > 0 && *at < ' ' && *at != '\t') || *at == 0x7f)
      *at = '?';
  cca_text_addf(&whole, "\n%s\n", line);
  if (!said->len || !strstr(said->data, whole.data)) {
    const char *library = strsep(&why, "\t");
    if (why)
      cca_complain("run", "client %s is not used: %s", library, why);
    cca_text_adds(said, whole.data);
  }
  cca_text_release(&whole);
}

void cca_run_clients_say(const char *folder) {
  struct cca_text said = {0};
  DIR *dir = opendir(folder);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    const char *dot = strrchr(entry->d_name, '.');
    struct cca_text path = {0}, text = {0};
    if (!dot || strcmp(dot, ".clients") != 0)
      continue;
    cca_text_addf(&path, "%s/%s", folder, entry->d_name);
    if (cca_file_read(path.data, MAX_FILE, &text) == 0 && text.len)
      for (char *line, *rest = text.data; (line = strsep(&rest, "\n"));)
        if (*line)
          say(&said, line);
    cca_text_release(&path);
    cca_text_release(&text);
  }
  if (dir)
    closedir(dir);
  cca_text_release(&said);
}
