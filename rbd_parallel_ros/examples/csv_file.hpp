// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <cstdio>
#include <initializer_list>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

/// A table for plots. Buffered, so that a row does not wait for a disk; without a path nothing is
/// written.
class CsvFile {
 public:
  CsvFile(const std::string& path, const std::vector<std::string>& columns) {
    if (path.empty()) return;
    file_.reset(std::fopen(path.c_str(), "w"));
    if (!file_) throw std::system_error(errno, std::generic_category(), path);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      std::fprintf(file_.get(), "%s%s", i == 0 ? "" : ",", columns[i].c_str());
    }
  }

  void row(double time, std::initializer_list<std::span<const double>> numbers) {
    if (!file_) return;
    std::fprintf(file_.get(), "\n%.6f", time);
    for (const std::span<const double>& group : numbers) {
      for (const double number : group) std::fprintf(file_.get(), ",%.12g", number);
    }
  }

  void close() { file_.reset(); }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
};

/// "prefix.name" of each name.
inline std::vector<std::string> columns_of(const std::string& prefix,
                                           const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const std::string& name : names) out.push_back(prefix + "." + name);
  return out;
}
