// SPDX-License-Identifier: Apache-2.0
#include "peer.hpp"

#include <dlfcn.h>

#include <stdexcept>

namespace rbd_bench {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error("peer Pinocchio: " + what);
}

// The wheel brings a urdfdom of its own, whose classes have the names but not the layout of the one
// this project links. RTLD_LOCAL hides the wheel's symbols from us. RTLD_DEEPBIND makes the wheel
// find its own symbols first; without it, it would call into our urdfdom (isolation_test.cpp). The
// price: the peer must not print, as its std::cout may not be the one that the program constructed.
const RbdPeerApi* load_api() {
  void* library = dlopen(RBD_PEER_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (library == nullptr) fail(dlerror());
  void* symbol = dlsym(library, RBD_PEER_API_SYMBOL);
  if (symbol == nullptr) fail(dlerror());
  return reinterpret_cast<RbdPeerApiFunction>(symbol)();
}

// The library stays loaded to the end: unloading it would buy nothing.
const RbdPeerApi* api() {
  static const RbdPeerApi* const loaded = load_api();
  return loaded;
}

}  // namespace

Peer::Peer(const std::string& urdf_xml, bool floating_base)
    : api_(api()), handle_(api_->create(urdf_xml.c_str(), floating_base ? 1 : 0)) {
  if (handle_ == nullptr) fail(api_->error());
}

Peer::~Peer() { api_->destroy(handle_); }

std::vector<std::string> Peer::joint_names() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < api_->joint_count(handle_); ++i) {
    names.emplace_back(api_->joint_name(handle_, i));
  }
  return names;
}

std::string Peer::version() { return api()->version(); }

void Peer::set_states(const States& states) {
  check(api_->set_states(handle_, states.count, states.q.data(), states.v.data(), states.a.data(),
                         states.tau.data()));
}

void Peer::run(RbdPeerOperation operation) { check(api_->run(handle_, operation)); }

std::vector<double> Peer::evaluate(RbdPeerOperation operation, std::size_t state) {
  const bool matrix = operation == RBD_PEER_CRBA_LOCAL || operation == RBD_PEER_CRBA_WORLD;
  std::vector<double> result(matrix ? nv() * nv() : nv());
  check(api_->evaluate(handle_, operation, state, result.data()));
  return result;
}

void Peer::check(int status) const {
  if (status != 0) fail(api_->error());
}

}  // namespace rbd_bench
