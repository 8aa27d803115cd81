# SPDX-License-Identifier: Apache-2.0

# rbd_add_kernels(LIBRARY SOURCE SETS SET... [REALS REAL...] [CHOSEN_IN FILE...]): compiles SOURCE once for each instruction
# set, and for each of the REALS with RBD_REAL as that type, and adds it to LIBRARY. The source puts what it defines into the
# namespace RBD_ISA; which copy runs is decided when the program runs (include/rbd_parallel_core/instruction_set.hpp), by the
# files CHOSEN_IN, or else by any file of LIBRARY: these see RBD_HAS_<SET> for what was compiled. Where a file chooses, only
# that file is compiled again when the sets change.
# Sets that the architecture does not have, or that RBD_INSTRUCTION_SETS does not name, are left out. A machine with a set that
# SOURCE is not compiled for runs the best one below it. A build without baseline is quick, and runs only on machines that have
# one of its sets: a backend that is configured on another one says so.
set(RBD_INSTRUCTION_SETS baseline avx2 avx512 CACHE STRING
  "Instruction sets to compile kernels for; without baseline the library runs only on machines that have one of them")
set(RBD_ALL_INSTRUCTION_SETS baseline avx2 avx512)  # each contains the ones before

# rbd_wanted_sets(OUT SET...): those of the sets that are asked for, and where a better one is, the best of them
function(rbd_wanted_sets out)
  set(wanted "")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    foreach(asked IN LISTS RBD_INSTRUCTION_SETS)
      if(NOT asked IN_LIST RBD_ALL_INSTRUCTION_SETS)
        message(FATAL_ERROR "RBD_INSTRUCTION_SETS has '${asked}', expected some of ${RBD_ALL_INSTRUCTION_SETS}")
      endif()
      set(best "")
      foreach(set IN LISTS RBD_ALL_INSTRUCTION_SETS)
        if(set IN_LIST ARGN)
          set(best ${set})
        endif()
        if(set STREQUAL asked)
          break()
        endif()
      endforeach()
      list(APPEND wanted ${best})
    endforeach()
    list(REMOVE_DUPLICATES wanted)
  endif()
  if(NOT wanted)
    set(wanted baseline)  # the only one of other architectures
  endif()
  set(${out} ${wanted} PARENT_SCOPE)
endfunction()

function(rbd_add_kernels library source)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "SETS;REALS;CHOSEN_IN")
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
  rbd_wanted_sets(sets ${arg_SETS})
  foreach(set IN LISTS sets)
    string(TOUPPER ${set} upper)
    if(arg_CHOSEN_IN)
      set_property(SOURCE ${arg_CHOSEN_IN} APPEND PROPERTY COMPILE_DEFINITIONS RBD_HAS_${upper})
    else()
      target_compile_definitions(${library} PRIVATE RBD_HAS_${upper})
    endif()
    if(NOT arg_REALS)
      rbd_add_kernel_object(${library} ${source} ${library}_${name}_${set} RBD_ISA=${set})
    endif()
    foreach(real IN LISTS arg_REALS)
      rbd_add_kernel_object(${library} ${source} ${library}_${name}_of_${real}_${set} RBD_ISA=${set} RBD_REAL=${real})
    endforeach()
  endforeach()
endfunction()

# rbd_add_kernel_object(LIBRARY SOURCE OBJECT DEFINITIONS...): SOURCE for one instruction set. Call it in rbd_add_kernels.
function(rbd_add_kernel_object library source object)
  add_library(${object} OBJECT ${source})
  rbd_compile_options(${object})
  target_compile_features(${object} PRIVATE cxx_std_20)
  target_compile_definitions(${object} PRIVATE ${ARGN})
  # Optimised in Debug builds too: what is not inlined there could be shared between instruction sets.
  target_compile_options(${object} PRIVATE ${options_${set}} $<$<CONFIG:Debug>:-O2>)
  target_include_directories(${object} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src/backend/kernels)
  target_link_libraries(${object} PRIVATE xsimd)
  set_target_properties(${object} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_sources(${library} PRIVATE $<TARGET_OBJECTS:${object}>)
  if(NOT set STREQUAL "baseline")
    set_property(TARGET ${library} APPEND PROPERTY RBD_ACCELERATED_KERNELS ${object})
  endif()
endfunction()
