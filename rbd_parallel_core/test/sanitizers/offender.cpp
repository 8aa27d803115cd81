// SPDX-License-Identifier: Apache-2.0
//
// Does on purpose what a sanitizer must catch: the positive controls of `./dev test --sanitize`.

#include <climits>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>

namespace {

volatile int one = 1;  ///< keeps the compiler from seeing what comes
volatile int sink;

void read_behind_the_heap() {
  const auto numbers = std::make_unique<int[]>(8);
  sink = numbers[static_cast<std::size_t>(7 + one)];
}

void overflow() { sink = INT_MAX + one; }

void leak() {
  volatile char* memory = new char[100];
  memory[0] = 1;
  memory = nullptr;
}

void race() {
  int shared = 0;
  const auto write = [&shared] {
    for (int k = 0; k < 1000; ++k) shared += one;
  };
  std::thread other(write);
  write();
  other.join();
  sink = shared;
}

}  // namespace

int main(int argc, char** argv) {
  const char* const fault = argc == 2 ? argv[1] : "";
  if (std::strcmp(fault, "heap") == 0) read_behind_the_heap();
  if (std::strcmp(fault, "overflow") == 0) overflow();
  if (std::strcmp(fault, "leak") == 0) leak();
  if (std::strcmp(fault, "race") == 0) race();
  std::puts("not caught so far");  // leaks are looked for after the end of main
}
