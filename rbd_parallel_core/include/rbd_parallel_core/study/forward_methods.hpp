// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rbd_parallel_core/forward_method.hpp"
#include "rbd_parallel_core/model/model.hpp"
#include "rbd_parallel_core/status.hpp"

/// Forward dynamics by the methods of the literature, for study and comparison: by themselves here,
/// or of a Backend after Backend::prepare. What one wants are aba and crba (docs/algorithms.md,
/// "Other ways to forward dynamics").
namespace rbd_parallel_core {

enum class PublishedMethod : std::uint8_t {
  jsiia,        ///< M from inverse dynamics, column by column (Yang, Wu, Pan)
  hybrid_abia,  ///< articulated inertias one after the other, the rest as scans (Yang, Wu, Pan)
  crba_sparse,  ///< M by CRBA and its factor, both without their zeros (Featherstone 2005)
  dca,          ///< divide and conquer down to single bodies (Featherstone 1999)
  dcae,         ///< divide and conquer down to blocks of bodies (Critchley, Anderson, Binani 2007)
};
inline constexpr PublishedMethod published_methods[] = {
    PublishedMethod::jsiia, PublishedMethod::hybrid_abia, PublishedMethod::crba_sparse,
    PublishedMethod::dca, PublishedMethod::dcae};

const char* name_of(PublishedMethod method);
/// None for those that are no method of the literature.
std::optional<PublishedMethod> published_method_of(ForwardMethod method) noexcept;
ForwardMethod forward_method_of(PublishedMethod method) noexcept;

struct ForwardMethodsOptions {
  /// What shall be computed; empty: all that the model allows.
  std::vector<PublishedMethod> methods = {};
  int blocks = 2;  ///< dcae: so many, at most one for each body
  /// dcae: how many of the bodies are in the last block, whose end is free and which costs less
  /// than half as much a body. 0: three times as many as in another one, the optimum of the paper.
  double terminal_share = 0;
  bool friction = false;  ///< include damping qd + friction sign(qd)
};

/// Why this model rules out the method, and which methods it allows; empty where it does not.
std::string refusal(const Model& model, PublishedMethod method,
                    const ForwardMethodsOptions& options = {});

/// One state at a time, in the calling thread.
template <class Real>
class ForwardMethods {
 public:
  ForwardMethods();
  ForwardMethods(ForwardMethods&&) noexcept;
  ForwardMethods& operator=(ForwardMethods&&) noexcept;
  ~ForwardMethods();

  /// Takes all memory. Throws std::invalid_argument for no model, fewer than one block, a share
  /// outside of 0 <= share < 1, and for methods asked for that the model rules out, with refusal().
  void configure(std::shared_ptr<const Model> model, const ForwardMethodsOptions& options = {});

  /// Whether it was configured for that method.
  bool offers(PublishedMethod method) const noexcept;

  /// qdd = M^-1 (tau - C v - g - [friction]). q: nq; v, tau: nv, or empty for zero; qdd: out, nv.
  /// status: how the state went, may be null. As in a Backend, qdd is NaN where that is not ok;
  /// dca finds no motion singular, since bodies that could make it so are refused. A method that is
  /// not offered gives Code::unsupported.
  Result forward_dynamics(PublishedMethod method, std::span<const Real> q, std::span<const Real> v,
                          std::span<const Real> tau, std::span<Real> qdd,
                          StateStatus* status = nullptr) noexcept;

 private:
  struct Configured;
  std::unique_ptr<Configured> configured_;
};

extern template class ForwardMethods<double>;
extern template class ForwardMethods<float>;

}  // namespace rbd_parallel_core
