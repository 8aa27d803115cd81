# SPDX-License-Identifier: Apache-2.0

# The options of every target of this project. Contraction is off because results must not depend on what a
# compiler happens to fuse; where a fused multiply-add is wanted the code says mul_add.
function(rbd_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -ffp-contract=off)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict)  # false alarms on "text" + std::string, GCC bug 105651
  endif()
  if(RBD_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
