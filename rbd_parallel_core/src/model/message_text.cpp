// SPDX-License-Identifier: Apache-2.0
#include "message_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "utf8.hpp"

namespace rbd_parallel_core {

std::string to_text(double x) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.begin(), buffer.end(), x, std::chars_format::general, 6);
  return {buffer.data(), end.ptr};
}

std::string to_text(const Vec3<double>& a) {
  return "(" + to_text(a.x) + " " + to_text(a.y) + " " + to_text(a.z) + ")";
}

std::string shown(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string out = "'";
  std::size_t i = 0;
  while (i < text.size() && i < longest) {
    const std::size_t length = utf8_length(text.substr(i));
    const unsigned char c = static_cast<unsigned char>(text[i]);
    if (c == '\t') {
      out += "\\t";
    } else if (c == '\n') {
      out += "\\n";
    } else if (length == 0 || c < 0x20 || c == 0x7F) {
      out += '?';
    } else {
      out.append(text.substr(i, length));
    }
    i += std::max<std::size_t>(length, 1);
  }
  if (i < text.size()) out += "...";
  return out += '\'';
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t longest = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), longest); ++i) {
    text.append(i == 0 ? "" : ", ").append(shown(names[i]));
  }
  if (names.size() > longest) text += " and " + std::to_string(names.size() - longest) + " more";
  return text;
}

}  // namespace rbd_parallel_core
