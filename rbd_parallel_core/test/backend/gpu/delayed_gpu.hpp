// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <vector>

#include "emulated_api.hpp"

namespace rbd_parallel_core {

/// A device that is as late as it may be: what is asked of a stream is done only when the caller
/// waits for it, and then no more of it than that. So who uses a buffer without having waited for
/// the work on it gets wrong numbers. Streams that `prompt` names are as early as they may be.
struct DelayedGpu {
  static inline unsigned prompt = 0;           ///< a bit for each stream, in the order of creation
  static inline bool forgets_to_wait = false;  ///< returns at once when it should wait for an event

  static void reset(unsigned prompt_streams = 0) {
    prompt = prompt_streams;
    forgets_to_wait = false;
    queues().clear();
    marks().clear();
    created() = 0;
  }

  static const GpuApi& api() {
    static const GpuApi table = [] {
      GpuApi t = emulated_api();
      t.create_stream = [](GpuApi::Stream* stream) {
        const int error = emulated_api().create_stream(stream);
        queues()[*stream].prompt = (prompt >> created()++ & 1) != 0;
        return error;
      };
      t.copy = [](void* to, const void* from, std::size_t bytes, GpuApi::Stream stream) {
        return enqueue(stream, [=] { return emulated_api().copy(to, from, bytes, stream); });
      };
      t.clear = [](void* memory, std::size_t bytes, GpuApi::Stream stream) {
        if (stream == recorded()) return emulated_api().clear(memory, bytes, stream);
        return enqueue(stream, [=] { return emulated_api().clear(memory, bytes, stream); });
      };
      t.launch = [](void (*entry)(), const LaunchShape& shape, const void* body, std::size_t bytes,
                    GpuApi::Stream stream) {
        if (stream == recorded()) return emulated_api().launch(entry, shape, body, bytes, stream);
        std::vector<std::max_align_t> kept(bytes / sizeof(std::max_align_t) + 1);
        std::memcpy(kept.data(), body, bytes);
        return enqueue(stream, [=, kept = std::move(kept)] {
          return emulated_api().launch(entry, shape, kept.data(), bytes, stream);
        });
      };
      t.begin_capture = [](GpuApi::Stream stream) {
        recorded() = stream;
        return emulated_api().begin_capture(stream);
      };
      t.end_capture = [](GpuApi::Stream stream, GpuApi::Graph* graph) {
        recorded() = nullptr;
        return emulated_api().end_capture(stream, graph);
      };
      t.launch_graph = [](GpuApi::Graph graph, GpuApi::Stream stream) {
        return enqueue(stream, [=] { return emulated_api().launch_graph(graph, stream); });
      };
      t.record_event = [](GpuApi::Event event, GpuApi::Stream stream) {
        marks()[event] = {stream, queues()[stream].steps.size()};
        return 0;
      };
      t.wait_event = [](GpuApi::Stream stream, GpuApi::Event event) {
        return enqueue(stream, [mark = marks()[event]] { return advance(mark); });
      };
      t.synchronize = [](GpuApi::Stream stream) {
        return advance({stream, queues()[stream].steps.size()});
      };
      t.synchronize_event = [](GpuApi::Event event) {
        return forgets_to_wait ? 0 : advance(marks()[event]);
      };
      return t;
    }();
    return table;
  }

  /// Queues work of somebody else.
  static int enqueue(GpuApi::Stream stream, std::function<int()> step) {
    Queue& queue = queues()[stream];
    queue.steps.push_back(std::move(step));
    return queue.prompt ? advance({stream, queue.steps.size()}) : 0;
  }

 private:
  struct Queue {
    std::vector<std::function<int()>> steps;
    std::size_t done = 0;
    bool prompt = false;
  };
  /// Behind so many steps of a stream.
  struct Mark {
    GpuApi::Stream stream = nullptr;
    std::size_t steps = 0;
  };

  static int advance(const Mark& mark) {
    Queue& queue = queues()[mark.stream];
    while (queue.done < mark.steps) {
      const int error = queue.steps[queue.done]();
      if (error != 0) return error;
      ++queue.done;
    }
    return 0;
  }

  static std::map<GpuApi::Stream, Queue>& queues() {
    static std::map<GpuApi::Stream, Queue> all;
    return all;
  }
  static std::map<GpuApi::Event, Mark>& marks() {
    static std::map<GpuApi::Event, Mark> all;
    return all;
  }
  /// The stream whose launches are recorded, or null.
  static GpuApi::Stream& recorded() {
    static GpuApi::Stream stream = nullptr;
    return stream;
  }
  static int& created() {
    static int count = 0;
    return count;
  }
};

}  // namespace rbd_parallel_core
