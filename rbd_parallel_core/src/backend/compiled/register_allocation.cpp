// SPDX-License-Identifier: Apache-2.0
#include "register_allocation.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>

namespace rbd_parallel_core::compiled {
namespace {

std::size_t at(std::int32_t k) { return static_cast<std::size_t>(k); }

constexpr std::int32_t never = std::numeric_limits<std::int32_t>::max();

/// A value in memory that is needed again within so many lines gets a register.
constexpr std::int32_t soon = 12;

bool is_fused(Step step) {
  return step == Step::multiply_add || step == Step::multiply_subtract ||
         step == Step::negated_multiply_add || step == Step::negated_multiply_subtract;
}
bool commutes(Step step) { return step == Step::add || step == Step::multiply; }

/// The lines that use each value, in order.
class Uses {
 public:
  explicit Uses(const StraightLine& code, std::int32_t values) : begin_(at(values) + 1, 0) {
    const auto for_each = [&](const auto& visit) {
      for (std::size_t k = 0; k < code.lines.size(); ++k) {
        for (const std::int32_t x : {code.lines[k].a, code.lines[k].b, code.lines[k].c}) {
          if (x >= 0) visit(x, static_cast<std::int32_t>(k));
        }
      }
    };
    for_each([&](std::int32_t x, std::int32_t) { ++begin_[at(x) + 1]; });
    for (std::size_t k = 1; k < begin_.size(); ++k) begin_[k] += begin_[k - 1];
    line_.resize(at(begin_.back()));
    next_.assign(begin_.begin(), begin_.end() - 1);
    for_each([&](std::int32_t x, std::int32_t line) { line_[at(next_[at(x)]++)] = line; });
    next_.assign(begin_.begin(), begin_.end() - 1);
  }
  /// The first line after `now` that uses x. `now` never decreases.
  std::int32_t after(std::int32_t x, std::int32_t now) {
    std::int32_t& next = next_[at(x)];
    while (next < begin_[at(x) + 1] && line_[at(next)] <= now) ++next;
    return next < begin_[at(x) + 1] ? line_[at(next)] : never;
  }

 private:
  std::vector<std::int32_t> begin_, line_, next_;
};

class Allocator {
 public:
  Allocator(const StraightLine& code, int registers, std::int32_t padding, FusedResult fused)
      : code_(code),
        fused_result_(fused),
        values_(code.first_line() + static_cast<std::int32_t>(code.lines.size())),
        uses_(code, values_),
        register_(at(values_), -1),
        place_(at(values_), -1),
        holds_(static_cast<std::size_t>(registers), -1) {
    out_.layout = lay_out(code, padding);
    next_slot_ = out_.layout.slots;
    place_leaves();
    results_of_.resize(at(values_));
    for (const StraightLine::Result& result : code.results) {
      results_of_[at(result.value)].push_back(out_.layout.results + result.at);
    }
    for (std::int32_t leaf = 0; leaf < code.first_line(); ++leaf) copy_to_results(leaf);
    for (std::size_t k = 0; k < code.lines.size(); ++k) {
      now_ = static_cast<std::int32_t>(k);
      compute(code.lines[k], code.first_line() + now_);
    }
    out_.layout.size = next_slot_;
  }
  AllocatedCode take() { return std::move(out_); }

 private:
  using Kind = Instruction::Kind;

  void place_leaves() {
    const BlockLayout& layout = out_.layout;
    const std::int32_t turns = code_.turn_count();
    for (std::int32_t k = 0; k < code_.inputs; ++k) place_[at(k)] = layout.inputs + k;
    for (std::int32_t k = 0; k < turns; ++k) {
      place_[at(code_.inputs + k)] = layout.sines + k;
      place_[at(code_.inputs + turns + k)] = layout.cosines + k;
    }
    const std::int32_t first = code_.first_constant();
    for (std::int32_t k = first; k < code_.first_line(); ++k) {
      place_[at(k)] = layout.constants + k - first;
    }
  }

  /// A result that is an input, a sine or a cosine.
  void copy_to_results(std::int32_t leaf) {
    if (results_of_[at(leaf)].empty()) return;
    emit({Kind::load, {}, 0, {true, place_[at(leaf)]}, {}});
    for (const std::int32_t place : results_of_[at(leaf)]) {
      emit({Kind::store, {}, place, {false, 0}, {}});
    }
  }

  void emit(const Instruction& instruction) { out_.instructions.push_back(instruction); }
  bool dies(std::int32_t x) { return uses_.after(x, now_) == never; }
  bool in_register(std::int32_t x) const { return register_[at(x)] >= 0; }

  void release(std::int32_t x) {
    holds_[at(register_[at(x)])] = -1;
    register_[at(x)] = -1;
  }
  void assign(std::int32_t reg, std::int32_t x) {
    holds_[at(reg)] = x;
    register_[at(x)] = reg;
  }

  /// A free register; where there is none, that of the value that is needed last, but for the
  /// operands of this line. A value that is in memory already is the cheaper one to give up.
  std::int32_t free_register(const Line& line) {
    std::int32_t best = -1;
    std::int64_t latest = -1;
    for (std::size_t r = 0; r < holds_.size(); ++r) {
      const std::int32_t x = holds_[r];
      if (x < 0) return static_cast<std::int32_t>(r);
      if (x == line.a || x == line.b || x == line.c) continue;
      const std::int64_t when = std::int64_t{uses_.after(x, now_)} + (place_[at(x)] >= 0 ? 2 : 0);
      if (when > latest) {
        latest = when;
        best = static_cast<std::int32_t>(r);
      }
    }
    const std::int32_t x = holds_[at(best)];
    if (place_[at(x)] < 0) {
      place_[at(x)] = free_slot();
      emit({Kind::store, {}, place_[at(x)], {false, best}, {}});
      ++out_.stored;
    }
    release(x);
    return best;
  }
  std::int32_t free_slot() {
    if (free_slots_.empty()) return next_slot_++;
    const std::int32_t slot = free_slots_.back();
    free_slots_.pop_back();
    return slot;
  }

  Operand in_register_now(std::int32_t x, const Line& line) {
    if (!in_register(x)) {
      const std::int32_t reg = free_register(line);
      emit({Kind::load, {}, reg, {true, place_[at(x)]}, {}});
      ++out_.loaded;
      assign(reg, x);
    }
    return {false, register_[at(x)]};
  }
  /// Whether x is better read from memory than loaded.
  bool leave_in_memory(std::int32_t x) {
    return x >= 0 && !in_register(x) && uses_.after(x, now_) > now_ + soon;
  }

  void compute(Line line, std::int32_t result) {
    Instruction instruction = is_fused(line.step) ? fused(line) : plain(line);
    for (const std::int32_t x : {line.a, line.b, line.c}) {
      if (x >= 0 && dies(x) && in_register(x)) release(x);
    }
    if (instruction.to < 0) instruction.to = free_register(line);
    emit(instruction);
    // Slots only now: the instruction may have read one.
    for (const std::int32_t x : {line.a, line.b, line.c}) {
      if (x >= 0 && dies(x)) free_slot_of(x);
    }
    assign(instruction.to, result);
    for (const std::int32_t place : results_of_[at(result)]) {
      emit({Kind::store, {}, place, {false, instruction.to}, {}});
      place_[at(result)] = place;  // it need not be stored again
    }
    if (dies(result)) release(result);
  }
  void free_slot_of(std::int32_t x) {
    if (place_[at(x)] < out_.layout.slots) return;
    free_slots_.push_back(place_[at(x)]);
    place_[at(x)] = -1;
  }

  /// The result may go to any register: to one that an operand leaves, or a free one (-1 for now).
  Instruction plain(Line& line) {
    if (commutes(line.step) && leave_in_memory(line.a) && !leave_in_memory(line.b)) {
      std::swap(line.a, line.b);
    }
    Instruction instruction{Kind::compute, line.step, -1, {}, {}};
    const bool from_memory = line.a != line.b && line.c < 0 && leave_in_memory(line.b);
    instruction.a = in_register_now(line.a, line);
    if (from_memory) {
      instruction.b = {true, place_[at(line.b)]};
      ++out_.loaded;
    } else if (line.b >= 0) {
      instruction.b = in_register_now(line.b, line);
    }
    if (line.c >= 0) instruction.c = in_register_now(line.c, line);
    return instruction;
  }

  /// The result replaces an operand: one that dies, or a copy. Where it may stand elsewhere, it
  /// takes a register of its own instead of a copy.
  Instruction fused(const Line& line) {
    const std::int32_t memory = one_in_memory(line);
    Instruction instruction{Kind::compute, line.step, -1, {}, {}};
    const auto operand = [&](std::int32_t x) {
      if (x != memory) return in_register_now(x, line);
      ++out_.loaded;
      return Operand{true, place_[at(x)]};
    };
    instruction.a = operand(line.a);
    instruction.b = operand(line.b);
    instruction.c = operand(line.c);
    if (fused_result_ == FusedResult::anywhere) return instruction;
    const bool of_addend = fused_result_ == FusedResult::of_addend;
    for (const std::int32_t x : {line.c, line.a, line.b}) {
      if (x == memory || !dies(x)) continue;
      if (of_addend && x != line.c) continue;
      instruction.to = register_[at(x)];
      return instruction;
    }
    Operand& replaced = line.c != memory ? instruction.c : instruction.a;
    const std::int32_t copy = free_register(line);
    instruction.to = copy;
    if (of_addend) return instruction;
    emit({Kind::copy, {}, copy, replaced, {}});
    replaced = {false, copy};
    return instruction;
  }
  /// Of three different operands the one that is best left in memory, or -1.
  std::int32_t one_in_memory(const Line& line) {
    if (line.a == line.b || line.a == line.c || line.b == line.c) return -1;
    std::int32_t best = -1, latest = -1;
    for (const std::int32_t x : {line.a, line.b, line.c}) {
      if (!leave_in_memory(x) || uses_.after(x, now_) <= latest) continue;
      latest = uses_.after(x, now_);
      best = x;
    }
    return best;
  }

  const StraightLine& code_;
  FusedResult fused_result_;
  std::int32_t values_;
  Uses uses_;
  std::vector<std::int32_t> register_, place_;  ///< per value, -1: none
  std::vector<std::int32_t> holds_;             ///< per register: its value, or -1
  std::vector<std::vector<std::int32_t>> results_of_;
  std::vector<std::int32_t> free_slots_;
  std::int32_t next_slot_ = 0, now_ = -1;
  AllocatedCode out_;
};

}  // namespace

BlockLayout lay_out(const StraightLine& code, std::int32_t padding) {
  const std::int32_t turns = (code.turn_count() + padding - 1) / padding * padding;
  BlockLayout layout;
  layout.factors = code.inputs + padding;
  layout.offsets = layout.factors + turns;
  layout.angles = layout.offsets + turns;
  layout.sines = layout.angles + turns;
  layout.cosines = layout.sines + turns;
  layout.constants = layout.cosines + turns;
  layout.results = layout.constants + static_cast<std::int32_t>(code.constants.size());
  layout.slots = layout.size = layout.results + code.result_count;
  return layout;
}

AllocatedCode allocate_registers(const StraightLine& code, int registers, std::int32_t padding,
                                 FusedResult fused) {
  return Allocator(code, registers, padding, fused).take();
}

}  // namespace rbd_parallel_core::compiled
