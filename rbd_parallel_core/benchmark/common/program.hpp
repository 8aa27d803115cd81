// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>

namespace rbd_bench {

// What main() returns: 0, or 1 after it has said what run() threw.
template <class Run>
int run_program(const char* name, Run&& run) {
  try {
    run();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 1;
  }
}

inline void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error("cannot write '" + path + "'");
}

}  // namespace rbd_bench
