/* SPDX-License-Identifier: MIT */
/*
 * code.c -- find calls: disassembly for x86, by hand for AArch64, relocations
 * for the rest.
 *
 * Input:     an object's sections, symbols and relocations; of a linked module
 *            the sections, symbols and imports.
 * Output:    every call with the symbols of its target.
 *
 * On x86 only a disassembler finds the calls between functions of one section
 * (the assembler has resolved them) and those through pointers.  LLVM's C
 * interface gives text, of which we read the mnemonic and, in a direct branch,
 * the distance; 190,000 instructions of SQLite take 75 ms.  The target of a
 * branch with a relocation is the relocation's symbol.  A register that was
 * loaded with the address of a symbol (-fno-plt, -mcmodel=large) names it
 * until it is written again or the function ends.
 *
 * AArch64 instructions have four bytes, so three masks do.  On other machines
 * the assembler is taken at its word: a relocation of a call is a call.
 */
#include "code.h"
#include "imports.h"

#include <elf.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <stdlib.h>
#include <string.h>

struct symbol {
  uint32_t section;
  uint64_t value, size;
  const char *name;
  bool function;
};

struct relocation {
  uint64_t offset;
  uint32_t type;
  const char *name; /* of its symbol; NULL: a section's */
  uint32_t section; /* of its symbol */
  uint64_t value;
  int64_t addend;
};

struct reader {
  const struct cca_elf *elf;
  struct cca_code *code;
  bool linked; /* no ET_REL: addresses are known, relocations gone */
  struct cca_imports imports;
  struct cca_vec(struct symbol) symbols; /* defined in code, by address */
  struct cca_elf_section table, strings, large;
  bool has_table, has_large;

  /* Of the section at hand. */
  uint32_t section;
  struct cca_elf_section content;
  struct cca_vec(struct relocation) relocations; /* by offset */
  size_t next_relocation;
  size_t next_symbol;
  const struct symbol *function; /* around the current instruction, or NULL */
};

/* --------------------------------------------------------------- symbols */

/* By place.  Of several names of one function the source's is first: one with a
 * version is another's, and may even be like the name of another function. */
static int compare_symbols(const void *pa, const void *pb) {
  const struct symbol *a = pa, *b = pb;
  if (a->section != b->section)
    return a->section < b->section ? -1 : 1;
  if (a->value != b->value)
    return a->value < b->value ? -1 : 1;
  if (a->function != b->function)
    return a->function ? -1 : 1;
  bool a_version = strchr(a->name, '@'), b_version = strchr(b->name, '@');
  if (a_version != b_version)
    return b_version ? -1 : 1;
  return strcmp(a->name, b->name);
}

static bool symbol_at(const struct reader *r, uint64_t i,
                      struct cca_elf_symbol *out) {
  return r->has_table && i < cca_elf_symbol_count(r->elf, &r->table) &&
         cca_elf_symbol_at(r->elf, &r->table, &r->strings,
                           r->has_large ? &r->large : NULL, i, out);
}

/* The symbol table; of a module that is stripped, what it exports. */
static void find_table(struct reader *r, uint32_t type) {
  struct cca_elf_section s;
  for (uint32_t i = 1; i < r->elf->section_count; i++) {
    if (!cca_elf_section_at(r->elf, i, &s))
      continue;
    if (s.type == type && !r->has_table) {
      r->table = s;
      r->has_table = s.link < r->elf->section_count &&
                     cca_elf_section_at(r->elf, s.link, &r->strings);
    } else if (s.type == SHT_SYMTAB_SHNDX) {
      r->large = s;
      r->has_large = true;
    }
  }
}

static void read_symbols(struct reader *r) {
  struct cca_elf_section s;
  find_table(r, SHT_SYMTAB);
  if (r->linked && !r->has_table)
    find_table(r, SHT_DYNSYM);
  uint64_t count = r->has_table ? cca_elf_symbol_count(r->elf, &r->table) : 0;
  struct cca_elf_symbol symbol;
  for (uint64_t i = 1; i < count; i++) {
    if (!symbol_at(r, i, &symbol) || symbol.section == SHN_UNDEF ||
        symbol.section >= r->elf->section_count || !symbol.name[0] ||
        (symbol.type != STT_FUNC && symbol.type != STT_GNU_IFUNC &&
         symbol.type != STT_NOTYPE) ||
        symbol.name[0] == '$') /* ARM's mapping symbols */
      continue;
    if (r->linked) {
      if (!cca_elf_section_at(r->elf, symbol.section, &s) ||
          symbol.value < s.address)
        continue;
      symbol.value -= s.address;
    }
    cca_vec_push(&r->symbols,
                 ((struct symbol){symbol.section, symbol.value, symbol.size,
                                  symbol.name, symbol.type != STT_NOTYPE}));
  }
  for (size_t i = 0; i < r->imports.stubs.count; i++) {
    const struct cca_import_stub *stub = &r->imports.stubs.items[i];
    cca_vec_push(&r->symbols, ((struct symbol){stub->section, stub->offset, 0,
                                               stub->name, true}));
  }
  if (r->symbols.count)
    qsort(r->symbols.items, r->symbols.count, sizeof(struct symbol),
          compare_symbols);
}

/* The first symbol at or after VALUE of SECTION. */
static size_t find_symbol(const struct reader *r, uint32_t section,
                          uint64_t value) {
  size_t low = 0, high = r->symbols.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const struct symbol *s = &r->symbols.items[middle];
    if (s->section < section || (s->section == section && s->value < value))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Move on to the function that offset AT is in. */
static void enter_function(struct reader *r, uint64_t at) {
  while (r->next_symbol < r->symbols.count) {
    const struct symbol *s = &r->symbols.items[r->next_symbol];
    if (s->section != r->section || s->value > at)
      break;
    /* The first of several at one address; a label inside is no function. */
    if (s->function && (!r->function || r->function->value != s->value))
      r->function = s;
    r->next_symbol++;
  }
  /* A module may be without the symbols of local functions. */
  if (r->linked && r->function && r->function->size > 0 &&
      at - r->function->value >= r->function->size)
    r->function = NULL;
}

/* Does a function begin behind the place that we are at, and before END? */
static bool begins_before(const struct reader *r, uint64_t end) {
  const struct symbol *next = r->next_symbol < r->symbols.count
                                  ? &r->symbols.items[r->next_symbol]
                                  : NULL;
  return next && next->section == r->section && next->function &&
         next->value < end;
}

/* ----------------------------------------------------------- relocations */

static int compare_relocations(const void *pa, const void *pb) {
  const struct relocation *a = pa, *b = pb;
  return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* The addend of a REL relocation of a branch is in the instruction; only
 * 32-bit x86 is of interest here. */
static int64_t addend_in_place(const struct reader *r, uint64_t offset) {
  if (r->content.size < 4 || offset > r->content.size - 4)
    return 0;
  return (int32_t)cca_elf_u32(r->elf, r->content.bytes + offset);
}

static void read_relocations(struct reader *r, const uint32_t *relocated_by) {
  struct cca_elf_section s;
  struct cca_elf_symbol symbol;
  bool sorted = true;
  r->relocations.count = 0;
  r->next_relocation = 0;
  if (!relocated_by[r->section] ||
      !cca_elf_section_at(r->elf, relocated_by[r->section], &s))
    return;
  uint64_t count = cca_elf_relocation_count(r->elf, &s);
  for (uint64_t i = 0; i < count; i++) {
    struct cca_elf_relocation from = cca_elf_relocation_at(r->elf, &s, i);
    struct relocation to = {.offset = from.offset,
                            .type = from.type,
                            .addend = from.has_addend
                                          ? from.addend
                                          : addend_in_place(r, from.offset)};
    if (!symbol_at(r, from.symbol, &symbol))
      continue;
    to.name = symbol.type == STT_SECTION ? NULL : symbol.name;
    to.section = symbol.section;
    to.value = symbol.value;
    if (r->relocations.count &&
        r->relocations.items[r->relocations.count - 1].offset > to.offset)
      sorted = false;
    cca_vec_push(&r->relocations, to);
  }
  if (!sorted)
    qsort(r->relocations.items, r->relocations.count, sizeof(struct relocation),
          compare_relocations);
}

/* The relocation inside [START, END), where START never goes back. */
static const struct relocation *relocation_in(struct reader *r, uint64_t start,
                                              uint64_t end) {
  while (r->next_relocation < r->relocations.count) {
    const struct relocation *found = &r->relocations.items[r->next_relocation];
    if (found->offset >= end)
      break;
    if (found->offset >= start)
      return found;
    r->next_relocation++;
  }
  return NULL;
}

/* ----------------------------------------------------------------- calls */

static struct cca_code_call *add_call(struct reader *r, uint64_t offset,
                                      bool tail) {
  struct cca_code_call call = {
      .section = r->section,
      .offset = offset,
      .function = r->function ? r->function->name : "",
      .first = (uint32_t)r->code->names.count,
      .tail = tail,
  };
  cca_vec_push(&r->code->calls, call);
  return &r->code->calls.items[r->code->calls.count - 1];
}

static void add_target(struct reader *r, struct cca_code_call *call,
                       const char *name) {
  cca_vec_push(&r->code->names, name);
  call->count++;
}

/* Is VALUE inside the function that we are in?  A jump to its very start is a
 * loop, whether the source had a call there or not. */
static bool is_here(const struct reader *r, uint32_t section, uint64_t value) {
  const struct symbol *f = r->function;
  return f && section == r->section && value >= f->value &&
         value - f->value < (f->size ? f->size : UINT64_MAX);
}

/* Is SYMBOL a part of the function that we are in: f.cold, f.part.0 of f? */
static bool is_part(const struct reader *r, const char *symbol) {
  const char *f = r->function ? r->function->name : "";
  size_t len = strcspn(f, ".");
  return len && strncmp(f, symbol, len) == 0 && symbol[len] == '.';
}

/* A call, or a jump, to VALUE of SECTION. */
static void add_local(struct reader *r, uint64_t offset, bool tail,
                      uint32_t section, uint64_t value) {
  if (tail && is_here(r, section, value))
    return;
  size_t i = find_symbol(r, section, value);
  if (i == r->symbols.count || r->symbols.items[i].section != section ||
      r->symbols.items[i].value != value ||
      (tail && is_part(r, r->symbols.items[i].name)))
    return;
  struct cca_code_call *call = add_call(r, offset, tail);
  for (; i < r->symbols.count && r->symbols.items[i].section == section &&
         r->symbols.items[i].value == value;
       i++)
    add_target(r, call, r->symbols.items[i].name);
}

/* A call, or a jump, to ADDRESS of a linked module. */
static void add_address(struct reader *r, uint64_t offset, bool tail,
                        uint64_t address) {
  struct cca_elf_section s;
  for (uint32_t i = 1; i < r->elf->section_count; i++)
    if (cca_elf_section_at(r->elf, i, &s) && (s.flags & SHF_EXECINSTR) &&
        address >= s.address && address - s.address < s.size) {
      add_local(r, offset, tail, i, address - s.address);
      return;
    }
}

/* A call or jump through RELOCATION; what it adds to its symbol is DISTANCE. */
static void add_relocated(struct reader *r, uint64_t offset, bool tail,
                          const struct relocation *relocation,
                          uint64_t distance) {
  if (relocation->section && relocation->section < r->elf->section_count)
    add_local(r, offset, tail, relocation->section,
              relocation->value + distance);
  else if (relocation->name && relocation->name[0])
    add_target(r, add_call(r, offset, tail), relocation->name);
}

/* ------------------------------------------------------------------- x86 */

/* Registers that hold the address of a symbol. */
struct known_register {
  char name[8];
  struct relocation is;
};

struct x86 {
  struct reader *r;
  struct known_register known[16];
  unsigned known_count;
  const struct symbol *function; /* in which they are known */
};

/* Does the relocation stand for the address of its symbol, or of its slot in
 * the GOT? */
static bool names_symbol(const struct cca_elf *elf, uint32_t type) {
  if (elf->machine == EM_386)
    return type == R_386_GOT32 || type == R_386_GOT32X || type == R_386_32;
  return type == R_X86_64_GOTPCREL || type == R_X86_64_GOTPCRELX ||
         type == R_X86_64_REX_GOTPCRELX || type == R_X86_64_64 ||
         type == R_X86_64_GOT64 || type == R_X86_64_GOTPCREL64 ||
         type == R_X86_64_PLTOFF64 || type == R_X86_64_GOTOFF64;
}

static struct known_register *find_register(struct x86 *x, const char *name) {
  for (unsigned i = 0; i < x->known_count; i++)
    if (strcmp(x->known[i].name, name) == 0)
      return &x->known[i];
  return NULL;
}

/* Any other instruction TEXT: does it load a register with a symbol, or spoil
 * one?  In AT&T order the register written is the last operand. */
static void track_register(struct x86 *x, const char *text,
                           const struct relocation *relocation) {
  bool loads = relocation && names_symbol(x->r->elf, relocation->type) &&
               strncmp(text, "\tmov", 4) == 0;
  if (!loads && !x->known_count)
    return;
  const char *percent = strrchr(text, '%');
  if (!percent || strchr(percent, ')') || strlen(percent + 1) > 7 ||
      strncmp(text, "\tcmp", 4) == 0 || strncmp(text, "\ttest", 5) == 0 ||
      strncmp(text, "\tpush", 5) == 0)
    return;
  struct known_register *known = find_register(x, percent + 1);
  if (!loads) {
    /* -mcmodel=large adds the base of the GOT to what it has loaded. */
    if (known && strncmp(text, "\tadd", 4) != 0 &&
        !(strncmp(text, "\tlea", 4) == 0 &&
          strstr(text, known->name) < percent))
      *known = x->known[--x->known_count];
    return;
  }
  if (!known) {
    if (x->known_count == sizeof x->known / sizeof x->known[0])
      return;
    known = &x->known[x->known_count++];
    strcpy(known->name, percent + 1);
  }
  known->is = *relocation;
}

/* After a call only the registers that a callee saves are still known. */
static void forget_registers(struct x86 *x) {
  static const char *const saved[] = {"rbx", "rbp", "r12", "r13", "r14",
                                      "r15", "ebx", "ebp", "esi", "edi"};
  unsigned kept = 0;
  for (unsigned i = 0; i < x->known_count; i++)
    for (size_t s = 0; s < sizeof saved / sizeof saved[0]; s++)
      if (strcmp(x->known[i].name, saved[s]) == 0) {
        x->known[kept++] = x->known[i];
        break;
      }
  x->known_count = kept;
}

/* OPERAND, as in `callq OPERAND`, of the instruction that ends at END. */
static void x86_branch(struct x86 *x, uint64_t end, const char *operand,
                       bool tail, const struct relocation *relocation) {
  struct reader *r = x->r;
  if (*operand != '*') {
    if (relocation) {
      add_relocated(r, end, tail, relocation,
                    (uint64_t)relocation->addend + end - relocation->offset);
    } else {
      uint64_t target = end + (uint64_t)strtoll(operand, NULL, 0);
      if (target < r->content.size)
        add_local(r, end, tail, r->section, target);
      else if (r->linked)
        add_address(r, end, tail, r->content.address + target);
    }
    return;
  }
  if (relocation && names_symbol(r->elf, relocation->type)) {
    /* `call *f@GOTPCREL(%rip)`; but `jmp *.L4(,%rax,8)` is a switch. */
    if (relocation->name && !strchr(operand, ','))
      add_relocated(r, end, tail, relocation, 0);
    return;
  }
  if (operand[1] == '%') {
    struct known_register *known = find_register(x, operand + 2);
    if (known) {
      add_relocated(r, end, tail, &known->is, 0);
      return;
    }
  }
  add_call(r, end, tail);
}

/* In a linked module, the slot of the GOT that the instruction TEXT, which ends
 * at END, reads, as the relocation into *MADE that it once was; or NULL. */
static const struct relocation *slot_relocation(const struct reader *r,
                                                const char *text, uint64_t end,
                                                struct relocation *made) {
  const char *base =
      r->elf->machine == EM_X86_64 ? strstr(text, "(%rip)") : NULL;
  if (!base)
    return NULL;
  const char *number = base;
  while (number > text && strchr("0123456789abcdefx-", number[-1]))
    number--;
  const struct cca_import_slot *slot =
      cca_imports_find(&r->imports, r->content.address + end +
                                        (uint64_t)strtoll(number, NULL, 0));
  if (!slot)
    return NULL;
  *made = (struct relocation){.type = R_X86_64_GOTPCRELX, .name = slot->name};
  struct cca_elf_section s;
  for (uint32_t i = 1; !slot->name && i < r->elf->section_count; i++)
    if (cca_elf_section_at(r->elf, i, &s) && (s.flags & SHF_EXECINSTR) &&
        slot->target >= s.address && slot->target - s.address < s.size) {
      made->section = i;
      made->value = slot->target - s.address;
      made->name = "";
    }
  return made->name ? made : NULL;
}

static void read_x86(struct reader *r, LLVMDisasmContextRef disassembler) {
  struct x86 x = {.r = r};
  char text[128];
  for (uint64_t at = 0; at < r->content.size;) {
    enter_function(r, at);
    if (x.function != r->function) {
      x.function = r->function;
      x.known_count = 0;
    }
    size_t len = LLVMDisasmInstruction(
        disassembler, (uint8_t *)(uintptr_t)r->content.bytes + at,
        r->content.size - at, at, text, sizeof text);
    if (!len) { /* data between functions */
      at++;
      continue;
    }
    if (begins_before(r, at + len)) { /* so was this: what linkers pad with */
      at = r->symbols.items[r->next_symbol].value;
      continue;
    }
    struct relocation made;
    const struct relocation *relocation =
        r->linked ? slot_relocation(r, text, at + len, &made)
                  : relocation_in(r, at, at + len);
    const char *p = text + strspn(text, "\t ");
    bool call = strncmp(p, "call", 4) == 0, jump = p[0] == 'j';
    const char *operand = strchr(p, '\t');
    if ((call || jump) && operand)
      x86_branch(&x, at + len, operand + 1, jump, relocation);
    if (call)
      forget_registers(&x);
    else if (!jump)
      track_register(&x, text, relocation);
    at += len;
  }
}

/* --------------------------------------------------------------- AArch64 */

static void read_aarch64(struct reader *r) {
  for (uint64_t at = 0; at + 4 <= r->content.size; at += 4) {
    const unsigned char *p = r->content.bytes + at;
    /* Instructions are little-endian whatever the data are. */
    uint32_t word = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
                    (uint32_t)p[3] << 24;
    enter_function(r, at);
    bool link = word >> 26 == 0x25, jump = word >> 26 == 0x05;
    if (link || jump) { /* bl, b */
      const struct relocation *relocation = relocation_in(r, at, at + 4);
      int64_t distance = (int64_t)((uint64_t)word << 38) >> 36;
      if (relocation)
        add_relocated(r, at + 4, jump, relocation,
                      (uint64_t)relocation->addend);
      else if (at + (uint64_t)distance < r->content.size || !r->linked)
        add_local(r, at + 4, jump, r->section, at + (uint64_t)distance);
      else
        add_address(r, at + 4, jump,
                    r->content.address + at + (uint64_t)distance);
    } else if ((word & 0xfffffc1f) == 0xd63f0000) { /* blr */
      add_call(r, at + 4, false);
    } else if ((word & 0xfffffc1f) == 0xd61f0000) { /* br */
      add_call(r, at + 4, true);
    }
  }
}

/* -------------------------------------------------------- other machines */

static const struct call_relocation {
  uint16_t machine;
  uint32_t type;
  unsigned length; /* from the relocation to the return address */
} call_relocations[] = {
    {EM_ARM, R_ARM_CALL, 4},         {EM_ARM, R_ARM_THM_PC22, 4},
    {EM_RISCV, R_RISCV_CALL, 8},     {EM_RISCV, R_RISCV_CALL_PLT, 8},
    {EM_PPC64, R_PPC64_REL24, 4},    {EM_PPC64, 116 /* NOTOC */, 4},
    {EM_S390, R_390_PLT32DBL, 4},    {EM_S390, R_390_PC32DBL, 4},
    {EM_LOONGARCH, 66 /* B26 */, 4},
};

static void read_by_relocations(struct reader *r) {
  size_t kinds = sizeof call_relocations / sizeof call_relocations[0];
  for (size_t i = 0; i < r->relocations.count; i++) {
    const struct relocation *relocation = &r->relocations.items[i];
    for (size_t k = 0; k < kinds; k++)
      if (call_relocations[k].machine == r->elf->machine &&
          call_relocations[k].type == relocation->type && relocation->name) {
        enter_function(r, relocation->offset);
        add_target(
            r,
            add_call(r, relocation->offset + call_relocations[k].length, false),
            relocation->name);
      }
  }
}

/* ------------------------------------------------------------------------ */

static LLVMDisasmContextRef open_disassembler(const struct cca_elf *elf) {
  if (elf->machine != EM_X86_64 && elf->machine != EM_386)
    return NULL;
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86Disassembler();
  return LLVMCreateDisasm(elf->is64 ? "x86_64-linux-gnu" : "i386-linux-gnu",
                          NULL, 0, NULL, NULL);
}

void cca_code_read(struct cca_code *code, const struct cca_elf *elf) {
  struct reader r = {.elf = elf, .code = code, .linked = elf->type != ET_REL};
  struct cca_elf_section s;
  *code = (struct cca_code){{0}, {0}};
  if (r.linked)
    cca_imports_read(&r.imports, elf);
  read_symbols(&r);

  /* Which section has the relocations of which? */
  uint32_t *relocated_by = cca_calloc(elf->section_count, sizeof(uint32_t));
  for (uint32_t i = 1; i < elf->section_count; i++)
    if (!r.linked && cca_elf_section_at(elf, i, &s) &&
        s.info < elf->section_count &&
        (s.type == SHT_RELA || s.type == SHT_REL))
      relocated_by[s.info] = i;

  LLVMDisasmContextRef disassembler = open_disassembler(elf);
  for (uint32_t i = 1; i < elf->section_count; i++) {
    if (!cca_elf_section_at(elf, i, &r.content) ||
        !(r.content.flags & SHF_EXECINSTR) || !r.content.bytes ||
        (r.linked && strncmp(r.content.name, ".plt", 4) == 0))
      continue;
    r.section = i;
    r.function = NULL;
    r.next_symbol = find_symbol(&r, i, 0);
    read_relocations(&r, relocated_by);
    if (disassembler)
      read_x86(&r, disassembler);
    else if (elf->machine == EM_AARCH64)
      read_aarch64(&r);
    else
      read_by_relocations(&r);
  }
  if (disassembler)
    LLVMDisasmDispose(disassembler);
  free(relocated_by);
  cca_vec_release(&r.symbols);
  cca_vec_release(&r.relocations);
  cca_imports_release(&r.imports);
}

void cca_code_release(struct cca_code *code) {
  cca_vec_release(&code->calls);
  cca_vec_release(&code->names);
}
