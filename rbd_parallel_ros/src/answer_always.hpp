// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <new>
#include <string>

#include "request_error.hpp"

namespace rbd_parallel_ros {

/// Fills `out` by compute(out), or with the reason why that failed and nothing else. No exception
/// leaves it: nothing that a client sends may end the node.
template <class Response, class Compute>
void answer_always(Response& out, const Compute& compute) {
  const auto refuse = [&out](ErrorCode code, const std::string& message) {
    out = Response{};
    out.error_code = static_cast<std::uint16_t>(code);
    out.error_msg = message;
  };
  try {
    compute(out);
  } catch (const RequestError& error) {
    refuse(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    refuse(ErrorCode::internal_error, "not enough memory for this request; send smaller batches");
  } catch (const std::exception& error) {
    refuse(ErrorCode::internal_error, std::string("unexpected error: ") + error.what());
  } catch (...) {
    refuse(ErrorCode::internal_error, "unexpected error of unknown type");
  }
}

}  // namespace rbd_parallel_ros
