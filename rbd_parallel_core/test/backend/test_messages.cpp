// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "method_refusal.hpp"
#include "rbd_parallel_core/forward_method.hpp"
#include "rbd_parallel_core/model/generators.hpp"
#include "rbd_parallel_core/operation.hpp"
#include "rbd_parallel_core/status.hpp"

namespace rbd_parallel_core {
namespace {

TEST(Message, SaysWhatWasExpectedAndWhatCame) {
  EXPECT_EQ(message(Result{}), "ok");
  EXPECT_EQ(message({Code::not_configured, Argument::none, 0, 0}),
            "the backend is not configured; call configure with a model first");
  EXPECT_EQ(message({Code::batch_too_large, Argument::batch, 16, 17}),
            "batch is 17, but the backend was configured for at most 16; configure it with a "
            "larger max_batch or "
            "send smaller batches");
  EXPECT_EQ(message({Code::wrong_size, Argument::q, 14, 12}), "q has 12 elements, expected 14");
  EXPECT_EQ(message({Code::wrong_size, Argument::wrenches, 12, 6}),
            "f_ext has 6 elements, expected 12");
  EXPECT_EQ(message({Code::missing, Argument::tau, 7, 0}), "tau is not given; it needs 7 elements");
  EXPECT_EQ(message({Code::out_of_range, Argument::links, 9, -1}),
            "links holds the index -1, expected 0 to 8");
  EXPECT_EQ(message({Code::unsupported, Argument::none, 0, 0}),
            "this backend does not offer the operation; choose another backend");
  EXPECT_EQ(message(not_offered(Operation::link_motion)),
            "this backend does not offer link_motion; choose another backend");
  EXPECT_EQ(message({Code::unsupported, Argument::jacobian_rate, 0, 0}),
            "this backend does not offer jacobian_rate; choose another backend, or leave it out");
  EXPECT_EQ(message(too_large(Operation::coriolis_matrix, 512, 600)),
            "coriolis_matrix keeps dense matrices, offered here up to nv = 512; this model has nv "
            "= 600 (products with derivatives, jvp and vjp, keep none)");
  EXPECT_EQ(message(too_large(Operation::forward_dynamics_vjp, 4096, 5000)),
            "forward_dynamics_vjp keeps a dense mass matrix where joints mimic others, offered "
            "here up to nv = 4096; this model has nv = 5000");
  EXPECT_EQ(message({Code::unsupported, Argument::inverse, 4096, 5000}),
            "the inverse of M is offered up to nv = 4096 unless the Cholesky factor is asked for "
            "too; this model has nv = 5000");
  EXPECT_EQ(message({Code::unsupported, Argument::links, 8, 9}),
            "this backend takes at most 8 wrenches for each state; f_ext has 9");
  EXPECT_EQ(
      message({Code::unsupported, Argument::mass_matrix, 512, 600}),
      "this backend offers what was asked of the mass matrix up to nv = 512; this model has nv = "
      "600");
  EXPECT_EQ(message({Code::failed, Argument::none, 0, 0}),
            "the backend failed to complete the call; configure it again, or make a new one");
  EXPECT_EQ(message({Code::on_device, Argument::links, 0, 0}),
            "links lies on the device, expected an array of the host");
}

/// What the backend takes in its place is in the Result, so that no message names what is refused
/// too.
TEST(Message, OfAMethodNamesWhatIsTakenInstead) {
  MethodSet everything;
  for (const ForwardMethod method : all_forward_methods) everything.insert(method);
  MethodSet few;
  few.insert(ForwardMethod::automatic);
  few.insert(ForwardMethod::crba);
  MethodSet later;
  later.insert(ForwardMethod::crba_sparse);
  const auto text = [](const MethodRefusal& refusal, Code code = Code::unsupported,
                       Argument argument = Argument::method) {
    return message(refusal.result(code, argument));
  };
  EXPECT_EQ(text({ForwardMethod::aba, few}),
            "method aba is not for models with mimic joints; use automatic, crba");
  EXPECT_EQ(text({ForwardMethod::aba, later}),
            "method aba is not for models with mimic joints; use crba_sparse after prepare");
  EXPECT_EQ(text({ForwardMethod::aba}), "method aba is not for models with mimic joints");
  EXPECT_EQ(text({ForwardMethod::crba, later, 5000, 4096}),
            "method crba keeps a dense mass matrix, offered up to nv = 4096; this model has nv = "
            "5000; use crba_sparse after prepare");
  EXPECT_EQ(text({ForwardMethod::dca, few}),
            "method dca is ruled out by the model; prepare says why; use automatic, crba");
  EXPECT_EQ(text({ForwardMethod::dca, everything}),
            "method dca is not prepared; call prepare first; use automatic, aba, crba, two_port, "
            "or after prepare jsiia, hybrid_abia, crba_sparse, dca, dcae");
  EXPECT_EQ(text({ForwardMethod::jsiia, few}, Code::unsupported, Argument::wrenches),
            "method jsiia takes no f_ext; use automatic, crba");
  EXPECT_EQ(text({ForwardMethod::dca, few}, Code::on_device, Argument::qdd),
            "qdd lies on the device, expected an array of the host for method dca, which the host "
            "computes; copy it there, or use automatic, crba");
}

TEST(Message, EveryArgumentHasANameOfItsOwn) {
  std::vector<std::string> texts;
  for (int k = 0; k < static_cast<int>(argument_names.size()); ++k) {
    texts.push_back(message({Code::wrong_size, static_cast<Argument>(k), 1, 2}));
    for (int other = 0; other < k; ++other) {
      EXPECT_NE(texts[static_cast<std::size_t>(k)], texts[static_cast<std::size_t>(other)]);
    }
  }
}

TEST(Message, OfAStateNamesTheJoint) {
  const Model model = serial_chain(3);
  EXPECT_EQ(message(StateStatus{}, model), "ok");
  EXPECT_EQ(
      message({StateStatus::Code::not_finite, -1}, model),
      "an input is NaN, infinite or a zero quaternion, or the result overflows or is undefined");
  EXPECT_EQ(message({StateStatus::Code::singular, 1}, model),
            "the mass matrix is singular at joint 'joint0000001': nothing resists its motion; give "
            "the links "
            "beyond it an inertia or the joint an armature");
}

TEST(Message, OfAStateSurvivesACoordinateOutOfRange) {
  const Model model = serial_chain(3);
  for (const int dof : {-1, 3, 1000}) {
    EXPECT_NE(message({StateStatus::Code::singular, dof}, model).find("'?'"), std::string::npos);
  }
}

}  // namespace
}  // namespace rbd_parallel_core
