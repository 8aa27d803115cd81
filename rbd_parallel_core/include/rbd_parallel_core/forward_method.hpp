// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rbd_parallel_core {

/// How forward dynamics is computed. Which of them a backend takes for a model is said by
/// Backend::offers.
enum class ForwardMethod : std::uint8_t {
  automatic,  ///< aba, or crba where the model has mimic joints
  aba,        ///< articulated bodies, O(n); not for models with mimic joints
  crba,       ///< mass matrix and its tree-sparse Cholesky factor
  two_port,   ///< aba by blocks of one tree side by side: what "tree" does where it can
  // Methods of the literature (PublishedMethod), for study, after Backend::prepare.
  jsiia,        ///< M from inverse dynamics, column by column
  hybrid_abia,  ///< articulated inertias one after the other, the rest as scans
  crba_sparse,  ///< M by CRBA and its factor, both without their zeros
  dca,          ///< divide and conquer down to single bodies
  dcae,         ///< divide and conquer down to blocks of bodies
};
inline constexpr ForwardMethod all_forward_methods[] = {
    ForwardMethod::automatic,   ForwardMethod::aba,   ForwardMethod::crba,
    ForwardMethod::two_port,    ForwardMethod::jsiia, ForwardMethod::hybrid_abia,
    ForwardMethod::crba_sparse, ForwardMethod::dca,   ForwardMethod::dcae};

/// Its name as it stands above.
std::string name_of(ForwardMethod method);
std::optional<ForwardMethod> forward_method_of(std::string_view name);

}  // namespace rbd_parallel_core
