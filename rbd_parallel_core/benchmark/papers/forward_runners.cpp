// SPDX-License-Identifier: Apache-2.0
#include "forward_runners.hpp"

#include <algorithm>
#include <stdexcept>

#include "chain_texts.hpp"
#include "common/checks.hpp"
#include "rbd_parallel_core/backend.hpp"
#include "rbd_parallel_core/model/generators.hpp"
#include "rbd_parallel_core/study/jsiia.hpp"

namespace rbd_bench {
namespace {

namespace core = rbd_parallel_core;

std::shared_ptr<core::Backend> backend(const char* name, std::shared_ptr<const core::Model> model,
                                       const core::BackendOptions& options) {
  std::shared_ptr<core::Backend> made = core::make_backend(name);
  made->configure(std::move(model), options);
  return made;
}

Runner by_backend(const Tree& chain, std::vector<double>& qdd, std::string name, int threads,
                  std::shared_ptr<core::Backend> computes) {
  return {std::move(name), threads,
          [&chain, &qdd, computes = std::move(computes)] {
            core::StateStatus status;
            require(computes->forward_dynamics(
                {.q = chain.q, .v = chain.v, .tau = chain.a, .qdd = qdd, .status = {&status, 1}}));
            require(status);
          },
          0.0};
}

// M from the torques of unit accelerations, which the backend `cpu` computes as one batch.
class BatchedJsiia {
 public:
  BatchedJsiia(const Tree& chain, int threads)
      : chain_(chain),
        units_(chain.bodies() * chain.bodies()),
        columns_(units_.size()),
        diagonal_(chain.bodies()),
        bias_(backend("cpu", chain.model, {})),
        at_rest_(
            backend("cpu", weightless(chain), {.max_batch = chain.bodies(), .threads = threads})) {
    for (std::size_t k = 0; k < chain.bodies(); ++k) {
      positions_.insert(positions_.end(), chain.q.begin(), chain.q.end());
    }
  }

  void operator()(std::vector<double>& qdd) {
    const double singular = core::jsiia<double>(
        chain_.model->view(), {units_.data(), columns_.data(), diagonal_.data()},
        [&](core::OutRow<double> out) {
          require(bias_->bias_forces(
              {.q = chain_.q, .v = chain_.v, .tau = {out.data, chain_.bodies()}}));
        },
        [&](const double*, double*, std::int32_t) {
          require(at_rest_->inverse_dynamics(
              {.batch = chain_.bodies(), .q = positions_, .v = {}, .a = units_, .tau = columns_}));
        },
        core::Row<double>{chain_.a.data()}, core::OutRow<double>{qdd.data()});
    if (singular != 0) throw std::runtime_error("a state was refused");
  }

 private:
  static std::shared_ptr<const core::Model> weightless(const Tree& chain) {
    core::ModelOptions options;
    options.gravity = {0, 0, 0};
    return std::make_shared<const core::Model>(
        core::build_model(core::describe_auto_tree({.bodies = static_cast<int>(chain.bodies()),
                                                    .skew = chain.shape.skew}),
                          options));
  }

  const Tree& chain_;
  std::vector<double> units_, columns_, diagonal_, positions_;
  std::shared_ptr<core::Backend> bias_, at_rest_;
};

}  // namespace

template <class Kernel>
Runner ForwardRunners::by_text(std::string name, int threads, int blocks, double share,
                               Kernel kernel) const {
  const auto texts = std::make_shared<ChainTexts>(chain_, blocks, share);
  const auto loop = threads > 1 ? std::make_shared<TeamLoop>(threads) : nullptr;
  return {std::move(name), threads,
          [texts, loop, kernel, &qdd = qdd_] {
            if (loop == nullptr) {
              kernel(texts->context(), nullptr);
            } else {
              loop->call([&] { kernel(texts->context(), loop.get()); });
            }
            std::copy(texts->qdd().begin(), texts->qdd().end(), qdd.begin());
          },
          0.0};
}

Runner ForwardRunners::reference() const {
  return by_backend(chain_, qdd_, "ABA, reference", 1, backend("reference", chain_.model, {}));
}

Runner ForwardRunners::two_port(int threads) const {
  return by_backend(chain_, qdd_, "two-port", threads,
                    backend("tree", chain_.model, {.threads = threads}));
}

Runner ForwardRunners::text_aba() const {
  return by_text("ABA", 1, 1, 0.5,
                 [](const TextContext& c, const Threads*) { text_kernels().aba(c); });
}

Runner ForwardRunners::dcae(std::string name, int threads, int blocks,
                            double terminal_share) const {
  return by_text(std::move(name), threads, blocks, terminal_share, text_kernels().dcae);
}

Runner ForwardRunners::dca(int threads) const {
  return by_text("DCA", threads, 1, 0.5, text_kernels().dca);
}

Runner ForwardRunners::hybrid_abia(int threads) const {
  return by_text("hybrid ABIA", threads, 1, 0.5, text_kernels().hybrid_abia);
}

Runner ForwardRunners::serial_jsiia() const {
  const auto methods = std::make_shared<core::ForwardMethods<double>>();
  methods->configure(chain_.model, {.methods = {core::PublishedMethod::jsiia}});
  return {"JSIIA, serial", 1,
          [methods, &chain = chain_, &qdd = qdd_] {
            core::StateStatus status;
            require(methods->forward_dynamics(core::PublishedMethod::jsiia, chain.q, chain.v,
                                              chain.a, qdd, &status));
            require(status);
          },
          0.0};
}

Runner ForwardRunners::batched_jsiia(int threads) const {
  return {"JSIIA, batch", threads,
          [solve = std::make_shared<BatchedJsiia>(chain_, threads), &qdd = qdd_] { (*solve)(qdd); },
          0.0};
}

}  // namespace rbd_bench
