# SPDX-License-Identifier: Apache-2.0

# test_threads once more, compiled for ThreadSanitizer with what it tests. The other tests with threads, those of the kernels of
# "cuda" above all, take minutes under it: ./dev test --sanitize runs them.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_FLAGS -fsanitize=thread)
check_cxx_source_compiles("int main() {}" RBD_HAS_THREAD_SANITIZER)
unset(CMAKE_REQUIRED_FLAGS)
if(NOT RBD_HAS_THREAD_SANITIZER)
  message(STATUS "The compiler has no ThreadSanitizer: test_threads runs without it only")
  return()
endif()

# Nothing is inlined, not even what asks for it: with checks in them, the kernels would take the compiler minutes. What is added
# makes GCC see warnings that are none.
set(sanitizer -fsanitize=thread -O1 -g1 -fno-inline -Dalways_inline= -Wno-error)

# rbd_add_sanitized_test(NAME PROGRAM FILTER PROPERTIES...): the cases of PROGRAM that FILTER names, in one process.
function(rbd_add_sanitized_test name program filter)
  add_test(NAME ThreadSanitizer.${name} COMMAND ${program} --gtest_filter=${filter})
  set_tests_properties(ThreadSanitizer.${name} PROPERTIES ${ARGN})
endfunction()
set(clean ENVIRONMENT TSAN_OPTIONS=halt_on_error=1)
set(caught PASS_REGULAR_EXPRESSION "WARNING: ThreadSanitizer: data race")

# One instruction set is enough: who shares what with whom is the same in all.
get_target_property(library_sources rbd_parallel_core SOURCES)
list(FILTER library_sources INCLUDE REGEX "^src/")
# What makes a Model runs before there are threads, and the test calls nothing of study/, symbolic/, trajectory/ and no backend but
# cpu, reference and tree: the others are linked as they are, but for the file that knows which instruction sets there are.
set(compiled_parts "compiled_backend|encoder_x86|no_encoder|machine_code|register_allocation|robot_code|straight_line")
set(without_threads
  "src/(study/.*|symbolic/.*|trajectory/.*|backend/(auto|gpu)/.*|backend/compiled/(${compiled_parts})|model/(build_model|description.*|findings|generators|inertia_check|load_urdf|message_text|structure_check|urdf_.*))[.]cpp")
list(FILTER library_sources EXCLUDE REGEX ${without_threads})
list(TRANSFORM library_sources PREPEND ${PROJECT_SOURCE_DIR}/)
# So is the conformance suite: which calls there are, and whether two results are the same.
add_executable(test_threads_sanitized backend/test_threads.cpp ${library_sources} $<TARGET_OBJECTS:rbd_conformance_suite>
  $<FILTER:$<TARGET_OBJECTS:rbd_parallel_core>,INCLUDE,${without_threads}>)
rbd_compile_options(test_threads_sanitized)
target_compile_features(test_threads_sanitized PRIVATE cxx_std_20)
set_source_files_properties(backend/test_threads.cpp PROPERTIES COMPILE_DEFINITIONS RBD_CONFORMANCE_LINKED)
foreach(kernels IN ITEMS scalar_kernels pack_kernels)
  rbd_add_kernels(test_threads_sanitized ${PROJECT_SOURCE_DIR}/src/backend/kernels/${kernels}.cpp SETS baseline REALS double)
  target_compile_options(test_threads_sanitized_${kernels}_of_double_baseline PRIVATE ${sanitizer})
endforeach()
# Floats have the same code; they are linked as they are, since the kernels take long to compile. So are those for large trees
# and those for compiled robots: who computes what is decided outside of them.
foreach(kernels IN ITEMS pack_kernels_of_float scalar_kernels_of_float blocks_of_double blocks_of_float lone_blocks_of_double lone_blocks_of_float
    mass_matrix_kernels_of_double mass_matrix_kernels_of_float code_kernels_of_double code_kernels_of_float)
  target_sources(test_threads_sanitized PRIVATE $<TARGET_OBJECTS:rbd_parallel_core_${kernels}_baseline>)
endforeach()
target_include_directories(test_threads_sanitized PRIVATE
  ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src/model ${PROJECT_BINARY_DIR}/costs)
target_include_directories(test_threads_sanitized SYSTEM PRIVATE ${urdfdom_INCLUDE_DIRS} ${urdfdom_headers_INCLUDE_DIRS})
target_compile_options(test_threads_sanitized PRIVATE ${sanitizer})
target_link_options(test_threads_sanitized PRIVATE -fsanitize=thread)
target_link_libraries(test_threads_sanitized PRIVATE GTest::gtest GTest::gtest_main Eigen3::Eigen ${urdfdom_LIBRARIES}
  ${console_bridge_LIBRARIES} tinyxml2::tinyxml2 Threads::Threads)

rbd_add_sanitized_test(ManyBackends test_threads_sanitized Threads.OneModelManyBackends ${clean})
rbd_add_sanitized_test(SharedOutBatches test_threads_sanitized Threads.BackendsThatShareOut*:Threads.TreesThatAreSharedOut ${clean})

# The threads of a backend alone.
add_executable(test_team_sanitized backend/test_team.cpp ${PROJECT_SOURCE_DIR}/src/team.cpp)
rbd_compile_options(test_team_sanitized)
target_compile_features(test_team_sanitized PRIVATE cxx_std_20)
target_include_directories(test_team_sanitized PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
target_compile_options(test_team_sanitized PRIVATE -fsanitize=thread -O1 -g1)
target_link_options(test_team_sanitized PRIVATE -fsanitize=thread)
target_link_libraries(test_team_sanitized PRIVATE GTest::gtest GTest::gtest_main Threads::Threads)
rbd_add_sanitized_test(Team test_team_sanitized * ${clean})

rbd_add_sanitized_test(CatchesARacyBackend test_threads_sanitized RacyBackend.* ${caught})
