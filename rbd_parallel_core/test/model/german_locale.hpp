// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clocale>
#include <cstdlib>
#include <string>

namespace rbd_parallel_core {

/// The C locale de_DE, with its decimal comma, until the end of the scope. The build makes one of
/// its own where it can (RBD_LOCALES_DIR), so that none need be installed.
class GermanLocale {
 public:
  GermanLocale() : before_(std::setlocale(LC_ALL, nullptr)) {
#ifdef RBD_LOCALES_DIR
    setenv("LOCPATH", RBD_LOCALES_DIR, 1);
#endif
    there_ = std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr;
  }
  ~GermanLocale() { std::setlocale(LC_ALL, before_.c_str()); }
  GermanLocale(const GermanLocale&) = delete;
  GermanLocale& operator=(const GermanLocale&) = delete;

  bool is_there() const { return there_; }
  static constexpr const char* why_not =
      "there is no locale de_DE.UTF-8, and none could be made (Debian package locales)";

 private:
  std::string before_;
  bool there_;
};

}  // namespace rbd_parallel_core
