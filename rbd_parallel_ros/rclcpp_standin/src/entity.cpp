// SPDX-License-Identifier: Apache-2.0
#include "rclcpp/detail/entity.hpp"

#include "rclcpp/logging.hpp"

namespace rclcpp::detail {

void report_fini_error(const char* what) noexcept {
  RCLCPP_ERROR(get_logger("rclcpp"), "failed to end %s: %s", what, rcl_get_error_string().str);
  rcl_reset_error();
}

namespace {

// Throws ErrorT with rcl's reason where rcl found the name to be wrong, and else what check throws.
template <typename ErrorT>
void check_name(rcl_ret_t ret, rcl_ret_t wrong_name, const std::string& name,
                const std::string& what) {
  if (ret == wrong_name) {
    const std::string reason = rcl_get_error_string().str;
    rcl_reset_error();
    throw ErrorT(name.c_str(), reason.c_str(), 0);
  }
  check(ret, what);
}

}  // namespace

void check_topic(rcl_ret_t ret, const std::string& topic, const std::string& what) {
  check_name<exceptions::InvalidTopicNameError>(ret, RCL_RET_TOPIC_NAME_INVALID, topic, what);
}

void check_service(rcl_ret_t ret, const std::string& service, const std::string& what) {
  check_name<exceptions::InvalidServiceNameError>(ret, RCL_RET_SERVICE_NAME_INVALID, service, what);
}

}  // namespace rclcpp::detail
