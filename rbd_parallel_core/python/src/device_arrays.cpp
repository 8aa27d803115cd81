// SPDX-License-Identifier: Apache-2.0
#include "device_arrays.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

namespace rbd_parallel_python {
namespace {

using namespace nb::literals;

constexpr const char* cuda_interface = "__cuda_array_interface__";

// Kinds of devices, as DLPack numbers them.
constexpr int on_host = 1, on_cuda = 2, pinned_for_cuda = 3, managed_by_cuda = 13;

/// What an array of any library says of itself.
struct Description {
  std::string type;  ///< "float64"
  const void* data = nullptr;
  Shape shape;
  std::vector<std::int64_t> strides;  ///< in numbers; empty: C order
  bool read_only = false;
  std::optional<int> device;
  nb::object owner;
};

std::string name_of_type(const nb::dlpack::dtype& type) {
  const std::string bits = std::to_string(type.bits);
  switch (static_cast<nb::dlpack::dtype_code>(type.code)) {
    case nb::dlpack::dtype_code::Float:
      return "float" + bits;
    case nb::dlpack::dtype_code::Int:
      return "int" + bits;
    case nb::dlpack::dtype_code::UInt:
      return "uint" + bits;
    default:
      return "numbers of DLPack's type " + std::to_string(type.code) + " with " + bits + " bits";
  }
}

/// What `text` describes as a T, or a refusal by name.
template <class T>
T expect(nb::handle object, std::string_view name, const std::string& text) {
  T value{};
  if (object.is_valid() && nb::try_cast<T>(object, value)) return value;
  refuse(std::string(name) + ": expected " + text + ", got " +
         (object.is_valid() ? nb::repr(object).c_str() : "nothing"));
}

// ---- DLPack -------------------------------------------------------------------------------------

Description by_dlpack(nb::handle object, std::string_view name, DeviceAccess& device) {
  // The owner has its work done before anything that comes into our stream from now on.
  const nb::object capsule =
      object.attr("__dlpack__")("stream"_a = reinterpret_cast<std::uintptr_t>(device.stream()));
  const auto array =
      expect<nb::ndarray<nb::ro>>(capsule, name, "a capsule with an array from __dlpack__");
  Description result;
  result.type = name_of_type(array.dtype());
  result.data = array.data();
  result.device = array.device_id();
  for (std::size_t i = 0; i < array.ndim(); ++i) {
    result.shape.push_back(array.shape(i));
    result.strides.push_back(array.stride(i));
  }
  result.owner = nb::cast(array, nb::rv_policy::reference);
  return result;
}

// ---- the CUDA array interface -------------------------------------------------------------------

/// Has the work of a stream done first. None should say that there is none under way, but libraries
/// say so of the default stream too (Numba), for which ours does not wait by itself.
void wait_for(nb::handle stream, std::string_view name, DeviceAccess& device) {
  constexpr std::uintptr_t default_stream = 1;
  const auto handle =
      stream.is_none()
          ? default_stream
          : expect<std::uintptr_t>(stream, name,
                                   std::string("the address of a stream in ") + cuda_interface);
  if (handle == 0) {
    refuse(std::string(name) + ": expected a stream or None in " + cuda_interface +
           ", got 0, which could mean two of them");
  }
  if (const int error = device.wait_for(reinterpret_cast<void*>(handle))) {
    throw std::runtime_error(std::string(name) + ": waiting for its stream failed, error " +
                             std::to_string(error) + " of CUDA");
  }
}

Description by_cuda_interface(nb::handle object, std::string_view name, DeviceAccess& device) {
  const nb::object described = object.attr(cuda_interface);
  const auto entry = [&](const char* key) -> nb::object {
    return described.attr("get")(key, nb::none());
  };
  if (!entry("mask").is_none()) {
    refuse(std::string(name) + ": expected an array without a mask, got a " + class_name(object) +
           " with one");
  }
  const std::string within = std::string(" in ") + cuda_interface;
  Description result;
  const nb::object type = nb::module_::import_("numpy").attr("dtype")(described["typestr"]);
  result.type = nb::str(type).c_str();
  const auto [address, read_only] = expect<std::pair<std::uintptr_t, bool>>(
      entry("data"), name, "an address and whether it is read-only as data" + within);
  result.data = reinterpret_cast<const void*>(address);
  result.read_only = read_only;
  result.shape = expect<Shape>(entry("shape"), name, "sizes as shape" + within);
  if (const nb::object strides = entry("strides"); !strides.is_none()) {
    const auto steps =
        expect<std::vector<std::int64_t>>(strides, name, "numbers of bytes as strides" + within);
    if (steps.size() != result.shape.size()) {
      refuse(std::string(name) + ": expected a stride for each of the " +
             std::to_string(result.shape.size()) + " sizes" + within + ", got " +
             std::to_string(steps.size()));
    }
    const auto bytes = nb::cast<std::int64_t>(type.attr("itemsize"));
    for (const std::int64_t step : steps) {
      // What is no multiple is no stride of C order either. An empty type has no order.
      result.strides.push_back(bytes > 0 && step % bytes == 0 ? step / bytes : -1);
    }
  }
  wait_for(entry("stream"), name, device);
  result.owner = nb::borrow(object);
  return result;
}

// ---- checks -------------------------------------------------------------------------------------

/// An axis of one element or fewer may have any stride.
bool is_in_c_order(const Description& array) {
  std::int64_t expected = 1;
  for (std::size_t i = array.strides.size(); i-- > 0;) {
    if (array.shape[i] > 1 && array.strides[i] != expected) return false;
    expected *= static_cast<std::int64_t>(array.shape[i]);
  }
  return true;
}

std::string device_text(int number) { return "CUDA device " + std::to_string(number); }

/// `expected`: the words before what came instead.
template <class Real>
Description describe(nb::handle object, std::string_view name, const std::string& expected,
                     DeviceAccess& device) {
  const bool offers_dlpack = nb::hasattr(object, "__dlpack_device__");
  Description array =
      offers_dlpack ? by_dlpack(object, name, device) : by_cuda_interface(object, name, device);
  const std::string got = expected + "a " + class_name(object) + " ";
  if (array.type != dtype_name<Real>) refuse(got + "of " + array.type);
  if (array.device && *array.device != device.device()) {
    refuse(got + "on " + device_text(*array.device));
  }
  if (!is_in_c_order(array)) refuse(got + "that is not C-contiguous");
  if (reinterpret_cast<std::uintptr_t>(array.data) % alignof(Real) != 0) {
    refuse(got + "that is misaligned");
  }
  const std::size_t size =
      std::accumulate(array.shape.begin(), array.shape.end(), std::size_t{1}, std::multiplies<>());
  if (size > 0 && !device.holds(array.data)) refuse(got + "whose memory is no device's");
  return array;
}

template <class Real>
Array<Real> array_of(const Description& array, nb::handle object) {
  return Array<Real>::there(static_cast<const Real*>(array.data), array.shape, nb::borrow(object),
                            array.owner);
}

}  // namespace

bool lies_on_device(nb::handle object, std::string_view name) {
  if (object.is_none() || is_plain_array(object)) return false;
  if (nb::hasattr(object, "__dlpack_device__")) {
    const auto kind = nb::cast<int>(nb::object(object.attr("__dlpack_device__")())[0]);
    if (kind == on_cuda || kind == managed_by_cuda) return true;
    if (kind == on_host || kind == pinned_for_cuda) return false;
    refuse(std::string(name) + ": expected an array of the host or of a CUDA device, got a " +
           class_name(object) + " on a device of DLPack's kind " + std::to_string(kind));
  }
  return nb::hasattr(object, cuda_interface);
}

template <class Real>
Array<Real> view_on_device(nb::handle object, std::string_view name, DeviceAccess& device) {
  const std::string expected = std::string(name) + ": expected a C-contiguous array of " +
                               dtype_name<Real> + " on " + device_text(device.device()) + ", got ";
  return array_of<Real>(describe<Real>(object, name, expected, device), object);
}

template <class Real>
Array<Real> view_out_on_device(nb::handle object, const Shape& shape, DeviceAccess& device) {
  const std::string expected = std::string("out: expected a writable C-contiguous ") +
                               dtype_name<Real> + " array of shape " + text(shape) + " on " +
                               device_text(device.device()) + ", got ";
  const Description array = describe<Real>(object, "out", expected, device);
  if (array.shape != shape) refuse(expected + "shape " + text(array.shape));
  if (array.read_only) refuse(expected + "a read-only one");
  return array_of<Real>(array, object);
}

template <class Real>
Array<Real> make_on_device(const Shape& shape, DeviceAccess& device) {
  const std::size_t size =
      std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  auto memory = std::make_unique<std::shared_ptr<void>>(device.allocate(size * sizeof(Real)));
  auto* const data = static_cast<Real*>(memory->get());
  const nb::capsule owner(memory.release(), [](void* pointer) noexcept {
    delete static_cast<std::shared_ptr<void>*>(pointer);
  });
  const nb::ndarray<nb::array_api, Real, nb::device::cuda> array(data, shape.size(), shape.data(),
                                                                 owner, nullptr, nb::dtype<Real>(),
                                                                 on_cuda, device.device());
  return Array<Real>::there(data, shape, nb::cast(array), owner);
}

template Array<double> view_on_device<double>(nb::handle, std::string_view, DeviceAccess&);
template Array<float> view_on_device<float>(nb::handle, std::string_view, DeviceAccess&);
template Array<double> view_out_on_device<double>(nb::handle, const Shape&, DeviceAccess&);
template Array<float> view_out_on_device<float>(nb::handle, const Shape&, DeviceAccess&);
template Array<double> make_on_device<double>(const Shape&, DeviceAccess&);
template Array<float> make_on_device<float>(const Shape&, DeviceAccess&);

}  // namespace rbd_parallel_python
