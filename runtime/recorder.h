/* SPDX-License-Identifier: MIT */
/*
 * recorder.h -- the client that `allocs run` makes its histogram and leak
 * report with: it leaves snapshots in a folder.
 */
#ifndef CCA_RECORDER_H
#define CCA_RECORDER_H

#include "ccallocs/client.h"

/* Its options are the folder, an absolute path. */
extern const struct cca_client cca_recorder;

#endif
