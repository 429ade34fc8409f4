/* SPDX-License-Identifier: MIT */
/*
 * extract.h -- which objects and archive members will lld or mold link?
 */
#ifndef CCA_EXTRACT_H
#define CCA_EXTRACT_H

#include "inputs.h"
#include "line.h"

/* Add to INPUTS what a link with LINE takes in. */
void cca_extract(struct cca_inputs *inputs, const struct cca_line *line);

/* Take out of INPUTS, which the plugin listed, the objects between --start-lib
 * and --end-lib that nobody needs: gold reports them all. */
void cca_extract_drop_unused(struct cca_inputs *inputs,
                             const struct cca_line *line);

#endif
