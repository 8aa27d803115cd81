// SPDX-License-Identifier: Apache-2.0
//
// A and B against finite differences of the step, which is written here once more from integrate
// and forward dynamics; and what a call does with bad states, bad arguments, threads and memory.

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "backend/allocation_counter.hpp"
#include "rbd_parallel_core/model/configuration.hpp"
#include "rbd_parallel_core/model/load_urdf.hpp"
#include "rbd_parallel_core/testing/backend_calls.hpp"
#include "rbd_parallel_core/trajectory/linearize.hpp"

namespace rbd_parallel_core {
namespace {

using conformance::Batch;
using conformance::Robot;
using Numbers = std::vector<double>;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::size_t index(int k) { return static_cast<std::size_t>(k); }

void require(const Result& result) {
  if (!result.ok()) throw std::runtime_error(message(result));
}

Numbers added(const Numbers& x, double h, const Numbers& y) {
  Numbers sum = x;
  for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += h * y[k];
  return sum;
}

struct State {
  Numbers q, v;
};

/// The definition of the schemes, one state at a time.
class Stepper {
 public:
  Stepper(std::shared_ptr<const Model> model, bool friction) : model_(std::move(model)) {
    backend_->configure(model_, {.friction = friction});
  }

  Numbers integrated(const Numbers& q, const Numbers& v, double dt) const {
    Numbers next(q.size());
    require(integrate<double>(*model_, {.q = q, .v = v, .dt = dt, .next = next}));
    return next;
  }
  Numbers acceleration(const State& x, const Numbers& tau, const ExternalWrenches& f_ext) {
    Numbers qdd(x.v.size());
    require(
        backend_->forward_dynamics({.q = x.q, .v = x.v, .tau = tau, .f_ext = f_ext, .qdd = qdd}));
    return qdd;
  }
  State step(const State& x, const Numbers& tau, double dt, StepScheme scheme,
             const ExternalWrenches& f_ext = {}) {
    const Numbers a1 = acceleration(x, tau, f_ext);
    if (scheme == StepScheme::semi_implicit_euler) {
      const Numbers v = added(x.v, dt, a1);
      return {integrated(x.q, v, dt), v};
    }
    const State x2{integrated(x.q, x.v, dt / 2), added(x.v, dt / 2, a1)};
    const Numbers a2 = acceleration(x2, tau, f_ext);
    const State x3{integrated(x.q, x2.v, dt / 2), added(x.v, dt / 2, a2)};
    const Numbers a3 = acceleration(x3, tau, f_ext);
    const State x4{integrated(x.q, x3.v, dt), added(x.v, dt, a3)};
    const Numbers a4 = acceleration(x4, tau, f_ext);
    const auto mean = [](const Numbers& one, const Numbers& two, const Numbers& three,
                         const Numbers& four) {
      Numbers result(one.size());
      for (std::size_t k = 0; k < one.size(); ++k) {
        result[k] = (one[k] + 2 * two[k] + 2 * three[k] + four[k]) / 6;
      }
      return result;
    };
    return {integrated(x.q, mean(x.v, x2.v, x3.v, x4.v), dt), added(x.v, dt, mean(a1, a2, a3, a4))};
  }
  /// (q - q0, v - v0), in the tangent space of q0.
  Eigen::VectorXd difference_of(const State& x0, const State& x) const {
    const auto nv = static_cast<Eigen::Index>(x.v.size());
    Numbers dq(x.v.size());
    require(difference<double>(*model_, {.q0 = x0.q, .q1 = x.q, .v = dq}));
    Eigen::VectorXd result(2 * nv);
    for (Eigen::Index k = 0; k < nv; ++k) {
      const auto at = static_cast<std::size_t>(k);
      result[k] = dq[at];
      result[nv + k] = x.v[at] - x0.v[at];
    }
    return result;
  }

 private:
  std::shared_ptr<const Model> model_;
  std::unique_ptr<Backend> backend_ = make_backend("reference");
};

std::string name_of_robot(const testing::TestParamInfo<Robot>& info) { return info.param.name; }

class LinearizedStep : public testing::TestWithParam<Robot> {
 protected:
  static constexpr double dt = 0.02;

  LinearizedStep()
      : model_(std::make_shared<const Model>(GetParam().model())),
        batch_(conformance::random_batch(*model_, 1, 71)),
        nv_(model_->nv()) {}

  /// The central difference of fourth order of the step, column by column: q, v, tau.
  Matrix finite_differences(Stepper& stepper, StepScheme scheme, const ExternalWrenches& f_ext) {
    const State x{batch_.q, batch_.v};
    const State next = stepper.step(x, batch_.tau, dt, scheme, f_ext);
    constexpr double h = 2e-3;
    Matrix result(2 * nv_, 3 * nv_);
    for (int column = 0; column < 3 * nv_; ++column) {
      const auto changed = [&](double by) {
        Numbers direction(index(nv_), 0.0);
        direction[index(column % nv_)] = by;
        State moved = x;
        Numbers tau = batch_.tau;
        if (column < nv_) {
          moved.q = stepper.integrated(x.q, direction, 1);
        } else if (column < 2 * nv_) {
          moved.v = added(x.v, 1, direction);
        } else {
          tau = added(tau, 1, direction);
        }
        return stepper.difference_of(next, stepper.step(moved, tau, dt, scheme, f_ext));
      };
      result.col(column) =
          (8 * (changed(h) - changed(-h)) - (changed(2 * h) - changed(-2 * h))) / (12 * h);
    }
    return result;
  }

  void expect_derivatives(StepScheme scheme, const ExternalWrenches& f_ext, bool friction) {
    SCOPED_TRACE(name_of(scheme));
    Stepper stepper(model_, friction);
    Linearizer linearizer;
    linearizer.configure(model_, {.friction = friction}, "reference");
    Matrix A(2 * nv_, 2 * nv_), B(2 * nv_, nv_);
    State found{Numbers(batch_.q.size()), Numbers(batch_.v.size())};
    StateStatus status;
    const Result result = linearizer.linearize({.q = batch_.q,
                                                .v = batch_.v,
                                                .tau = batch_.tau,
                                                .dt = dt,
                                                .scheme = scheme,
                                                .f_ext = f_ext,
                                                .A = {A.data(), static_cast<std::size_t>(A.size())},
                                                .B = {B.data(), static_cast<std::size_t>(B.size())},
                                                .q_next = found.q,
                                                .v_next = found.v,
                                                .status = {&status, 1}});
    ASSERT_TRUE(result.ok()) << message(result);
    ASSERT_TRUE(status.ok()) << message(status, *model_);

    const State next = stepper.step({batch_.q, batch_.v}, batch_.tau, dt, scheme, f_ext);
    const auto size = [](const auto& x) { return std::max(1.0, x.cwiseAbs().maxCoeff()); };
    const Eigen::Map<const Eigen::VectorXd> v(next.v.data(), nv_);
    EXPECT_LE(stepper.difference_of(next, found).cwiseAbs().maxCoeff(), 1e-13 * size(v));
    const Matrix expected = finite_differences(stepper, scheme, f_ext);
    Matrix both(2 * nv_, 3 * nv_);
    both << A, B;
    // Differences lose the digits of the step over h, and h^4 of the fifth derivative.
    EXPECT_LE((both - expected).cwiseAbs().maxCoeff(), 2e-9 * size(expected));
  }

  std::shared_ptr<const Model> model_;
  Batch batch_;
  int nv_;
};

/// A and B are the derivatives of the step, with and without wrenches and friction.
TEST_P(LinearizedStep, IsWhatFiniteDifferencesGive) {
  for (const StepScheme scheme : all_step_schemes) {
    expect_derivatives(scheme, {}, false);
    expect_derivatives(scheme, {batch_.links, batch_.wrenches, Axes::link}, true);
    expect_derivatives(scheme, {batch_.links, batch_.wrenches, Axes::world}, false);
  }
}

INSTANTIATE_TEST_SUITE_P(Robots, LinearizedStep, testing::ValuesIn(conformance::small_robots()),
                         name_of_robot);

/// What stands still without gravity stays: q+ = q + dt v, v+ = v to first order, A = [1 dt; 0 1]
/// for every joint. There the exponential is at zero, where angles have no derivative.
TEST(Linearizer, IsExactAtRest) {
  Robot robot = conformance::mixed_chain();
  robot.options.gravity = {0, 0, 0};
  const auto model = std::make_shared<const Model>(robot.model());
  const int nv = model->nv();
  const double dt = 0.01;
  Linearizer linearizer;
  linearizer.configure(model);
  for (const StepScheme scheme : all_step_schemes) {
    Matrix A(2 * nv, 2 * nv);
    StateStatus status;
    require(linearizer.linearize({.q = model->neutral(),
                                  .v = {},
                                  .tau = {},
                                  .dt = dt,
                                  .scheme = scheme,
                                  .A = {A.data(), static_cast<std::size_t>(A.size())},
                                  .status = {&status, 1}}));
    EXPECT_TRUE(status.ok());
    Matrix expected = Matrix::Identity(2 * nv, 2 * nv);
    expected.topRightCorner(nv, nv).diagonal().setConstant(dt);
    EXPECT_LE((A - expected).cwiseAbs().maxCoeff(), 1e-15) << name_of(scheme);
  }
}

/// The order of rk4: four where every joint has one coordinate, two where body rates are averaged
/// between frames that turn.
TEST(Linearizer, StepsConvergeWithTheirOrder) {
  const auto error_after = [](const Robot& robot, int steps) {
    const auto model = std::make_shared<const Model>(robot.model());
    const Batch batch = conformance::random_batch(*model, 1, 72);
    Linearizer linearizer;
    linearizer.configure(model);
    const auto run = [&](int count) {
      State x{batch.q, batch.v};
      for (int k = 0; k < count; ++k) {
        State next = x;
        require(linearizer.linearize({.q = x.q,
                                      .v = x.v,
                                      .tau = {},
                                      .dt = 0.1 / count,
                                      .scheme = StepScheme::rk4,
                                      .q_next = next.q,
                                      .v_next = next.v}));
        x = next;
      }
      return x;
    };
    return Stepper(model, false).difference_of(run(512), run(steps)).cwiseAbs().maxCoeff();
  };
  const auto order = [&](const Robot& robot) {
    return std::log2(error_after(robot, 8) / error_after(robot, 16));
  };
  EXPECT_NEAR(order(conformance::arm()), 4, 0.4);
  EXPECT_NEAR(order(conformance::mixed_chain()), 2, 0.4);
}

/// Outputs of a whole batch.
template <class Real>
struct Outputs {
  std::vector<Real> A, B, q, v;
  std::vector<StateStatus> status;

  Outputs(const Model& model, std::size_t batch)
      : A(batch * 4 * index(model.nv()) * index(model.nv())),
        B(A.size() / 2),
        q(batch * index(model.nq())),
        v(batch * index(model.nv())),
        status(batch) {}
  friend bool operator==(const Outputs&, const Outputs&) = default;
};

Linearization arguments(const Batch& batch, StepScheme scheme, Outputs<double>& out) {
  return {.batch = batch.size,
          .q = batch.q,
          .v = batch.v,
          .tau = batch.tau,
          .dt = 0.01,
          .scheme = scheme,
          .f_ext = {batch.links, batch.wrenches, Axes::world},
          .A = out.A,
          .B = out.B,
          .q_next = out.q,
          .v_next = out.v,
          .status = out.status};
}

std::shared_ptr<const Model> floating_tree() {
  return std::make_shared<const Model>(conformance::mixed_tree(Base::floating).model());
}

/// Results are the same in every bit whatever the threads and the chunks that a batch is cut into:
/// 400 states of this robot take several, 65 of one leave one state over.
TEST(Linearizer, IsTheSameForAllThreadsAndChunks) {
  const auto model = floating_tree();
  for (const std::size_t size : {std::size_t{65}, std::size_t{400}}) {
    const Batch batch = conformance::random_batch(*model, size, 73);
    for (const StepScheme scheme : all_step_schemes) {
      Outputs<double> expected(*model, size);
      Linearizer whole;
      whole.configure(model, {.max_batch = size}, "cpu");
      require(whole.linearize(arguments(batch, scheme, expected)));
      for (const int threads : {2, 3}) {
        Outputs<double> found(*model, size);
        Linearizer linearizer;
        linearizer.configure(model, {.max_batch = size, .threads = threads}, "cpu");
        require(linearizer.linearize(arguments(batch, scheme, found)));
        EXPECT_TRUE(found == expected) << size << " states, " << threads << " threads";
      }
      const auto backend = make_backend("cpu");
      backend->configure(model, {.max_batch = size, .threads = 2});
      Linearizer lent;
      lent.configure(*backend);
      Outputs<double> found(*model, size);
      require(lent.linearize(arguments(batch, scheme, found)));
      EXPECT_TRUE(found == expected) << size << " states, a given backend";
    }
  }
}

/// In float the numbers are those of double, but for the digits.
TEST(Linearizer, ComputesInFloat) {
  const auto model = floating_tree();
  const Batch batch = conformance::random_batch(*model, 3, 74);
  const auto rounded = [](const Numbers& x) { return std::vector<float>(x.begin(), x.end()); };
  const std::vector<float> q = rounded(batch.q), v = rounded(batch.v), tau = rounded(batch.tau);
  BasicLinearizer<float> linearizer;
  linearizer.configure(model, {.max_batch = 3});
  Linearizer exact;
  exact.configure(model, {.max_batch = 3});
  for (const StepScheme scheme : all_step_schemes) {
    Outputs<float> found(*model, 3);
    require(linearizer.linearize({.batch = 3,
                                  .q = q,
                                  .v = v,
                                  .tau = tau,
                                  .dt = 0.01F,
                                  .scheme = scheme,
                                  .A = found.A,
                                  .B = found.B}));
    Outputs<double> expected(*model, 3);
    Linearization args = arguments(batch, scheme, expected);
    args.f_ext = {};
    require(exact.linearize(args));
    for (std::size_t k = 0; k < expected.A.size(); ++k) {
      EXPECT_NEAR(found.A[k], expected.A[k], 1e-4);
    }
    for (std::size_t k = 0; k < expected.B.size(); ++k) {
      EXPECT_NEAR(found.B[k], expected.B[k], 1e-4);
    }
  }
}

/// No call allocates, with any output left out, any scheme, more states than a chunk has, threads.
TEST(Linearizer, AllocatesNothing) {
  if (!conformance::can_count_allocations()) GTEST_SKIP() << "a sanitizer has a malloc of its own";
  const auto model = floating_tree();
  const Batch batch = conformance::random_batch(*model, 300, 75);
  Outputs<double> out(*model, 300);
  ASSERT_GT(allocations_during([] {
              void* volatile memory = std::malloc(8);
              std::free(memory);
            }),
            0U);  // what counts does count
  for (const int threads : {1, 2}) {
    Linearizer linearizer;
    linearizer.configure(model, {.max_batch = 300, .threads = threads});
    for (const StepScheme scheme : all_step_schemes) {
      const Linearization args = arguments(batch, scheme, out);
      Linearization step = args, bad = args;
      step.A = step.B = {};
      bad.q = bad.q.first(1);
      Result refused;
      EXPECT_EQ(allocations_during([&] {
                  require(linearizer.linearize(args));
                  require(linearizer.linearize(step));
                  refused = linearizer.linearize(bad);
                }),
                0U)
          << name_of(scheme) << ", " << threads << " threads";
      EXPECT_FALSE(refused.ok());
    }
  }
}

/// A bad state gets NaN and its status; its neighbours have the bits that they have without it.
TEST(Linearizer, KeepsBadStatesApart) {
  const auto model = floating_tree();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto nv = index(model->nv()), nq = index(model->nq());
  const Batch good = conformance::random_batch(*model, 6, 76);
  Batch batch = good;
  batch.q[nq + 2] = nan;
  batch.v[2 * nv + 1] = std::numeric_limits<double>::infinity();
  std::fill_n(batch.q.begin() + static_cast<std::ptrdiff_t>(3 * nq + 3), 4, 0.0);  // quaternion
  batch.tau[4 * nv] = nan;
  Linearizer linearizer;
  linearizer.configure(model, {.max_batch = 6});
  for (const StepScheme scheme : all_step_schemes) {
    Outputs<double> expected(*model, 6), found(*model, 6);
    require(linearizer.linearize(arguments(good, scheme, expected)));
    require(linearizer.linearize(arguments(batch, scheme, found)));
    for (std::size_t s = 0; s < 6; ++s) {
      const bool is_bad = s >= 1 && s <= 4;
      EXPECT_EQ(found.status[s].code,
                is_bad ? StateStatus::Code::not_finite : StateStatus::Code::ok);
      const auto check = [&](const Numbers& one, const Numbers& other) {
        const std::size_t n = one.size() / 6;
        for (std::size_t k = s * n; k < (s + 1) * n; ++k) {
          if (is_bad) {
            EXPECT_TRUE(std::isnan(one[k]));
          } else {
            EXPECT_EQ(one[k], other[k]);
          }
        }
      };
      check(found.A, expected.A);
      check(found.B, expected.B);
      check(found.q, expected.q);
      check(found.v, expected.v);
    }
    Linearization args = arguments(good, scheme, found);
    args.dt = nan;
    require(linearizer.linearize(args));
    for (const StateStatus& status : found.status) {
      EXPECT_EQ(status.code, StateStatus::Code::not_finite);
    }
  }
}

/// A joint that nothing resists is named.
TEST(Linearizer, NamesTheSingularJoint) {
  Robot robot = conformance::arm();
  robot.description.links.back().inertial.reset();
  const auto model = std::make_shared<const Model>(robot.model());
  const Batch batch = conformance::random_batch(*model, 1, 77);
  Outputs<double> out(*model, 1);
  Linearizer linearizer;
  linearizer.configure(model);
  Linearization args = arguments(batch, StepScheme::rk4, out);
  args.f_ext = {};
  require(linearizer.linearize(args));
  EXPECT_EQ(out.status[0].code, StateStatus::Code::singular);
  EXPECT_EQ(out.status[0].dof, model->nv() - 1);
  EXPECT_TRUE(std::isnan(out.A[0]));
}

/// Each wrong argument is refused by its name, with what was expected and what came.
TEST(Linearizer, RefusesWrongArguments) {
  const auto model = floating_tree();
  const Batch batch = conformance::random_batch(*model, 2, 78);
  Outputs<double> out(*model, 2);
  const Linearization good = arguments(batch, StepScheme::semi_implicit_euler, out);
  Linearizer linearizer;
  EXPECT_EQ(linearizer.linearize(good).code, Code::not_configured);
  linearizer.configure(model, {.max_batch = 2});
  require(linearizer.linearize(good));

  const auto refusal = [&](auto change) {
    Linearization args = good;
    change(args);
    return linearizer.linearize(args);
  };
  const auto expect = [](const Result& result, Code code, Argument argument) {
    EXPECT_EQ(result.code, code) << message(result);
    EXPECT_EQ(result.argument, argument) << message(result);
  };
  using Args = Linearization;
  expect(refusal([](Args& a) { a.batch = 3; }), Code::batch_too_large, Argument::batch);
  expect(refusal([](Args& a) { a.q = {}; }), Code::missing, Argument::q);
  expect(refusal([](Args& a) { a.q = a.q.first(3); }), Code::wrong_size, Argument::q);
  expect(refusal([](Args& a) { a.v = a.v.first(3); }), Code::wrong_size, Argument::v);
  expect(refusal([](Args& a) { a.tau = a.tau.first(3); }), Code::wrong_size, Argument::tau);
  expect(refusal([](Args& a) { a.A = a.A.first(3); }), Code::wrong_size, Argument::A);
  expect(refusal([](Args& a) { a.B = a.B.first(3); }), Code::wrong_size, Argument::B);
  expect(refusal([](Args& a) { a.q_next = a.q_next.first(3); }), Code::wrong_size,
         Argument::q_next);
  expect(refusal([](Args& a) { a.v_next = a.v_next.first(3); }), Code::wrong_size,
         Argument::v_next);
  expect(refusal([](Args& a) { a.status = a.status.first(1); }), Code::wrong_size,
         Argument::status);
  expect(refusal([](Args& a) { a.f_ext.wrenches = {}; }), Code::missing, Argument::wrenches);
  const int no_link[] = {0, 0, 0, 99};
  expect(refusal([&](Args& a) { a.f_ext.links = no_link; }), Code::out_of_range, Argument::links);
  EXPECT_EQ(message(refusal([](Args& a) { a.A = a.A.first(3); })),
            "A has 3 elements, expected " + std::to_string(out.A.size()));
}

/// configure throws where it cannot work, and a given backend that is configured anew is noticed.
TEST(Linearizer, IsConfiguredOrSaysWhyNot) {
  const auto model = floating_tree();
  Linearizer linearizer;
  EXPECT_THROW(linearizer.configure(nullptr), std::invalid_argument);
  EXPECT_THROW(linearizer.configure(model, {.max_batch = 0}), std::invalid_argument);
  EXPECT_THROW(linearizer.configure(model, {.threads = 0}), std::invalid_argument);
  EXPECT_THROW(linearizer.configure(model, {}, "abacus"), std::invalid_argument);
  const auto backend = make_backend("cpu");
  EXPECT_THROW(linearizer.configure(*backend), std::invalid_argument);
  EXPECT_FALSE(linearizer.configured());

  backend->configure(model);
  linearizer.configure(*backend);
  EXPECT_TRUE(linearizer.configured());
  backend->configure(floating_tree());
  const Batch batch = conformance::random_batch(*model, 1, 79);
  Outputs<double> out(*model, 1);
  EXPECT_EQ(linearizer.linearize(arguments(batch, StepScheme::rk4, out)).code,
            Code::not_configured);
}

/// Names and schemes belong together.
TEST(Linearizer, SchemesHaveNames) {
  for (const StepScheme scheme : all_step_schemes) {
    EXPECT_EQ(step_scheme_of(name_of(scheme)), scheme);
  }
  EXPECT_EQ(step_scheme_of("rk5"), std::nullopt);
}

}  // namespace
}  // namespace rbd_parallel_core
