// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <new>
#include <string>

namespace rbd_parallel_ros {

/// The reason why `action` failed, "" if it did not. Plugins may throw anything.
template <class Action>
std::string failure_of(const Action& action) {
  try {
    action();
    return "";
  } catch (const std::bad_alloc&) {
    return "not enough memory; a smaller max_batch needs less";
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "something was thrown that is no std::exception";
  }
}

}  // namespace rbd_parallel_ros
