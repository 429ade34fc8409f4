/* SPDX-License-Identifier: MIT */
/*
 * inputs.h -- the objects of a link, where they lie, and what they carry.
 *
 * Ownership: all borrowed from the inputs until cca_inputs_release().
 * Memory:    base/memory.h.
 */
#ifndef CCA_INPUTS_H
#define CCA_INPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/vec.h"
#include "line.h"

struct cca_input_member {
  const char *name;
  const unsigned char *bytes; /* NULL in a thin archive */
  size_t len, offset;
};

/* A file, mapped. */
struct cca_input_file {
  const char *path;
  const unsigned char *bytes; /* NULL: unreadable or empty */
  size_t len;
  bool is_archive, is_thin, is_system;
  struct cca_input_members
      cca_vec(struct cca_input_member) members; /* of an archive */
};

/* An object of the link, in link order. */
struct cca_object {
  const char *name;    /* as linkers show it: PATH, or ARCHIVE(MEMBER) */
  const char *archive; /* its path; NULL: an object by itself */
  const unsigned char *bytes;
  size_t len;
  bool is_system; /* lies where compiler and C library have theirs */
};

struct cca_inputs {
  struct cca_objects cca_vec(struct cca_object) list;
  struct cca_vec(struct cca_input_file *) files;
  struct cca_map by_path; /* 1 + index of the file */
  struct cca_map seen;    /* by path and offset */
  struct cca_arena arena;
  const char *sysroot;
};

/* SYSROOT may be NULL; borrowed. */
void cca_inputs_init(struct cca_inputs *inputs, const char *sysroot);

/* The file at PATH, mapped at most once. */
struct cca_input_file *cca_inputs_file(struct cca_inputs *inputs,
                                       const char *path);

/* The file that MEMBER of the thin archive THIN is. */
struct cca_input_file *
cca_inputs_member_file(struct cca_inputs *inputs,
                       const struct cca_input_file *thin,
                       const struct cca_input_member *member);

/* Add the object in FILE, or MEMBER of it (NULL: the file itself), unless it
 * is there already, or no object that can carry code. */
void cca_inputs_add(struct cca_inputs *inputs, struct cca_input_file *file,
                    const struct cca_input_member *member);

/* Does the link make OBJECT's code, if it wants to: is GIMPLE or bitcode in it?
 */
bool cca_object_is_remade(const struct cca_object *object);

/* Add what the plugin listed in the LEN bytes at LIST (see plugin.c). */
void cca_inputs_add_list(struct cca_inputs *inputs, const char *list,
                         size_t len);

void cca_inputs_release(struct cca_inputs *inputs);

#endif
