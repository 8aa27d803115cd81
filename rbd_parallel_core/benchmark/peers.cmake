# SPDX-License-Identifier: Apache-2.0
# The other libraries that the benchmark compares with. Those that are not installed are left out: Pinocchio and MuJoCo are
# looked for in Python_EXECUTABLE's packages, KDL on the system.

find_package(Eigen3 REQUIRED)
find_package(urdfdom_headers REQUIRED)
find_package(urdfdom REQUIRED)
find_package(OpenMP COMPONENTS CXX)
find_package(orocos_kdl QUIET)
find_package(Python REQUIRED COMPONENTS Interpreter)

if(NOT CMAKE_BUILD_TYPE MATCHES "^Rel")
  message(WARNING "The benchmark means something in a Release build only, this is '${CMAKE_BUILD_TYPE}'.")
endif()

# --- the peers: each a library of its own, loaded at run time ---------------------------------------

# Eigen aligns its types to the widest vectors it may use, so Pinocchio's side must be compiled for
# the same plain x86-64 as the wheel. Both use Eigen 3.4, whose layouts do not differ between patch
# releases.
get_directory_property(directory_options COMPILE_OPTIONS)
if("${CMAKE_CXX_FLAGS} ${directory_options}" MATCHES "-march=|-mavx")
  message(FATAL_ERROR "The benchmark's peers must be built without -march and -mavx flags.")
endif()

# wheel_folder(VARIABLE DISTRIBUTION FOLDER FILE): where the Python package has FOLDER, if FILE is in it.
function(wheel_folder variable distribution folder file)
  execute_process(
    COMMAND ${Python_EXECUTABLE} -c
            "import importlib.metadata as m; print(m.distribution('${distribution}').locate_file('${folder}'))"
    OUTPUT_VARIABLE found
    OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE missing
    ERROR_QUIET)
  if(missing OR NOT EXISTS "${found}/${file}")
    message(STATUS "Left out of the benchmark: ${Python_EXECUTABLE} does not have ${distribution}")
    set(found "")
  endif()
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()

# add_peer(NAME LIBRARY_FOLDER): from peer_NAME.cpp. Nothing but rbd_peer_api is visible from outside.
function(add_peer name library_folder)
  set(target rbd_peer_${name})
  add_library(${target} MODULE peer_${name}.cpp)
  target_compile_features(${target} PRIVATE cxx_std_20)
  rbd_compile_options(${target})
  target_compile_options(${target} PRIVATE -O3)
  set_target_properties(${target} PROPERTIES
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    BUILD_RPATH "${library_folder}")
  set_property(DIRECTORY APPEND PROPERTY rbd_peers ${target})
endfunction()

wheel_folder(pinocchio libpinocchio cmeel.prefix include/pinocchio/config.hpp)
if(pinocchio AND OpenMP_CXX_FOUND)
  add_peer(pinocchio "${pinocchio}/lib")
  # With the first definition the headers declare the wheel's compiled algorithms instead of compiling
  # them anew; the rest repeats what the wheel's CMake package asks its users to define. That package
  # itself is not used: it wants Boost, coal and urdfdom development packages that nothing here needs.
  # The headers of urdfdom come from the system: they only name types that stay inside the wheel.
  target_compile_definitions(rbd_peer_pinocchio PRIVATE
    PINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION
    PINOCCHIO_WITH_URDFDOM
    PINOCCHIO_URDFDOM_HEADERS_MAJOR_VERSION=3
    PINOCCHIO_URDFDOM_HEADERS_MINOR_VERSION=0
    PINOCCHIO_URDFDOM_HEADERS_PATCH_VERSION=0
    BOOST_MPL_LIMIT_LIST_SIZE=30
    BOOST_MPL_LIMIT_VECTOR_SIZE=30
    BOOST_MPL_CFG_NO_PREPROCESSED_HEADERS
    BOOST_FUSION_INVOKE_MAX_ARITY=12
    NDEBUG)
  target_include_directories(rbd_peer_pinocchio SYSTEM PRIVATE
    "${pinocchio}/include" ${urdfdom_headers_INCLUDE_DIRS})
  target_link_libraries(rbd_peer_pinocchio PRIVATE
    Eigen3::Eigen
    OpenMP::OpenMP_CXX
    "${pinocchio}/lib/libpinocchio_parsers.so"
    "${pinocchio}/lib/libpinocchio_default.so")
endif()

wheel_folder(mujoco mujoco-core mujoco include/mujoco/mujoco.h)
if(mujoco)
  file(GLOB mujoco_library "${mujoco}/libmujoco.so*")
  add_peer(mujoco "${mujoco}")
  target_include_directories(rbd_peer_mujoco SYSTEM PRIVATE "${mujoco}/include")
  target_link_libraries(rbd_peer_mujoco PRIVATE "${mujoco_library}")
endif()

if(orocos_kdl_FOUND)
  add_peer(kdl "")
  target_include_directories(rbd_peer_kdl SYSTEM PRIVATE
    ${orocos_kdl_INCLUDE_DIRS} ${urdfdom_INCLUDE_DIRS} ${urdfdom_headers_INCLUDE_DIRS})
  target_link_libraries(rbd_peer_kdl PRIVATE Eigen3::Eigen ${orocos_kdl_LIBRARIES} ${urdfdom_LIBRARIES})
else()
  message(STATUS "Left out of the benchmark: orocos_kdl is not found")
endif()

# What loads them (common/CMakeLists.txt) can be measured with them from now on.
get_directory_property(peers rbd_peers)
if(peers)
  add_dependencies(rbd_bench_common ${peers})
endif()
