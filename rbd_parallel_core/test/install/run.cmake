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
file(WRITE ${WORK}/disc.urdf "<robot name='disc'><link name='floor'/><link name='disc'><inertial><mass value='1'/>\
<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='slide' type='planar'>\
<parent link='floor'/><child link='disc'/><axis xyz='0 0 1'/></joint></robot>")
set(arm "${output}")
run(${WORK}/build/torques ${WORK}/disc.urdf)  # one joint, three coordinates
string(REGEX MATCHALL "slide: " lines "${output}")
list(LENGTH lines count)
if(NOT count EQUAL 3)
  message(FATAL_ERROR "expected a torque for each coordinate of the planar joint, got ${count}:\n${output}")
endif()
set(output "${arm}")
if(NOT output MATCHES ": -?[1-9]")
  message(FATAL_ERROR "expected a joint that bears weight")
endif()
