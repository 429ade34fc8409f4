#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Names of C++: demangled on demand; a function of the unit's own has the
# linker's name and not DWARF's short one; a template that two units define has
# the answers of the unit whose code was kept.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/symbols/symbols.bash
. "$here/symbols.bash"
need g++

cat >shape.h <<'END'
extern volatile int counter;
namespace shape {
template <class T> __attribute__((noinline)) T twice(T value) {
  return counter + value * 2;
}
struct Box {
  __attribute__((always_inline)) int size() const { return counter; }
};
}
END
cat >main.cc <<'END'
#include "shape.h"
volatile int counter;
int other();
namespace {
__attribute__((noinline)) int hidden() { return shape::Box().size(); }
}
int main() { return hidden() + shape::twice(3) + other(); }
END
cat >other.cc <<'END'
#include "shape.h"
int other() { return shape::twice(4); }
END
g++ -O1 -g main.cc other.cc -o prog

hidden=$(address_of prog _ZN12_GLOBAL__N_16hiddenEv)
allocs symbolize -fise prog "$hidden" >got
expect got <<'END'
_ZNK5shape3Box4sizeEv
shape.h:7
_ZN12_GLOBAL__N_16hiddenEv
main.cc:5
END
allocs symbolize -fiCse prog "$hidden" "$(address_of prog _ZN5shape5twiceIiEET_S1_)" >got
expect got <<'END'
shape::Box::size() const
shape.h:7
(anonymous namespace)::hidden()
main.cc:5
int shape::twice<int>(int)
shape.h:4
END

# One function, one scope, though two units describe it; and each name once.
allocs symbolize -e prog -o table
allocs dump table >text
name=$(sed -nE 's/^name @([0-9]+) linkage="_ZN5shape5twiceIiEET_S1_" pretty="int shape::twice<int>\(int\)"$/\1/p' text)
[ "$(grep -c "^scope @.* name=@$name " text)" = 1 ]
[ "$(grep -c '^scope @.* depth=1 ' text)" = 1 ] # the twin: others are there
