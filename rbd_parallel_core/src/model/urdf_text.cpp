// SPDX-License-Identifier: Apache-2.0
#include "urdf_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>
#include <vector>

#include "message_text.hpp"
#include "utf8.hpp"

namespace rbd_parallel_core::urdf_text {
namespace {

constexpr std::string_view white_space = " \t\n\v\f\r";
constexpr std::string_view tag_end = " \t\n\v\f\r/>";

/// `#65` or `#x41`; nothing if it is no character that XML allows.
std::optional<std::uint32_t> parse_character_reference(std::string_view name) {
  const bool hex = name.starts_with("#x");
  const std::string_view digits = name.substr(hex ? 2 : 1);
  std::uint32_t code = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, code, hex ? 16 : 10);
  if (error != std::errc{} || stop != end || digits.empty()) return std::nullopt;
  const bool control = code < 0x20 && code != 0x9 && code != 0xA && code != 0xD;
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (control || surrogate || code > 0x10FFFF) return std::nullopt;
  return code;
}

bool append_entity(std::string& out, std::string_view name) {
  if (name == "amp") return out.push_back('&'), true;
  if (name == "lt") return out.push_back('<'), true;
  if (name == "gt") return out.push_back('>'), true;
  if (name == "quot") return out.push_back('"'), true;
  if (name == "apos") return out.push_back('\''), true;
  if (!name.starts_with('#')) return false;
  const auto code = parse_character_reference(name);
  if (code) append_utf8(out, *code);
  return code.has_value();
}

/// Reads markup only far enough to know how deep it nests and how much there is of it. What is not
/// well-formed is left to the parser, which has the better words for it.
class MarkupScanner {
 public:
  MarkupScanner(std::string_view text, int line, Findings& findings)
      : text_(text), line_(line), findings_(findings) {}

  void run() {
    while (!stopped_ && seek("<")) read_markup();
  }

 private:
  void read_markup() {
    if (++nodes_ > max_nodes) return stop_at_node_limit();
    if (looking_at("<!--")) return skip_past("<!--", "-->");
    if (looking_at("<![CDATA[")) return skip_past("<![CDATA[", "]]>");
    if (looking_at("<?")) return skip_past("<?", "?>");
    if (looking_at("<!")) return read_document_type();
    if (looking_at("</")) {
      depth_ = std::max(0, depth_ - 1);
      return skip_past("</", ">");
    }
    read_start_tag();
  }

  void read_start_tag() {
    const int line = line_;
    attributes_.clear();
    advance(1);
    const std::size_t tag = at_;
    std::size_t name = at_;
    // Quotes are skipped whole: a '>' within them does not end the tag.
    while (seek_any("\"'>")) {
      const char found = text_[at_];
      if (found == '>') {
        const bool empty_element = text_[at_ - 1] == '/';
        advance(1);
        refuse_repeated_attributes(line,
                                   text_.substr(tag, text_.find_first_of(tag_end, tag) - tag));
        if (!empty_element && ++depth_ > max_depth) stop_at_depth_limit(line);
        return;
      }
      if (++nodes_ > max_nodes) return stop_at_node_limit();
      attributes_.push_back(attribute_name(text_.substr(name, at_ - name)));
      if (attributes_.size() > max_attributes) return stop_at_attribute_limit(line);
      advance(1);
      if (!seek(std::string_view(&found, 1))) return;
      advance(1);
      name = at_;
    }
  }

  /// The last word before the equals sign at the end of `text`; empty if there is none.
  static std::string_view attribute_name(std::string_view text) {
    const auto trimmed = [](std::string_view a) {
      return a.substr(0, a.find_last_not_of(white_space) + 1);
    };
    text = trimmed(text);
    if (!text.ends_with('=')) return {};
    text = trimmed(text.substr(0, text.size() - 1));
    return text.substr(text.find_last_of(white_space) + 1);
  }

  /// Parsers take it for an attribute that is malformed, and do not say which.
  void refuse_repeated_attributes(int line, std::string_view tag) {
    std::sort(attributes_.begin(), attributes_.end());
    const auto twice = std::adjacent_find(attributes_.begin(), attributes_.end());
    if (twice == attributes_.end() || twice->empty()) return;
    findings_.fault(
        line, "",
        "<" + std::string(tag) + "> has the attribute " + shown(*twice) + " twice, expected once");
  }

  void read_document_type() {
    const int line = line_;
    seek_any("[>");
    if (at_ < text_.size() && text_[at_] == '[') {
      findings_.fault(line, "",
                      "the document type has declarations of its own, which are not read; expected "
                      "plain XML. Expand its entities first, for example by xmllint --noent");
      stopped_ = true;
      return;
    }
    findings_.warning(line, "", "the document type is ignored");
    advance(1);
  }

  void stop_at_depth_limit(int line) {
    findings_.fault(line, "",
                    "elements are nested more than " + std::to_string(max_depth) +
                        " deep, which is the limit; a URDF needs about 5");
    stopped_ = true;
  }

  void stop_at_attribute_limit(int line) {
    findings_.fault(line, "",
                    "an element has more than " + std::to_string(max_attributes) +
                        " attributes, which is the limit; a URDF needs about 6");
    stopped_ = true;
  }

  void stop_at_node_limit() {
    findings_.fault(
        line_, "",
        "more than " + std::to_string(max_nodes) + " elements and attributes, which is the limit");
    stopped_ = true;
  }

  bool looking_at(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  void skip_past(std::string_view opening, std::string_view closing) {
    advance(opening.size());
    if (seek(closing)) advance(closing.size());
  }

  bool seek(std::string_view what) { return move_to(text_.find(what, at_)); }
  bool seek_any(std::string_view what) { return move_to(text_.find_first_of(what, at_)); }
  void advance(std::size_t count) { move_to(std::min(at_ + count, text_.size())); }

  bool move_to(std::size_t position) {
    const bool found = position != std::string_view::npos;
    const std::size_t to = found ? position : text_.size();
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(to), '\n'));
    at_ = to;
    return found;
  }

  std::string_view text_;
  std::size_t at_ = 0, nodes_ = 0;
  std::vector<std::string_view> attributes_;  ///< names, of the tag that is read
  int line_, depth_ = 0;
  bool stopped_ = false;
  Findings& findings_;
};

bool looks_like_utf16(std::string_view text) {
  return text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") ||
         text.starts_with(std::string_view("<\0", 2)) ||
         text.starts_with(std::string_view("\0<", 2));
}

}  // namespace

std::string_view without_preamble(std::string_view text, int& line) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t start = std::min(text.find_first_not_of(white_space), text.size());
  line += static_cast<int>(
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(start), '\n'));
  text.remove_prefix(start);
  return text;
}

void check_markup(std::string_view text, int first_line, Findings& findings) {
  if (text.size() > max_bytes) {
    findings.fault(0, "",
                   "the text has " + std::to_string(text.size()) + " bytes, the limit is " +
                       std::to_string(max_bytes));
    return;
  }
  if (looks_like_utf16(text)) {
    findings.fault(first_line, "", "the text is UTF-16, expected UTF-8: save it in that encoding");
    return;
  }
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(zero);
    const int line = first_line + static_cast<int>(std::count(text.begin(), end, '\n'));
    findings.fault(line, "", "the text has a zero byte, expected characters only");
    return;
  }
  if (text.empty()) {
    findings.fault(0, "",
                   "the text is empty, expected a URDF that starts with <robot name=\"...\">");
    return;
  }
  MarkupScanner(text, first_line, findings).run();
}

std::optional<std::string> decode_entities(std::string_view raw, std::string& bad) {
  std::string out;
  out.reserve(raw.size());
  while (!raw.empty()) {
    const std::size_t plain = std::min(raw.find('&'), raw.size());
    out.append(raw.substr(0, plain));
    raw.remove_prefix(plain);
    if (raw.empty()) break;
    const std::size_t end = raw.find(';');
    if (end == std::string_view::npos || !append_entity(out, raw.substr(1, end - 1))) {
      bad = raw.substr(0, std::min({end, raw.size() - 1, std::size_t{30}}) + 1);
      return std::nullopt;
    }
    raw.remove_prefix(end + 1);
  }
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::optional<double> parse_number(std::string_view text, std::string& expected) {
  const std::size_t start = text.find_first_not_of(white_space);
  if (start == std::string_view::npos) {
    expected = "expected a number";
    return std::nullopt;
  }
  text.remove_prefix(start);
  // from_chars knows no plus sign, URDF readers do.
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);

  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range) {
    expected = "expected a number that a double can hold";
  } else if (error != std::errc{}) {
    expected = "expected a number";
  } else if (stop != end && *stop == ',') {
    expected = "expected a number with a decimal point, not a comma";
  } else if (stop != end && white_space.find(*stop) != std::string_view::npos &&
             std::string_view(stop, end).find_first_not_of(white_space) == std::string_view::npos) {
    // urdfdom takes such a value for no number at all, and others then see a zero: better say it.
    expected = "expected a number with no blank, tab or line break after it";
  } else if (stop != end) {
    expected = "expected one number";
  } else if (!std::isfinite(value)) {
    expected = "expected a finite number";
  } else {
    return value;
  }
  return std::nullopt;
}

std::optional<std::array<double, 3>> parse_vector(std::string_view text, std::string& expected) {
  std::array<double, 3> values{};
  std::size_t count = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view piece = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (piece.empty()) continue;
    const auto value = parse_number(piece, expected);
    if (!value && piece.find_first_of("\t\n\v\f\r") != std::string_view::npos) {
      expected = "expected 3 numbers separated by blanks only, without tabs or line breaks";
      return std::nullopt;
    }
    if (!value) {
      expected += " in place of " + shown(piece);
      return std::nullopt;
    }
    if (count < values.size()) values[count] = *value;
    ++count;
  }
  if (count != values.size()) {
    expected = "expected 3 numbers, got " + std::to_string(count);
    return std::nullopt;
  }
  return values;
}

}  // namespace rbd_parallel_core::urdf_text
