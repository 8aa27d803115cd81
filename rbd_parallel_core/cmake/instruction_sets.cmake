# SPDX-License-Identifier: Apache-2.0

# rbd_add_kernels(LIBRARY SOURCE): compiles SOURCE once for each instruction set and adds it to LIBRARY. The source
# puts what it defines into the namespace RBD_ISA; which copy runs is decided when the program runs
# (src/backend/instruction_set.hpp).
function(rbd_add_kernels library source)
  set(options_baseline "")
  set(options_avx2 -mavx2 -mfma -mtune=haswell)
  set(sets baseline)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND sets avx2)
    target_compile_definitions(${library} PRIVATE RBD_HAS_AVX2)
  endif()
  get_filename_component(name ${source} NAME_WE)
  foreach(set IN LISTS sets)
    set(object ${library}_${name}_${set})
    add_library(${object} OBJECT ${source})
    rbd_compile_options(${object})
    target_compile_features(${object} PRIVATE cxx_std_20)
    target_compile_definitions(${object} PRIVATE RBD_ISA=${set})
    target_compile_options(${object} PRIVATE ${options_${set}})
    target_include_directories(${object} PRIVATE include)
    set_target_properties(${object} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_sources(${library} PRIVATE $<TARGET_OBJECTS:${object}>)
  endforeach()
endfunction()
