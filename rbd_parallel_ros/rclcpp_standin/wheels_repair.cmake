# SPDX-License-Identifier: Apache-2.0
#
# Repairs the CMake packages of the ROS 2 wheels from outside. Pass it to a project that uses them:
#
#     cmake ... -DCMAKE_PROJECT_TOP_LEVEL_INCLUDES=<this file>
#
# It is a dependency provider (CMake >= 3.24): it lets each find_package run as it is and then mends the imported
# targets that came with it. The wheels were made on a machine that yours is not; their files name libraries and folders
# of that machine, and their RPATHs were written for another layout.
cmake_minimum_required(VERSION 3.24)

# The wheels lie in the virtual environment that environment.sh puts on the search path.
set(RBD_WHEELS_PREFIX "$ENV{RBD_WHEELS_PREFIX}" CACHE PATH "Prefix that holds the ROS 2 wheels (a virtual environment)")
if(RBD_WHEELS_PREFIX STREQUAL "")
  message(FATAL_ERROR "wheels_repair.cmake: RBD_WHEELS_PREFIX is not set; source environment.sh first")
endif()

# Where a program finds the wheels' libraries at run time, without LD_LIBRARY_PATH.
file(GLOB _wheels_library_dirs LIST_DIRECTORIES true
  "${RBD_WHEELS_PREFIX}/lib/python3*/site-packages/ros_*.libs")
list(PREPEND _wheels_library_dirs "${RBD_WHEELS_PREFIX}/lib")
set(RBD_WHEELS_RPATH "${_wheels_library_dirs}" CACHE INTERNAL "")
file(GLOB _wheels_python "${RBD_WHEELS_PREFIX}/bin/python3")
if(NOT DEFINED Python3_EXECUTABLE AND _wheels_python)
  set(Python3_EXECUTABLE "${_wheels_python}" CACHE FILEPATH "The Python that the wheels were installed with")
endif()

# The shared libpython of that Python.
function(_wheels_find_libpython result)
  if(NOT RBD_WHEELS_LIBPYTHON)
    execute_process(
      COMMAND "${Python3_EXECUTABLE}" -c
        "import sysconfig as s, os.path as p; print(p.join(s.get_config_var('LIBDIR'), s.get_config_var('INSTSONAME')))"
      OUTPUT_VARIABLE library OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
    if(failed OR NOT EXISTS "${library}" OR NOT library MATCHES "\\.so")
      message(FATAL_ERROR "wheels_repair.cmake: no shared libpython (found '${library}'); "
        "make the virtual environment with a Python that has one")
    endif()
    set(RBD_WHEELS_LIBPYTHON "${library}" CACHE INTERNAL "")
  endif()
  set(${result} "${RBD_WHEELS_LIBPYTHON}" PARENT_SCOPE)
endfunction()

function(_wheels_repair_target target)
  if(target MATCHES "__rosidl_generator_py$")
    # Its include directories name the Python of the machine that made it.
    get_target_property(directories ${target} INTERFACE_INCLUDE_DIRECTORIES)
    set(kept "")
    foreach(directory IN LISTS directories)
      if(directory MATCHES "\\$<" OR EXISTS "${directory}")
        list(APPEND kept "${directory}")
      endif()
    endforeach()
    set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${kept}")
  elseif(target STREQUAL "fastdds" OR target STREQUAL "fastrtps")
    # Links a libtinyxml2 of that machine; the library itself brings its own.
    set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "")
  elseif(target STREQUAL "tracetools::tracetools")
    # Asks for the development files of lttng-ust; the library itself brings what it runs with.
    set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "dl")
  elseif(target STREQUAL "rcutils::rcutils")
    # librcl needs libraries with open Python symbols, so a program must bring libpython; and the libraries' own RPATHs
    # do not fit the place where pip puts them. An old-style RPATH of the program holds for what they load as well.
    _wheels_find_libpython(libpython)
    set(executable "$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>")
    set(options "LINKER:--disable-new-dtags")
    foreach(directory IN LISTS RBD_WHEELS_RPATH)
      list(APPEND options "LINKER:-rpath,${directory}" "LINKER:-rpath-link,${directory}")
    endforeach()
    list(APPEND options
      "$<${executable}:LINKER:--push-state,--no-as-needed>" "$<${executable}:${libpython}>"
      "$<${executable}:LINKER:--pop-state>")
    set_property(TARGET ${target} APPEND PROPERTY INTERFACE_LINK_OPTIONS "${options}")
  endif()
endfunction()

# A macro, so that what find_package sets reaches the caller.
macro(_wheels_provide_dependency method)
  find_package(${ARGN} BYPASS_PROVIDER)
  _wheels_repair_directory()
endmacro()

function(_wheels_repair_directory)
  get_property(targets DIRECTORY PROPERTY IMPORTED_TARGETS)
  get_property(repaired DIRECTORY PROPERTY _WHEELS_REPAIRED)
  foreach(target IN LISTS targets)
    if(NOT target IN_LIST repaired)
      _wheels_repair_target(${target})
    endif()
  endforeach()
  set_property(DIRECTORY PROPERTY _WHEELS_REPAIRED "${targets}")
endfunction()

cmake_language(SET_DEPENDENCY_PROVIDER _wheels_provide_dependency SUPPORTED_METHODS FIND_PACKAGE)
