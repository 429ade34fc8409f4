/* SPDX-License-Identifier: MIT */
/*
 * peek.h -- snapshots of processes that go on, taken from outside.
 */
#ifndef CCA_PEEK_H
#define CCA_PEEK_H

/*
 * Write a snapshot of each process that has said in FOLDER where its tables are
 * (PID.at) into FOLDER, as runtime/snapshot.h does.  The processes are not
 * stopped, and notice nothing.  What cannot be read, or makes no sense, gives
 * no snapshot: a process may end, or execute another program, meanwhile.
 * NUMBER counts the calls, from 0.
 */
void cca_peek(const char *folder, unsigned number);

#endif
