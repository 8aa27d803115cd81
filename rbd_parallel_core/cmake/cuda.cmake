# SPDX-License-Identifier: Apache-2.0
set(RBD_CUDA AUTO CACHE STRING "Build the backend cuda: AUTO (where a CUDA toolkit is found), ON or OFF")
set_property(CACHE RBD_CUDA PROPERTY STRINGS AUTO ON OFF)
set(RBD_CUDA_ARCHITECTURES "" CACHE STRING "Devices that the backend cuda is compiled for; empty: all that the toolkit knows of 75 to 120")
set(RBD_OLDEST_CUDA 12)  # the first with C++20

# make_backend("cuda") looks for the library beside this one.
set_target_properties(rbd_parallel_core PROPERTIES BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN;${CMAKE_INSTALL_RPATH}")

# The host side of the backend "cuda". It knows no CUDA: what it asks of a device is a table.
add_library(rbd_gpu_host_side OBJECT EXCLUDE_FROM_ALL
  src/backend/gpu/host/device_blocks.cpp
  src/backend/gpu/host/device_check.cpp
  src/backend/gpu/host/device_mass_matrix.cpp
  src/backend/gpu/host/gpu_arrays.cpp
  src/backend/gpu/host/gpu_backend.cpp
  src/backend/gpu/host/gpu_derivatives.cpp
  src/backend/gpu/host/gpu_plan.cpp
  src/backend/gpu/host/gpu_queue.cpp
  src/backend/gpu/host/gpu_tree.cpp)
rbd_compile_options(rbd_gpu_host_side)
set_target_properties(rbd_gpu_host_side PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(rbd_gpu_host_side PUBLIC src/backend)
target_link_libraries(rbd_gpu_host_side PUBLIC rbd_parallel_core)

# rbd_kernel_options(TARGET): how kernels are compiled. The sources fuse by themselves, as on a CPU. Pragmas of GCC are for GCC; what
# `if constexpr` leaves out is unused.
function(rbd_kernel_options target)
  set(kernels_are_errors $<$<BOOL:${RBD_WARNINGS_AS_ERRORS}>:SHELL:-Werror=all-warnings>)
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-std=c++20 -fmad=false --extended-lambda --expt-relaxed-constexpr -diag-suppress=1675,177>"
    $<$<COMPILE_LANGUAGE:CUDA>:${kernels_are_errors}>)
endfunction()

# rbd_cuda_architectures(OUT): the devices to compile for. The last one brings PTX, for those to come, and the first for those
# in between, such as 87.
function(rbd_cuda_architectures out)
  if(RBD_CUDA_ARCHITECTURES)
    set(devices ${RBD_CUDA_ARCHITECTURES})
  elseif(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.8)
    set(devices 75 80-real 86-real 89-real 90)
  else()
    set(devices 75 80-real 86-real 89-real 90-real 100-real 120)
  endif()
  set(${out} ${devices} PARENT_SCOPE)
endfunction()

# rbd_add_cuda_kernels(LIBRARY REAL): compiles all kernels of doubles or floats and adds them to LIBRARY.
function(rbd_add_cuda_kernels library real)
  set(kernels ${library}_of_${real})
  add_library(${kernels} OBJECT
    src/backend/gpu/cuda/blocks.cu
    src/backend/gpu/cuda/cub_scans.cu
    src/backend/gpu/cuda/derivatives.cu
    src/backend/gpu/cuda/mass_matrix.cu
    src/backend/gpu/cuda/scans.cu
    src/backend/gpu/cuda/states.cu)
  target_compile_definitions(${kernels} PRIVATE RBD_REAL=${real})
  target_include_directories(${kernels} PRIVATE include src/backend)
  rbd_kernel_options(${kernels})
  target_compile_options(${kernels} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-Xptxas=-v>)
  rbd_cuda_architectures(architectures)
  set_target_properties(${kernels} PROPERTIES
    POSITION_INDEPENDENT_CODE ON
    CUDA_ARCHITECTURES "${architectures}"
    CUDA_RUNTIME_LIBRARY Static
    # What ptxas says about the kernels is kept beside the objects.
    CUDA_COMPILER_LAUNCHER ${CMAKE_CURRENT_SOURCE_DIR}/cmake/keep_ptxas_report)
  target_sources(${library} PRIVATE $<TARGET_OBJECTS:${kernels}>)
endfunction()

# rbd_add_cuda(): the library with the kernels, which make_backend("cuda") loads.
function(rbd_add_cuda)
  find_package(CUDAToolkit ${RBD_OLDEST_CUDA} REQUIRED)
  add_library(rbd_parallel_cuda SHARED
    src/backend/gpu/cuda/cuda_api.cpp
    src/backend/gpu/cuda/cuda_backend.cpp
    $<TARGET_OBJECTS:rbd_gpu_host_side>)
  rbd_add_cuda_kernels(rbd_parallel_cuda double)
  rbd_add_cuda_kernels(rbd_parallel_cuda float)
  add_library(rbd_parallel_core::rbd_parallel_cuda ALIAS rbd_parallel_cuda)
  target_include_directories(rbd_parallel_cuda PRIVATE src/backend)
  target_link_libraries(rbd_parallel_cuda PUBLIC rbd_parallel_core PRIVATE CUDA::cudart_static)
  target_compile_features(rbd_parallel_cuda PUBLIC cxx_std_20)
  target_compile_options(rbd_parallel_cuda PRIVATE -Wall -Wextra -Wshadow -Wconversion -ffp-contract=off)
  set_target_properties(rbd_parallel_cuda PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)
  install(TARGETS rbd_parallel_cuda EXPORT export_rbd_parallel_core LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

if(RBD_CUDA)
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(CMAKE_CUDA_COMPILER nvcc PATHS /usr/local/cuda/bin)
    if(NOT CMAKE_CUDA_COMPILER)
      unset(CMAKE_CUDA_COMPILER CACHE)
    endif()
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_ARCHITECTURES OFF)  # the target says
    enable_language(CUDA)
  endif()
  if(CMAKE_CUDA_COMPILER_LOADED AND NOT CMAKE_CUDA_COMPILER_VERSION VERSION_LESS RBD_OLDEST_CUDA)
    rbd_add_cuda()
  elseif(CMAKE_CUDA_COMPILER_LOADED)
    set(too_old "The CUDA toolkit is of version ${CMAKE_CUDA_COMPILER_VERSION}, needed is ${RBD_OLDEST_CUDA} or later")
    if(RBD_CUDA STREQUAL "AUTO")
      message(STATUS "${too_old}: the backend cuda is not built")
    else()
      message(FATAL_ERROR "RBD_CUDA is ON. ${too_old}: set CUDACXX to a newer nvcc, or RBD_CUDA to OFF")
    endif()
  elseif(RBD_CUDA STREQUAL "AUTO")
    message(STATUS "No CUDA toolkit was found: the backend cuda is not built")
  else()
    message(FATAL_ERROR "RBD_CUDA is ON and no CUDA toolkit was found: set CUDACXX, or RBD_CUDA to OFF")
  endif()
endif()

# Counts flops and bytes of the kernels; needs no CUDA.
add_executable(rbd_gpu_counts EXCLUDE_FROM_ALL benchmark/gpu/rbd_gpu_counts.cpp)
rbd_compile_options(rbd_gpu_counts)
target_include_directories(rbd_gpu_counts PRIVATE benchmark test/algorithm)
target_link_libraries(rbd_gpu_counts PRIVATE rbd_parallel_core)
