/* SPDX-License-Identifier: MIT */
/*
 * extract.c -- the passes over one unit, in order.
 */
#include "analysis/extract.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/BitReader.h>
#include <llvm-c/Support.h>

#include "analysis/extract-unit.h"
#include "analysis/promote.h"

/* Diagnostics are not printed; what matters comes back as a status. */
static void ignore(LLVMDiagnosticInfoRef info, void *nothing) {
  (void)info;
  (void)nothing;
}

static bool fail(char *why, size_t why_len, const char *text) {
  snprintf(why, why_len, "%s", text);
  return false;
}

/*
 * A parsed module takes as long to free as a seventh of the whole extraction,
 * and its process is about to end.  The last one stays reachable from here.
 */
static LLVMContextRef last_context;
static LLVMModuleRef last_module;

static void free_last(void) {
  if (last_module)
    LLVMDisposeModule(last_module);
  if (last_context)
    LLVMContextDispose(last_context);
  last_module = NULL;
  last_context = NULL;
}

/* The bitcode is of the very LLVM that we link: to check its debug information
 * for upgrades, which is to verify all code, is a tenth of the time. */
static void set_options(void) {
  static bool done;
  const char *const options[] = {"cca", "-disable-auto-upgrade-debug-info"};
  if (!done)
    LLVMParseCommandLineOptions(2, options, "");
  done = true;
}

static bool parse(struct unit *u, const struct cca_extract_request *request,
                  char *why, size_t why_len) {
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(
      request->bitcode, request->bitcode_len, "unit", false);
  bool failed = LLVMParseBitcodeInContext2(u->context, buffer, &u->module);
  LLVMDisposeMemoryBuffer(buffer);
  if (failed)
    return fail(why, why_len, "the bitcode cannot be read");
  /* dbg.declare as calls, which the C API can read */
  LLVMSetIsNewDbgInfoFormat(u->module, false);
  u->layout = LLVMGetModuleDataLayout(u->module);
  u->kcfi_kind = LLVMGetMDKindIDInContext(u->context, "kcfi_type", 9);
  u->debug_kind = LLVMGetMDKindIDInContext(u->context, "dbg", 3);
  return true;
}

/* Locals become values, local records fall into their members. */
static bool promote(struct unit *u, char *why, size_t why_len) {
  /* as the passes want them, or they would be converted there and back */
  LLVMSetIsNewDbgInfoFormat(u->module, true);
  const char *wrong = cca_promote(u->module);
  return !wrong || fail(why, why_len, wrong);
}

static void add_unit(struct unit *u,
                     const struct cca_extract_request *request) {
  struct cca_unit row = cca_unit_init();
  row.source = cca_builder_string(u->out, request->source);
  row.producer = cca_builder_string(u->out, request->producer);
  row.status = request->status;
  row.reason = cca_builder_string(u->out, request->reason);
  row.marks = request->marks;
  row.dropped = request->dropped;
  row.digest = (int64_t)request->digest;
  cca_unit_add(u->out, row);
}

static void walk(struct unit *u) {
  struct body body = {.unit = u};
  for (LLVMValueRef f = LLVMGetFirstFunction(u->module); f;
       f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f))
      cca__body_extract(&body, f);
  for (LLVMValueRef a = LLVMGetFirstGlobalAlias(u->module); a;
       a = LLVMGetNextGlobalAlias(a))
    cca__body_alias(&body, a);
  cca__initials_extract(&body);
  cca__body_release(&body);
}

static void release(struct unit *u) {
  cca_vec_release(&u->types);
  cca_numbers_release(&u->type_of_di);
  cca_map_release(&u->type_rows);
  cca_vec_release(&u->full);
  cca_vec_release(&u->row_types);
  cca_numbers_release(&u->file_rows);
  cca_map_release(&u->files);
  cca_vec_release(&u->file_names);
  cca_map_release(&u->record_names);
  cca_vec_release(&u->nameless);
  cca_vec_release(&u->records);
  cca_numbers_release(&u->record_of_di);
  cca_numbers_release(&u->record_of_plain);
  cca_numbers_release(&u->di_of_plain);
  cca_numbers_release(&u->plain_rows);
  cca_numbers_release(&u->func_rows);
  cca_numbers_release(&u->global_of);
  cca_vec_release(&u->globals);
  cca_vec_release(&u->variables);
  cca_numbers_release(&u->variable_of);
  cca_numbers_release(&u->param_names);
  cca_vec_release(&u->uses);
  cca_numbers_release(&u->use_of);
  cca_map_release(&u->initials);
  cca_arena_release(&u->arena);
  last_module = u->module;
  last_context = u->context;
}

int cca_extract(const struct cca_extract_request *request,
                struct cca_builder *out, char *why, size_t why_len) {
  free_last();
  set_options();
  struct unit u = {.out = out,
                   .context = LLVMContextCreate(),
                   .folder = request->folder ? request->folder : ""};
  LLVMContextSetDiagnosticHandler(u.context, ignore, NULL);

  bool ok = parse(&u, request, why, why_len);
  if (ok) {
    /* While locals are still in memory: variables and types. */
    cca__before_variables(&u);
    cca__symbols_find(&u);
    cca__records_index(&u);
    cca__before_uses(&u);
    ok = promote(&u, why, why_len);
  }
  if (ok) {
    /* From here on the code does not change, and rows are made. */
    add_unit(&u, request);
    cca__symbols_add(&u);
    walk(&u);
    cca__types_finish(&u);
  }
  release(&u);
  return ok ? 0 : -1;
}
