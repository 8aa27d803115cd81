# SPDX-License-Identifier: Apache-2.0
#
# The locale de_DE.UTF-8 for tests, made in the build folder: few machines have it installed.
find_program(LOCALEDEF localedef)
set(rbd_locales_dir ${CMAKE_CURRENT_BINARY_DIR}/locales)
if(LOCALEDEF AND EXISTS /usr/share/i18n/locales/de_DE)
  add_custom_command(
    OUTPUT ${rbd_locales_dir}/de_DE.UTF-8/LC_NUMERIC
    COMMAND ${CMAKE_COMMAND} -E make_directory ${rbd_locales_dir}
    COMMAND ${LOCALEDEF} --no-archive -i de_DE -f UTF-8 ${rbd_locales_dir}/de_DE.UTF-8
    COMMENT "Making the locale de_DE.UTF-8")
  add_custom_target(german_locale DEPENDS ${rbd_locales_dir}/de_DE.UTF-8/LC_NUMERIC)
endif()

# rbd_use_german_locale(TEST...)
function(rbd_use_german_locale)
  if(TARGET german_locale)
    foreach(test ${ARGN})
      add_dependencies(${test} german_locale)
      target_compile_definitions(${test} PRIVATE RBD_LOCALES_DIR="${rbd_locales_dir}")
    endforeach()
  endif()
endfunction()
