// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>

// For the libraries behind peer.h: no exception may cross the C border.
namespace rbd_peer {

inline thread_local std::string last_error;

inline const char* error() { return last_error.c_str(); }

// Runs `body` and turns an exception into the text of error(). Returns what peer.h calls success.
template <typename Body>
int guarded(Body&& body) noexcept {
  try {
    body();
    return 0;
  } catch (const std::exception& e) {
    last_error = e.what();
  } catch (...) {
    last_error = "unknown exception";
  }
  return 1;
}

}  // namespace rbd_peer
