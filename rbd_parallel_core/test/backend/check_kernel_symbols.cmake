# SPDX-License-Identifier: Apache-2.0

# The trap of several instruction sets in one program: an inline function that two files emit is merged by the linker, and
# code made for AVX2 ends up where baseline code is wanted. So a file compiled for an instruction set may define no function
# that others can see. Checked by the symbol table of OBJECT; with -DEXPECT_FAILURE=ON an offender must be caught.
execute_process(COMMAND ${NM} --defined-only --extern-only --demangle ${OBJECT}
  OUTPUT_VARIABLE symbols RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${NM} could not read ${OBJECT}")
endif()
string(REPLACE "\n" ";" lines "${symbols}")
set(offenders "")
foreach(line IN LISTS lines)
  if(line MATCHES "^[0-9a-f]+ [TtWwi] ")  # code, whether weak or not
    string(APPEND offenders "  ${line}\n")
  endif()
endforeach()
if(EXPECT_FAILURE AND offenders STREQUAL "")
  message(FATAL_ERROR "the offender ${OBJECT} was not caught")
elseif(NOT EXPECT_FAILURE AND NOT offenders STREQUAL "")
  message(FATAL_ERROR "${OBJECT} defines symbols that the linker could share with other instruction sets:\n${offenders}")
endif()
