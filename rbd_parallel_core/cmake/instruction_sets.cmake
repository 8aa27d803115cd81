# SPDX-License-Identifier: Apache-2.0

# rbd_add_kernels(LIBRARY SOURCE SET...): compiles SOURCE once for each instruction set and adds it to LIBRARY. The source
# puts what it defines into the namespace RBD_ISA; which copy runs is decided when the program runs
# (include/rbd_parallel_core/instruction_set.hpp). Sets that the architecture does not have, or that RBD_INSTRUCTION_SETS does
# not name, are left out.
set(RBD_INSTRUCTION_SETS baseline avx2 avx512 CACHE STRING
  "Instruction sets to compile kernels for; baseline is always among them, and alone the build is quick")
function(rbd_add_kernels library source)
  set(options_baseline "")
  set(options_avx2 -mavx2 -mfma -mtune=haswell)
  # Without the last one GCC keeps to 256 bits.
  set(options_avx512 -mavx512f -mavx512cd -mavx512dq -mavx512bw -mavx512vl -mfma -mtune=skylake-avx512
    -mprefer-vector-width=512)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # A struct of packs that is copied in pieces narrower than the packs makes the next load of one wait for all of them.
    set(whole_packs --param=sra-max-scalarization-size-Ospeed=4096)
    list(APPEND options_baseline ${whole_packs})
    list(APPEND options_avx2 ${whole_packs})
    list(APPEND options_avx512 ${whole_packs})
    if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
      list(APPEND options_avx2 -mmove-max=256 -mstore-max=256)
      list(APPEND options_avx512 -mmove-max=512 -mstore-max=512)
    endif()
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    list(APPEND options_avx512 -Wno-maybe-uninitialized)  # false alarms in its own header, GCC bug 105593
  endif()
  get_filename_component(name ${source} NAME_WE)
  foreach(set IN LISTS ARGN)
    if(NOT set STREQUAL "baseline"
        AND NOT (set IN_LIST RBD_INSTRUCTION_SETS AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64"))
      continue()
    endif()
    string(TOUPPER ${set} upper)
    target_compile_definitions(${library} PRIVATE RBD_HAS_${upper})
    set(object ${library}_${name}_${set})
    add_library(${object} OBJECT ${source})
    rbd_compile_options(${object})
    target_compile_features(${object} PRIVATE cxx_std_20)
    target_compile_definitions(${object} PRIVATE RBD_ISA=${set})
    # Optimised in Debug builds too: what is not inlined there could be shared between instruction sets.
    target_compile_options(${object} PRIVATE ${options_${set}} $<$<CONFIG:Debug>:-O2>)
    target_include_directories(${object} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src/backend/kernels)
    target_link_libraries(${object} PRIVATE xsimd)
    set_target_properties(${object} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_sources(${library} PRIVATE $<TARGET_OBJECTS:${object}>)
  endforeach()
endfunction()
