// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/forward_method.hpp"

namespace rbd_parallel_core {

std::string name_of(ForwardMethod method) {
  switch (method) {
    case ForwardMethod::automatic:
      return "automatic";
    case ForwardMethod::aba:
      return "aba";
    case ForwardMethod::crba:
      return "crba";
    case ForwardMethod::two_port:
      return "two_port";
    case ForwardMethod::jsiia:
      return "jsiia";
    case ForwardMethod::hybrid_abia:
      return "hybrid_abia";
    case ForwardMethod::crba_sparse:
      return "crba_sparse";
    case ForwardMethod::dca:
      return "dca";
    case ForwardMethod::dcae:
      return "dcae";
  }
  return "unknown";
}

std::optional<ForwardMethod> forward_method_of(std::string_view name) {
  for (const ForwardMethod method : all_forward_methods) {
    if (name_of(method) == name) return method;
  }
  return std::nullopt;
}

}  // namespace rbd_parallel_core
