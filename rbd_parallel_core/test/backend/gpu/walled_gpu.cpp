// SPDX-License-Identifier: Apache-2.0
#include "walled_gpu.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "emulated_api.hpp"

namespace rbd_parallel_core {
namespace {

constexpr int illegal_address = 700, unknown_error = 999;

/// Starts the program anew with all functions of all libraries bound: the loader that binds one at
/// its first call works in memory that a kernel cannot reach.
const bool all_bound = [] {
  constexpr const char* variable = "LD_BIND_NOW";
  if (std::getenv(variable) != nullptr) return true;
  std::ifstream file("/proc/self/cmdline");
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::setenv(variable, "1", 1);
  ::execv("/proc/self/exe", arguments.data());
  return false;
}();

struct Pages {
  std::byte* begin;
  std::size_t bytes;

  bool contain(const void* at) const {
    return at >= static_cast<const void*>(begin) && at < static_cast<const void*>(begin + bytes);
  }
  void protect(int how) const { ::mprotect(begin, bytes, how); }
};

/// What the child process needs when the memory of the host is gone: all of it is static.
struct Launch {
  EmulatedEntry entry;
  LaunchShape shape;
  alignas(std::max_align_t) std::array<std::byte, 4096> body;
  alignas(std::max_align_t) std::array<std::byte, most_shared_bytes> shared;
  alignas(std::max_align_t) std::array<std::byte, 1 << 20> stack;
  std::array<Pages, 512> of_host;
  std::size_t of_host_count;
};
Launch at_hand;

std::map<std::byte*, std::size_t>& allocations() {
  static std::map<std::byte*, std::size_t> all;
  return all;
}

void protect_device(int how) {
  for (const auto& [begin, bytes] : allocations()) Pages{begin, bytes}.protect(how);
}

bool is_device(const std::byte* at) {
  for (const auto& [begin, bytes] : allocations()) {
    if (Pages{begin, bytes}.contain(at)) return true;
  }
  return false;
}

void add_pages_of_host(std::uintptr_t begin, std::uintptr_t end) {
  if (begin >= end || at_hand.of_host_count == at_hand.of_host.size()) return;
  at_hand.of_host[at_hand.of_host_count++] = {reinterpret_cast<std::byte*>(begin), end - begin};
}

/// Heap, stack, and what else was mapped to be written to, but for the program's own variables, of
/// which all that is at hand are some, and for what a thread needs to run at all: its own
/// variables, among them errno, and what the system knows of it, which is beside them. The rest of
/// that mapping counts: the heap can have grown to its neighbour.
void find_pages_of_host() {
  constexpr std::uintptr_t near = 32 * 1024;
  const std::uintptr_t page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto variables = reinterpret_cast<std::uintptr_t>(&errno);
  const auto thread = static_cast<std::uintptr_t>(::pthread_self());
  const std::uintptr_t first = std::min(variables, thread) / page * page - near;
  const std::uintptr_t last = std::max(variables, thread) / page * page + near;
  at_hand.of_host_count = 0;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::uintptr_t begin = 0, end = 0;
    char dash = 0;
    std::string rights, offset, device, inode, name;
    words >> std::hex >> begin >> dash >> end >> rights >> offset >> device >> inode >> name;
    const bool is_file = !name.empty() && name != "[heap]" && name != "[stack]";
    const Pages pages{reinterpret_cast<std::byte*>(begin), end - begin};
    if (is_file || rights != "rw-p" ||  // the device's are shared
        pages.contain(&at_hand) || pages.contain(&at_hand + 1)) {
      continue;
    }
    add_pages_of_host(begin, std::min(end, first));
    add_pages_of_host(std::max(begin, last), end);
  }
}

void run_behind_the_wall() {
  for (std::size_t k = 0; k < at_hand.of_host_count; ++k) at_hand.of_host[k].protect(PROT_NONE);
  at_hand.entry(at_hand.shape, at_hand.body.data(), at_hand.shared.data(), EmulatedWorker{});
  ::_exit(0);
}

[[noreturn]] void be_the_device() {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::signal(SIGSEGV, SIG_DFL);
  protect_device(PROT_READ | PROT_WRITE);
  ucontext_t context;
  ::getcontext(&context);
  context.uc_stack.ss_sp = at_hand.stack.data();
  context.uc_stack.ss_size = at_hand.stack.size();
  context.uc_link = nullptr;
  ::makecontext(&context, run_behind_the_wall, 0);
  ::setcontext(&context);
  ::_exit(1);
}

int launch(void (*entry)(), const LaunchShape& shape, const void* body, std::size_t bytes,
           GpuApi::Stream) {
  if (bytes > at_hand.body.size()) return gpu_error::invalid_value;
  at_hand.entry = reinterpret_cast<EmulatedEntry>(entry);
  at_hand.shape = shape;
  std::memcpy(at_hand.body.data(), body, bytes);
  find_pages_of_host();
  const pid_t child = ::fork();
  if (child == 0) be_the_device();
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return unknown_error;
  if (WIFSIGNALED(status)) return WTERMSIG(status) == SIGSEGV ? illegal_address : unknown_error;
  return WEXITSTATUS(status) == 0 ? gpu_error::none : unknown_error;
}

/// Shared, so that what a child process writes is there.
int allocate(void** memory, std::size_t bytes) {
  *memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (*memory == MAP_FAILED) return gpu_error::out_of_memory;
  std::memset(*memory, 0xff, bytes);
  auto* const begin = static_cast<std::byte*>(*memory);
  allocations()[begin] = bytes;
  Pages{begin, bytes}.protect(PROT_NONE);
  return 0;
}

int release(void* memory) {
  const auto found = allocations().find(static_cast<std::byte*>(memory));
  if (found == allocations().end()) return gpu_error::invalid_value;
  ::munmap(memory, found->second);
  allocations().erase(found);
  return 0;
}

/// Has the device do what emulated_api() does: its memory is there meanwhile.
template <class Work>
int by_the_device(const Work& work) {
  protect_device(PROT_READ | PROT_WRITE);
  const int error = work();
  protect_device(PROT_NONE);
  return error;
}

}  // namespace

const GpuApi& WalledGpu::api() {
  static const GpuApi table = [] {
    GpuApi t = emulated_api();
    t.allocate = allocate;
    t.release = release;
    t.launch = launch;
    t.is_on_device = [](const void* memory, bool* answer) {
      *answer = is_device(static_cast<const std::byte*>(memory));
      return 0;
    };
    t.copy = [](void* to, const void* from, std::size_t bytes, GpuApi::Stream stream) {
      return by_the_device([&] { return emulated_api().copy(to, from, bytes, stream); });
    };
    t.clear = [](void* memory, std::size_t bytes, GpuApi::Stream stream) {
      return by_the_device([&] { return emulated_api().clear(memory, bytes, stream); });
    };
    t.begin_capture = [](GpuApi::Stream) { return gpu_error::invalid_value; };
    return t;
  }();
  return table;
}

}  // namespace rbd_parallel_core
