// SPDX-License-Identifier: Apache-2.0
#include "common/command_line.hpp"

#include <sstream>

namespace rbd_bench {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

std::string CommandLine::Values::next() {
  if (line_->next_ == line_->words_.size()) line_->fail(option_ + " lacks a value");
  return line_->words_[line_->next_++];
}

void CommandLine::parse(int argc, char** argv) {
  words_.assign(argv + 1, argv + argc);
  next_ = 0;
  while (next_ < words_.size()) {
    const std::string word = words_[next_++];
    if (const auto taker = takers_.find(word); taker != takers_.end()) {
      Values values;
      values.line_ = this;
      values.option_ = word;
      taker->second(values);
    } else if (operand_ != nullptr && operand_->empty() && !word.starts_with("-")) {
      *operand_ = word;
    } else {
      fail("unknown argument '" + word + "'");
    }
  }
}

void CommandLine::fail(const std::string& what) const {
  throw std::runtime_error(what + "\n" + usage_);
}

}  // namespace rbd_bench
