/* SPDX-License-Identifier: MIT */
/*
 * protocol.c -- packets with file descriptors between processes of one user.
 *
 * In:    the name of a socket; packets.
 * Out:   an address; packets.
 * Holds: nothing here waits; no descriptor that came is lost; who is another
 *        user is found out by the kernel's word.
 */
#include "protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folder of the socket at ADDRESS is our own, and nobody else's. */
static const char *check_folder(const struct sockaddr_un *address, bool make) {
  char folder[sizeof address->sun_path];
  struct stat status;
  strcpy(folder, address->sun_path);
  char *slash = strrchr(folder, '/');
  if (*folder != '/' || slash == folder)
    return "the socket's path is not absolute, in a folder";
  *slash = 0;
  if (make && mkdir(folder, 0700) < 0 && errno != EEXIST)
    return "the socket's folder cannot be made";
  if (lstat(folder, &status) < 0)
    return "there is no folder of that name";
  if (!S_ISDIR(status.st_mode) || status.st_uid != geteuid() ||
      status.st_mode & 077)
    return "the socket's folder is not a folder of the user's alone (mode "
           "0700)";
  return NULL;
}

const char *cca_symbols_address(const char *path, bool make,
                                struct sockaddr_un *address) {
  const char *runtime = secure_getenv("XDG_RUNTIME_DIR");
  const char *named = secure_getenv("CC_ALLOCS_SYMBOLS");
  char usual[PATH_MAX];
  if (!path || !*path)
    path = named;
  if (!path || !*path) {
    if (runtime && *runtime)
      snprintf(usual, sizeof usual, "%s/cc-allocs/symbols", runtime);
    else
      snprintf(usual, sizeof usual, "/tmp/cc-allocs-%u/symbols",
               (unsigned)geteuid());
    path = usual;
  }
  /* The lock's name is longer by 5. */
  if (strlen(path) + 5 >= sizeof address->sun_path)
    return "the socket's path is too long";
  *address = (struct sockaddr_un){.sun_family = AF_UNIX};
  strcpy(address->sun_path, path);
  return check_folder(address, make);
}

bool cca_symbols_is_own(int socket) {
  struct ucred peer;
  socklen_t len = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 &&
         len == sizeof peer && peer.uid == geteuid();
}

union control {
  char bytes[CMSG_SPACE(8 * sizeof(int))];
  struct cmsghdr align;
};

bool cca_symbols_send(int socket, const void *bytes, size_t len, int file) {
  union control control = {0};
  struct iovec part = {(void *)bytes, len};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (file >= 0) {
    message.msg_control = control.bytes;
    message.msg_controllen = CMSG_SPACE(sizeof file);
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof file);
    memcpy(CMSG_DATA(head), &file, sizeof file);
  }
  ssize_t sent;
  do
    sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  while (sent < 0 && errno == EINTR);
  return sent == (ssize_t)len;
}

/* The descriptors that came: if it is one, it is *FILE. */
static void take_files(struct msghdr *message, int *file) {
  unsigned files = 0;
  *file = -1;
  for (struct cmsghdr *head = CMSG_FIRSTHDR(message); head;
       head = CMSG_NXTHDR(message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS)
      continue;
    size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; i++) {
      int one;
      memcpy(&one, CMSG_DATA(head) + i * sizeof one, sizeof one);
      if (files++ == 0)
        *file = one;
      else
        close(one);
    }
  }
  if (files > 1 || (*file >= 0 && message->msg_flags & MSG_CTRUNC)) {
    close(*file);
    *file = -1;
  }
}

ssize_t cca_symbols_receive(int socket, void *bytes, size_t len, int *file) {
  union control control;
  struct iovec part = {bytes, len};
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = control.bytes,
                           .msg_controllen = sizeof control.bytes};
  ssize_t got;
  *file = -1;
  do
    got = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (got < 0)
    return -1;
  take_files(&message, file);
  if (message.msg_flags & MSG_TRUNC) {
    if (*file >= 0)
      close(*file);
    *file = -1;
    errno = EPROTO;
    return -1;
  }
  return got;
}
