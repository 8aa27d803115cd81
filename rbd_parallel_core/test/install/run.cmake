# SPDX-License-Identifier: Apache-2.0

# Installs the built library into a folder of its own, builds the project beside this file against it, and runs that:
#   cmake -D BUILD=... -D WORK=... -D ROBOT=... -D GENERATOR=... -D COMPILER=... -D CONFIG=... -P run.cmake

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix --config ${CONFIG})
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/build -G ${GENERATOR}
  -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=${CONFIG} -DCMAKE_PREFIX_PATH=${WORK}/prefix)
run(${CMAKE_COMMAND} --build ${WORK}/build --config ${CONFIG})
run(${WORK}/build/torques ${ROBOT})
message("${output}")

# A line "joint: torque" for each of the seven joints, and a shoulder that holds the arm up.
string(REGEX MATCHALL "[^\n]+: -?[0-9]+[.][0-9]+\n" lines "${output}")
list(LENGTH lines count)
if(NOT count EQUAL 7)
  message(FATAL_ERROR "expected seven joints with a torque each, got ${count}")
endif()
if(NOT output MATCHES ": -?[1-9]")
  message(FATAL_ERROR "expected a joint that bears weight")
endif()
