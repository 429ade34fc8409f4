/* SPDX-License-Identifier: MIT */
/* def-end.h -- stands after the .def files: forgets the macros again. */
#undef ENUM_BEGIN
#undef ENUM
#undef ENUM_END
#undef FLAGS_BEGIN
#undef FLAG
#undef FLAGS_END
#undef NODE_OP
#undef CHUNK
#undef COLUMN
#undef END
#undef FIELD
#undef FIELD_ENUM
#undef FIELD_FLAGS
#undef FIELD_REF
#undef FIELD_OPT
#undef FIELD_RANGE
