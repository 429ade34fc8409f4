#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Each public header compiles alone, as strict C11 and as strict C++11.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need g++

count=0
for header in "$source_dir"/include/ccallocs/*.h; do
  [ -e "$header" ] || break
  name=ccallocs/${header##*/}
  echo "#include <$name>" >alone.c
  cp alone.c alone.cc
  "$CCA_CC" -std=c11 -pedantic -Wall -Wextra -Werror \
    -I"$source_dir/include" -c alone.c
  g++ -std=c++11 -pedantic -Wall -Wextra -Werror \
    -I"$source_dir/include" -c alone.cc
  count=$((count + 1))
done
[ $count -gt 0 ]

# The twin: a header that leans on another one's include is refused.
mkdir -p bad/ccallocs
echo 'size_t cca_bad(void);' >bad/ccallocs/bad.h
echo '#include <ccallocs/bad.h>' >bad.c
not "$CCA_CC" -std=c11 -pedantic -Wall -Wextra -Werror -Ibad -c bad.c 2>/dev/null
