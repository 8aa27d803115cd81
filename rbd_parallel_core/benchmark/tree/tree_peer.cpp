// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <memory>
#include <stdexcept>

#include "chain.hpp"
#include "common/checks.hpp"
#include "operation.hpp"
#include "peer.hpp"
#include "rbd_parallel_core/backend.hpp"
#include "rbd_parallel_core/model/load_urdf.hpp"
#include "tree_cases.hpp"

namespace rbd_bench {
namespace {

namespace core = rbd_parallel_core;

constexpr const char* kPeerFile = "librbd_peer_pinocchio.so";
constexpr double kSkew = 0.3;
constexpr double kSameNumber = 1e-9;
constexpr std::array<std::size_t, 1> kFirst{0};

// One state of the chain, on both sides.
struct Chain {
  Chain(const PeerLibrary& library, std::size_t bodies)
      : urdf(chain_urdf(bodies, kSkew)),
        model(std::make_shared<const core::Model>(core::load_urdf_string(urdf))),
        peer(library, urdf, false, joint_names(*model)),
        states(random_states(1, bodies, false, bodies)) {
    peer.set_states(states);
  }

  static std::vector<std::string> joint_names(const core::Model& model) {
    std::vector<std::string> names;
    for (const auto& joint : model.joints()) names.push_back(joint.name);
    return names;
  }

  std::string urdf;
  std::shared_ptr<const core::Model> model;
  Peer peer;
  States states;
};

Runner ours(const Chain& chain, RbdPeerOperation operation, const char* name, int threads,
            std::vector<double>& results) {
  std::shared_ptr<core::Backend> backend = core::make_backend(name);
  backend->configure(chain.model, {.threads = threads});
  const States& s = chain.states;
  const char* family = backend->name() == "reference" ? "recursion" : "blocks";
  if (operation == RBD_PEER_CRBA) {
    return {family, threads,
            [&s, &results, backend] {
              require(backend->mass_matrix({.q = s.q, .mass_matrix = results}));
            },
            0.0};
  }
  if (operation == RBD_PEER_ABA) {
    return {
        family, threads,
        [&s, &results, backend] {
          require(backend->forward_dynamics({.q = s.q, .v = s.v, .tau = s.tau, .qdd = results}));
        },
        0.0};
  }
  return {family, threads,
          [&s, &results, backend] {
            require(backend->inverse_dynamics({.q = s.q, .v = s.v, .a = s.a, .tau = results}));
          },
          0.0};
}

void run_operation(Chain& chain, RbdPeerOperation operation, const TreeSettings& settings,
                   TreeReport& report) {
  const std::size_t n = chain.states.nv;
  std::vector<double> results(operation == RBD_PEER_CRBA ? n * n : n);
  std::vector<Runner> runners{ours(chain, operation, "reference", 1, results)};
  for (const int threads : settings.threads) {
    runners.push_back(ours(chain, operation, "tree", threads, results));
  }
  runners.front().pass();
  const std::vector<double> expected = results;
  for (Runner& runner : runners) {
    runner.pass();
    runner.disagreement = largest_difference(results, expected);
  }
  const auto variants = chain.peer.library().variants();
  for (std::size_t k = 0; k < variants.size(); ++k) {
    if (variants[k].operation != operation || variants[k].threads != 1) continue;
    const std::string way = variants[k].name;
    runners.push_back({chain.peer.library().name() + (way.empty() ? "" : " " + way), 1,
                       [&chain, k] { chain.peer.run(k); },
                       largest_difference(chain.peer.results(k, kFirst), expected)});
  }
  for (const Runner& runner : runners) {
    if (!(runner.disagreement < kSameNumber)) {
      throw std::runtime_error(runner.name + " disagrees with our recursion");
    }
  }
  std::vector<Samples> samples = sample(runners, settings.sampling);
  for (Runner& runner : runners) runner.pass = nullptr;
  const std::string part = std::string("peer ") + name_of(static_cast<Operation>(operation));
  report.cases.push_back({part, "chain", n, static_cast<std::int64_t>(n * (n + 1) / 2),
                          std::move(runners), std::move(samples)});
}

}  // namespace

void run_peer(std::size_t bodies, const TreeSettings& settings, TreeReport& report) {
  std::unique_ptr<PeerLibrary> library;
  try {
    library = std::make_unique<PeerLibrary>(kPeerFile);
  } catch (const std::exception& e) {
    report.left_out.push_back(std::string("Pinocchio: ") + e.what());
    return;
  }
  report.peer = library->name() + " " + library->version();
  Chain chain(*library, bodies);
  for (const RbdPeerOperation operation : {RBD_PEER_RNEA, RBD_PEER_CRBA, RBD_PEER_ABA}) {
    run_operation(chain, operation, settings, report);
  }
}

}  // namespace rbd_bench
