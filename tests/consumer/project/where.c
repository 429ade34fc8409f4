/* Ask what is at the address of a program's main(), and at one of nothing. */
#include <ccallocs/symbols.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  struct cca_symbols *symbols;
  struct cca_symbols_module *module, *other;
  struct cca_symbol_info symbol;
  struct cca_frame frame;
  struct cca_error err;
  size_t count;
  if (argc < 2 || cca_symbols_open(&symbols, NULL, &err) != CCA_OK ||
      cca_symbols_load(symbols, argv[1], NULL, &module, &err) != CCA_OK ||
      cca_symbols_lookup(module, "main", &symbol, 1, &count) != CCA_OK ||
      cca_symbols_find(module, symbol.offset, &frame, 1, &count) != CCA_OK)
    return 1;
  printf("%s at %s:%u, %s, ", frame.name, strrchr(frame.file, '/') + 1,
         frame.line,
         cca_symbols_find(module, ~0ull, &frame, 1, &count) == CCA_ERR_NOT_FOUND
             ? "not found"
             : "found");
  puts(cca_symbols_load(symbols, argv[1], "00", &other, &err) == CCA_ERR_STALE
           ? "stale"
           : "loaded");
  cca_symbols_unload(module);
  cca_symbols_close(symbols);
  return 0;
}
