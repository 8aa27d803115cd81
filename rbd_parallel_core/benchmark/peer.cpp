// SPDX-License-Identifier: Apache-2.0
#include "peer.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace rbd_bench {
namespace {

constexpr std::size_t kFloatingNv = 6;

// How many matrices of nv x nv the result for one state is; none means nv numbers.
std::size_t matrices_of(RbdPeerOperation operation) {
  switch (operation) {
    case RBD_PEER_RNEA:
    case RBD_PEER_ABA:
      return 0;
    case RBD_PEER_CRBA:
      return 1;
    case RBD_PEER_RNEA_DERIVATIVES:
      return 2;
    case RBD_PEER_ABA_DERIVATIVES:
      return 3;
  }
  throw std::invalid_argument("unknown operation of a peer");
}

// A wheel brings a urdfdom of its own, whose classes have the names but not the layout of the one
// this project links. RTLD_LOCAL hides the wheel's symbols from us. RTLD_DEEPBIND makes the wheel
// find its own symbols first; without it, it would call into our urdfdom (isolation_test.cpp). The
// price: a peer must not print, as its std::cout may not be the one that the program constructed.
const RbdPeerApi* load_api(const std::string& file) {
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (library == nullptr) throw std::runtime_error(dlerror());
  void* symbol = dlsym(library, RBD_PEER_API_SYMBOL);
  if (symbol == nullptr) throw std::runtime_error(dlerror());
  return reinterpret_cast<RbdPeerApiFunction>(symbol)();
}

}  // namespace

PeerLibrary::PeerLibrary(const std::string& file) : api_(load_api(file)) {}

std::span<const RbdPeerVariant> PeerLibrary::variants() const {
  std::size_t count = 0;
  const RbdPeerVariant* list = api_->variants(&count);
  return {list, count};
}

Peer::Peer(const PeerLibrary& library, const std::string& urdf_xml, bool floating_base,
           const std::vector<std::string>& joint_names)
    : library_(&library), handle_(library.api().create(urdf_xml.c_str(), floating_base ? 1 : 0)) {
  if (handle_ == nullptr) fail(library.api().error());
  try {
    find_order(floating_base, joint_names);
  } catch (...) {
    library_->api().destroy(handle_);
    throw;
  }
}

Peer::~Peer() { library_->api().destroy(handle_); }

void Peer::find_order(bool floating_base, const std::vector<std::string>& joint_names) {
  const RbdPeerApi& api = library_->api();
  std::vector<std::string> theirs;
  for (std::size_t i = floating_base ? 1 : 0; i < api.joint_count(handle_); ++i) {
    theirs.emplace_back(api.joint_name(handle_, i));
  }
  for (const std::string& name : joint_names) {
    const auto found = std::find(theirs.begin(), theirs.end(), name);
    if (found == theirs.end()) fail("it has no joint named '" + name + "'");
    order_.push_back(static_cast<std::size_t>(found - theirs.begin()));
  }
  base_nv_ = floating_base ? kFloatingNv : 0;
  if (theirs.size() != order_.size() || nv() != base_nv_ + order_.size()) {
    fail("it has " + std::to_string(theirs.size()) + " joints, expected " +
         std::to_string(order_.size()));
  }
}

bool Peer::has_finite_differences() const {
  const auto variants = library_->variants();
  return std::any_of(variants.begin(), variants.end(),
                     [](const RbdPeerVariant& variant) { return variant.finite_differences != 0; });
}

std::vector<double> Peer::to_peer(const std::vector<double>& rows, std::size_t width) const {
  std::vector<double> result = rows;
  const std::size_t first = width - order_.size();
  for (std::size_t row = 0; row < rows.size(); row += width) {
    for (std::size_t i = 0; i < order_.size(); ++i) {
      result[row + first + order_[i]] = rows[row + first + i];
    }
  }
  return result;
}

void Peer::set_states(const States& states) {
  const std::vector<double> q = to_peer(states.q, states.nq), v = to_peer(states.v, states.nv),
                            a = to_peer(states.a, states.nv), tau = to_peer(states.tau, states.nv);
  check(
      library_->api().set_states(handle_, states.count, q.data(), v.data(), a.data(), tau.data()));
}

void Peer::run(std::size_t variant) { check(library_->api().run(handle_, variant)); }

std::vector<double> Peer::results(std::size_t variant, std::span<const std::size_t> states) {
  const std::size_t matrices = matrices_of(library_->variants()[variant].operation);
  const std::size_t n = nv(), rows = matrices > 0 ? matrices * n : 1;
  std::vector<double> theirs(states.size() * rows * n), result;
  check(library_->api().results(handle_, variant, states.size(), states.data(), theirs.data()));

  std::vector<std::size_t> place(n);  // Of each of our coordinates in the peer.
  std::iota(place.begin(), place.end(), std::size_t{0});
  for (std::size_t i = 0; i < order_.size(); ++i) place[base_nv_ + i] = base_nv_ + order_[i];
  for (std::size_t k = 0; k < states.size(); ++k) {
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t row = k * rows + (matrices > 0 ? i / n * n + place[i % n] : 0);
      for (std::size_t j = 0; j < n; ++j) result.push_back(theirs[row * n + place[j]]);
    }
  }
  return result;
}

void Peer::fail(const std::string& what) const {
  throw std::runtime_error(library_->name() + ": " + what);
}

void Peer::check(int status) const {
  if (status != 0) fail(library_->api().error());
}

}  // namespace rbd_bench
