/* SPDX-License-Identifier: MIT */
/*
 * unwind.c -- compute a row from .eh_frame; see unwind.h.
 *
 * In:  a module's .eh_frame_hdr, whose sorted table leads to the FDE of an
 *      address; the FDE and its CIE hold a program for a small machine, which
 *      is run until the address.
 * Out: the row.  Every read is checked against the segment, and whatever is not
 *      understood gives CCA_ROW_NONE: a walk that stops early costs a type, one
 *      that goes astray would invent one.
 *
 * The encodings are those that all linkers write: a table of 32-bit offsets
 * from .eh_frame_hdr, pc-relative pointers in FDEs.
 */
#include "unwind.h"

#include <string.h>

#ifdef __x86_64__

enum {
  REG_FP = 6,
  REG_SP = 7,
  REG_RA = 16,
  RELATIVE_SIGNED_4 = 0x1b, /* DW_EH_PE_pcrel | DW_EH_PE_sdata4 */
  UNSIGNED_4 = 0x03,
  TABLE_SIGNED_4 = 0x3b, /* DW_EH_PE_datarel | DW_EH_PE_sdata4 */
};

/* ---- Reading ---- */

struct cursor {
  const unsigned char *at, *end;
  bool bad; /* something was beyond the end; all reads give 0 from then on */
};

static uint64_t fixed(struct cursor *c, size_t size) {
  uint64_t value = 0;
  if (c->bad || size > (size_t)(c->end - c->at)) {
    c->bad = true;
    return 0;
  }
  memcpy(&value, c->at, size);
  c->at += size;
  return value;
}

static uint64_t uleb(struct cursor *c) {
  uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    uint64_t byte = fixed(c, 1);
    if (shift < 64)
      value |= (byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return value;
  }
}

static int64_t sleb(struct cursor *c) {
  uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    uint64_t byte = fixed(c, 1);
    if (shift < 64)
      value |= (byte & 0x7f) << shift;
    if (!(byte & 0x80)) {
      if (byte & 0x40 && shift + 7 < 64)
        value |= ~0ull << (shift + 7);
      return (int64_t)value;
    }
  }
}

static void skip(struct cursor *c, uint64_t len) {
  if (c->bad || len > (size_t)(c->end - c->at))
    c->bad = true;
  else
    c->at += len;
}

/* The record (CIE or FDE) at AT: its content, without the length. */
static struct cursor record(const struct cca_loaded *m, uintptr_t at) {
  struct cursor c = {(const unsigned char *)at, m->eh_high, false};
  if (at < (uintptr_t)m->eh_low || at >= (uintptr_t)m->eh_high)
    return (struct cursor){.bad = true};
  uint64_t len = fixed(&c, 4);
  if (len == 0 || len == 0xffffffff || len > (size_t)(c.end - c.at))
    return (struct cursor){.bad = true};
  c.end = c.at + len;
  return c;
}

/* ---- The machine ---- */

enum rule_kind {
  RULE_SAME,
  RULE_AT_CFA,
  RULE_AT_FP,
  RULE_UNDEFINED,
  RULE_OTHER
};
struct rule {
  enum rule_kind kind;
  int64_t offset;
};

struct state {
  enum { CFA_REGISTER, CFA_DEREF, CFA_OTHER } cfa;
  uint64_t cfa_register;
  int64_t cfa_offset;
  struct rule fp, ra;
};

struct machine {
  uint64_t code_align;
  int64_t data_align;
  struct state now, initial, saved[8];
  unsigned depth;
};

static struct rule *rule_of(struct machine *m, uint64_t reg) {
  return reg == REG_FP ? &m->now.fp : reg == REG_RA ? &m->now.ra : NULL;
}

static void set_rule(struct machine *m, uint64_t reg, enum rule_kind kind,
                     int64_t offset) {
  struct rule *rule = rule_of(m, reg);
  if (rule)
    *rule = (struct rule){kind, offset};
}

/* An expression that is `frame pointer + N`, perhaps dereferenced. */
static bool fp_expression(struct cursor *c, bool deref, int64_t *offset) {
  enum { BREG_FP = 0x70 + REG_FP, DEREF = 0x06 };
  uint64_t len = uleb(c);
  struct cursor e = *c;
  skip(c, len);
  if (c->bad)
    return false;
  e.end = c->at;
  if (fixed(&e, 1) != BREG_FP)
    return false;
  *offset = sleb(&e);
  if (deref && fixed(&e, 1) != DEREF)
    return false;
  return !e.bad && e.at == e.end;
}

/* Run the instructions of C for the address that is ADVANCE bytes behind the
 * start of the function.  False: not understood. */
static bool run(struct machine *m, struct cursor *c, uint64_t advance) {
  uint64_t at = 0, reg;
  int64_t offset;
  while (!c->bad && c->at < c->end) {
    uint64_t op = fixed(c, 1), low = op & 0x3f, step = 0;
    switch (op & 0xc0 ? op & 0xc0 : op) {
    case 0x40: /* advance_loc */
      step = low;
      break;
    case 0x80: /* offset */
      set_rule(m, low, RULE_AT_CFA, (int64_t)uleb(c) * m->data_align);
      break;
    case 0xc0: /* restore */
    case 0x06: /* restore_extended */
      reg = op == 0x06 ? uleb(c) : low;
      if (reg == REG_FP)
        m->now.fp = m->initial.fp;
      else if (reg == REG_RA)
        m->now.ra = m->initial.ra;
      break;
    case 0x00: /* nop */
      break;
    case 0x02: /* advance_loc1, 2, 4 */
      step = fixed(c, 1);
      break;
    case 0x03:
      step = fixed(c, 2);
      break;
    case 0x04:
      step = fixed(c, 4);
      break;
    case 0x05: /* offset_extended */
      reg = uleb(c);
      set_rule(m, reg, RULE_AT_CFA, (int64_t)uleb(c) * m->data_align);
      break;
    case 0x07: /* undefined */
      set_rule(m, uleb(c), RULE_UNDEFINED, 0);
      break;
    case 0x08: /* same_value */
      set_rule(m, uleb(c), RULE_SAME, 0);
      break;
    case 0x09: /* register */
      set_rule(m, uleb(c), RULE_OTHER, 0);
      uleb(c);
      break;
    case 0x0a: /* remember_state */
      if (m->depth == sizeof m->saved / sizeof m->saved[0])
        return false;
      m->saved[m->depth++] = m->now;
      break;
    case 0x0b: /* restore_state */
      if (!m->depth)
        return false;
      m->now = m->saved[--m->depth];
      break;
    case 0x0c: /* def_cfa */
      m->now.cfa = CFA_REGISTER;
      m->now.cfa_register = uleb(c);
      m->now.cfa_offset = (int64_t)uleb(c);
      break;
    case 0x0d: /* def_cfa_register */
      m->now.cfa_register = uleb(c);
      break;
    case 0x0e: /* def_cfa_offset */
      m->now.cfa_offset = (int64_t)uleb(c);
      break;
    case 0x0f: /* def_cfa_expression */
      m->now.cfa =
          fp_expression(c, true, &m->now.cfa_offset) ? CFA_DEREF : CFA_OTHER;
      break;
    case 0x10: /* expression */
      reg = uleb(c);
      if (fp_expression(c, false, &offset))
        set_rule(m, reg, RULE_AT_FP, offset);
      else
        set_rule(m, reg, RULE_OTHER, 0);
      break;
    case 0x11: /* offset_extended_sf */
      reg = uleb(c);
      set_rule(m, reg, RULE_AT_CFA, sleb(c) * m->data_align);
      break;
    case 0x12: /* def_cfa_sf */
      m->now.cfa = CFA_REGISTER;
      m->now.cfa_register = uleb(c);
      m->now.cfa_offset = sleb(c) * m->data_align;
      break;
    case 0x13: /* def_cfa_offset_sf */
      m->now.cfa_offset = sleb(c) * m->data_align;
      break;
    case 0x14: /* val_offset */
    case 0x15: /* val_offset_sf */
      set_rule(m, uleb(c), RULE_OTHER, 0);
      uleb(c);
      break;
    case 0x16: /* val_expression */
      set_rule(m, uleb(c), RULE_OTHER, 0);
      skip(c, uleb(c));
      break;
    case 0x2e: /* GNU_args_size */
      uleb(c);
      break;
    default:
      return false;
    }
    at += step * m->code_align;
    if (at > advance)
      return true;
  }
  return !c->bad;
}

/* ---- The records ---- */

struct cie {
  struct machine machine;
  struct cursor program;
  bool augmented, signal;
};

/* Read the CIE; false: not understood. */
static bool read_cie(struct cie *cie, struct cursor c) {
  *cie = (struct cie){0};
  if (fixed(&c, 4) != 0)
    return false;
  uint64_t version = fixed(&c, 1);
  const char *letters = (const char *)c.at;
  while (fixed(&c, 1))
    ;
  if (c.bad || (version != 1 && version != 3))
    return false;
  cie->machine.code_align = uleb(&c);
  cie->machine.data_align = sleb(&c);
  if (uleb(&c) != REG_RA)
    return false;
  if (*letters == 'z') {
    cie->augmented = true;
    uint64_t len = uleb(&c);
    struct cursor data = c;
    skip(&c, len);
    for (letters++; *letters; letters++)
      switch (*letters) {
      case 'R':
        if (fixed(&data, 1) != RELATIVE_SIGNED_4)
          return false;
        break;
      case 'S':
        cie->signal = true;
        break;
      case 'L':
        fixed(&data, 1);
        break;
      case 'P': { /* the personality's encoding says how long it is */
        uint64_t encoding = fixed(&data, 1) & 0x0f;
        if (encoding != 0x03 && encoding != 0x0b && encoding != 0x04 &&
            encoding != 0x0c && encoding != 0x00)
          return false;
        fixed(&data, encoding == 0x03 || encoding == 0x0b ? 4 : 8);
        break;
      }
      default:
        return false;
      }
    if (data.bad)
      return false;
  } else if (*letters) {
    return false;
  }
  cie->program = c;
  return !c.bad;
}

/* The FDE of ADDRESS by the table of .eh_frame_hdr; 0 if there is none. */
static uintptr_t find_fde(const struct cca_loaded *m, uintptr_t address) {
  if (!m->eh_header)
    return 0;
  struct cursor c = {m->eh_header, m->eh_high, false};
  uintptr_t header = (uintptr_t)m->eh_header;
  uint64_t version = fixed(&c, 1), pointer = fixed(&c, 1),
           counting = fixed(&c, 1), table = fixed(&c, 1);
  if (version != 1 || pointer != RELATIVE_SIGNED_4 || counting != UNSIGNED_4 ||
      table != TABLE_SIGNED_4)
    return 0;
  fixed(&c, 4);
  uint64_t count = fixed(&c, 4);
  if (c.bad || count == 0 || count > (size_t)(c.end - c.at) / 8)
    return 0;
  uint64_t low = 0, high = count; /* the last that begins at or below */
  while (high - low > 1) {
    uint64_t middle = low + (high - low) / 2;
    int32_t start;
    memcpy(&start, c.at + middle * 8, 4);
    if (header + (uintptr_t)(intptr_t)start <= address)
      low = middle;
    else
      high = middle;
  }
  int32_t entry[2];
  memcpy(entry, c.at + low * 8, 8);
  if (header + (uintptr_t)(intptr_t)entry[0] > address)
    return 0;
  return header + (uintptr_t)(intptr_t)entry[1];
}

static struct cca_row row_of(const struct state *s) {
  struct cca_row row = {CCA_ROW_NONE, 0, 0};
  if (s->ra.kind == RULE_UNDEFINED)
    return (struct cca_row){CCA_ROW_END, 0, 0};
  if (s->ra.kind != RULE_AT_CFA || s->ra.offset != -8)
    return row;
  int64_t offset = s->cfa_offset;
  if (s->cfa == CFA_DEREF) {
    if (s->fp.kind != RULE_AT_FP || s->fp.offset != 0 || offset >= 0 ||
        offset < -CCA_ROW_MAX_OFFSET || offset % 8)
      return row;
    return (struct cca_row){CCA_ROW_DEREF, (uint32_t)-offset, 0};
  }
  if (s->cfa != CFA_REGISTER || offset < 8 || offset > CCA_ROW_MAX_OFFSET ||
      offset % 8)
    return row;
  if (s->fp.kind == RULE_AT_CFA) {
    if (s->fp.offset >= -8 || s->fp.offset < -CCA_ROW_MAX_SAVED ||
        s->fp.offset % 8)
      return row;
    row.saved = (uint32_t)-s->fp.offset;
  } else if (s->fp.kind != RULE_SAME) {
    return row;
  }
  row.offset = (uint32_t)offset;
  if (s->cfa_register == REG_SP)
    row.kind = CCA_ROW_SP;
  else if (s->cfa_register == REG_FP)
    row.kind = CCA_ROW_FP;
  return row;
}

struct cca_row cca_unwind_row(const struct cca_loaded *module,
                              uintptr_t address) {
  static const struct cca_row none = {CCA_ROW_NONE, 0, 0};
  struct cie cie;
  /* The call is before its return address, which may be another function's. */
  uintptr_t call = address - 1, fde = find_fde(module, call);
  struct cursor c = record(module, fde);
  uintptr_t pointer = (uintptr_t)c.at;
  uint64_t back = fixed(&c, 4);
  if (c.bad || !read_cie(&cie, record(module, pointer - back)))
    return none;
  uintptr_t start = (uintptr_t)c.at;
  start += (uintptr_t)(intptr_t)(int32_t)fixed(&c, 4);
  uint64_t len = fixed(&c, 4);
  if (cie.augmented)
    skip(&c, uleb(&c));
  if (c.bad)
    return none;
  /* The trampoline of signals: its rows begin one byte before it. */
  if (cie.signal)
    return (struct cca_row){CCA_ROW_SIGNAL, 0, 0};
  if (call < start || call - start >= len)
    return none;
  struct machine *m = &cie.machine;
  if (!run(m, &cie.program, UINT64_MAX))
    return none;
  m->initial = m->now;
  m->depth = 0;
  if (!run(m, &c, call - start))
    return none;
  return row_of(&m->now);
}

#else

struct cca_row cca_unwind_row(const struct cca_loaded *module,
                              uintptr_t address) {
  (void)module;
  (void)address;
  return (struct cca_row){CCA_ROW_NONE, 0, 0};
}

#endif
