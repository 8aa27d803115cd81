// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace rbd_bench {

// "a,b" as a and b.
std::vector<std::string> split(const std::string& text);

// The number that the whole text is, if good(number). Throws std::runtime_error with what was
// expected.
template <class Number, class Good>
Number number(const std::string& option, const std::string& text, const std::string& expected,
              Good&& good) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || !good(value)) {
    throw std::runtime_error(option + ": expected " + expected + ", got '" + text + "'");
  }
  return value;
}

template <class Number>
Number at_least(const std::string& option, const std::string& text, Number smallest) {
  return number<Number>(option, text, "a number of at least " + std::to_string(smallest),
                        [&](Number value) { return value >= smallest; });
}

template <class Number>
Number positive(const std::string& option, const std::string& text) {
  return number<Number>(option, text, "a positive number", [](Number x) { return x > Number(0); });
}

template <class Number>
std::vector<Number> positives(const std::string& option, const std::string& text) {
  std::vector<Number> numbers;
  for (const std::string& part : split(text)) numbers.push_back(positive<Number>(option, part));
  return numbers;
}

// The options of a program. What is wrong with its words is thrown as std::runtime_error, with how
// the program is used where that helps.
class CommandLine {
 public:
  explicit CommandLine(std::string usage) : usage_(std::move(usage)) {}

  // The values that follow an option, one word after the other.
  class Values {
   public:
    const std::string& option() const { return option_; }
    std::string next();

   private:
    friend CommandLine;
    CommandLine* line_;
    std::string option_;
  };
  using Take = std::function<void(Values&)>;

  void option(const std::string& name, Take take) { takers_[name] = std::move(take); }
  void option(const std::string& name, std::string& value) {
    option(name, [&value](Values& values) { value = values.next(); });
  }
  // A positive number.
  template <class Number>
  requires std::integral<Number> || std::floating_point<Number>
  void option(const std::string& name, Number& value) {
    option(name,
           [&value](Values& values) { value = positive<Number>(values.option(), values.next()); });
  }
  // A number that may be zero or has a least value of its own.
  template <class Number>
  void option(const std::string& name, Number& value, Number smallest) {
    option(name, [&value, smallest](Values& values) {
      value = at_least<Number>(values.option(), values.next(), smallest);
    });
  }
  // Positive numbers with commas between them.
  template <class Number>
  void option(const std::string& name, std::vector<Number>& value) {
    option(name,
           [&value](Values& values) { value = positives<Number>(values.option(), values.next()); });
  }
  void flag(const std::string& name, bool& value, bool meaning) {
    option(name, [&value, meaning](Values&) { value = meaning; });
  }
  // The one word that may stand without an option.
  void operand(std::string& value) { operand_ = &value; }

  void parse(int argc, char** argv);
  [[noreturn]] void fail(const std::string& what) const;

 private:
  std::string usage_;
  std::map<std::string, Take> takers_;
  std::string* operand_ = nullptr;
  std::vector<std::string> words_;
  std::size_t next_ = 0;
};

}  // namespace rbd_bench
