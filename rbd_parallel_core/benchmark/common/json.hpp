// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <iomanip>
#include <ostream>
#include <sstream>
#include <string>

namespace rbd_bench {

inline std::string quoted(const std::string& text) {
  std::ostringstream out;
  out << '"';
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out << '\\' << c;
    } else if (code < 0x20) {
      out << "\\u" << std::hex << std::setw(4) << std::setfill('0') << int{code} << std::dec;
    } else {
      out << c;
    }
  }
  out << '"';
  return out.str();
}

// JSON has no word for what is not finite.
inline void write_number(std::ostream& out, double x) {
  if (std::isfinite(x)) {
    out << x;
  } else {
    out << "null";
  }
}

// [ ... ]; `between` comes before each element.
template <class List, class Write>
void write_list(std::ostream& out, const List& list, const char* between, Write&& write) {
  out << "[";
  const char* separator = "";
  for (const auto& element : list) {
    out << separator << between;
    write(element);
    separator = ",";
  }
  out << "]";
}

}  // namespace rbd_bench
