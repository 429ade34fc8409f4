/* SPDX-License-Identifier: MIT */
/*
 * pages.h -- memory of the runtime's own, straight from the kernel.
 *
 * The runtime stands between the program and its malloc, so it takes none of
 * it: tables are mapped, and touched as far as they are used.  What the link
 * map's modules say is kept in a bump allocator, since modules come and go but
 * what was said about objects stays.
 *
 * Errors: NULL, with errno as it was before.
 */
#ifndef CCA_PAGES_H
#define CCA_PAGES_H

#include <stddef.h>

/* LEN bytes of zeros, not accounted for until they are touched. */
void *cca_pages_map(size_t len);

/* Have the LEN bytes at START, which will all be written, at once: a fault for
 * each page costs several times as much.  Nothing, where the kernel cannot. */
void cca_pages_prepare(void *start, size_t len);

/* Give back LEN bytes that were mapped, of which nobody knows. */
void cca_pages_unmap(void *pages, size_t len);

/* A copy of LEN bytes at BYTES, aligned to 8; never released.  Callers hold
 * the lock of modules.c. */
void *cca_pages_keep(const void *bytes, size_t len);

#endif
