// SPDX-License-Identifier: Apache-2.0
// RCLCPP_<SEVERITY>, each in the forms plain, _ONCE, _EXPRESSION, _SKIPFIRST, _THROTTLE, and
// _STREAM of these. All of them hand over to rcutils, which decides whether the level is wanted
// before it evaluates the arguments.
#pragma once

#include <rcutils/logging_macros.h>
#include <rcutils/time.h>

#include <sstream>
#include <type_traits>

#include "rclcpp/logger.hpp"

#define RCLCPP_STANDIN_ASSERT_LOGGER(logger)                                             \
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(logger)>, ::rclcpp::Logger>, \
                "First argument to logging macros must be an rclcpp::Logger")

// macro: rcutils' macro; condition: what it takes before the name.
#define RCLCPP_STANDIN_LOG(macro, logger, ...) \
  do {                                         \
    RCLCPP_STANDIN_ASSERT_LOGGER(logger);      \
    macro((logger).get_name(), __VA_ARGS__);   \
  } while (0)
#define RCLCPP_STANDIN_LOG_IF(macro, condition, logger, ...) \
  do {                                                       \
    RCLCPP_STANDIN_ASSERT_LOGGER(logger);                    \
    macro(condition, (logger).get_name(), __VA_ARGS__);      \
  } while (0)
#define RCLCPP_STANDIN_LOG_THROTTLE(macro, logger, clock, duration, ...)           \
  do {                                                                             \
    RCLCPP_STANDIN_ASSERT_LOGGER(logger);                                          \
    auto standin_now = [&standin_clock = clock](rcutils_time_point_value_t* now) { \
      try {                                                                        \
        *now = standin_clock.now().nanoseconds();                                  \
      } catch (...) {                                                              \
        return RCUTILS_RET_ERROR;                                                  \
      }                                                                            \
      return RCUTILS_RET_OK;                                                       \
    };                                                                             \
    macro(standin_now, duration, (logger).get_name(), __VA_ARGS__);                \
  } while (0)
// The text of a stream is made only where it is logged.
#define RCLCPP_STANDIN_TEXT(stream) "%s", (std::ostringstream() << "" << stream).str().c_str()

#define RCLCPP_DEBUG(logger, ...) RCLCPP_STANDIN_LOG(RCUTILS_LOG_DEBUG_NAMED, logger, __VA_ARGS__)
#define RCLCPP_DEBUG_ONCE(logger, ...) \
  RCLCPP_STANDIN_LOG(RCUTILS_LOG_DEBUG_ONCE_NAMED, logger, __VA_ARGS__)
#define RCLCPP_DEBUG_EXPRESSION(logger, expression, ...) \
  RCLCPP_STANDIN_LOG_IF(RCUTILS_LOG_DEBUG_EXPRESSION_NAMED, expression, logger, __VA_ARGS__)
#define RCLCPP_DEBUG_SKIPFIRST(logger, ...) \
  RCLCPP_STANDIN_LOG(RCUTILS_LOG_DEBUG_SKIPFIRST_NAMED, logger, __VA_ARGS__)
#define RCLCPP_DEBUG_THROTTLE(logger, clock, duration, ...)                              \
  RCLCPP_STANDIN_LOG_THROTTLE(RCUTILS_LOG_DEBUG_THROTTLE_NAMED, logger, clock, duration, \
                              __VA_ARGS__)
#define RCLCPP_DEBUG_STREAM(logger, stream) \
  RCLCPP_STANDIN_LOG(RCUTILS_LOG_DEBUG_NAMED, logger, RCLCPP_STANDIN_TEXT(stream))
#define RCLCPP_DEBUG_STREAM_ONCE(logger, stream) \
  RCLCPP_STANDIN_LOG(RCUTILS_LOG_DEBUG_ONCE_NAMED, logger, RCLCPP_STANDIN_TEXT(stream))
#define RCLCPP_DEBUG_STREAM_EXPRESSION(logger, expression, stream)              \
  RCLCPP_STANDIN_LOG_IF(RCUTILS_LOG_DEBUG_EXPRESSION_NAMED, expression, logger, \
                        RCLCPP_STANDIN_TEXT(stream))
#define RCLCPP_DEBUG_STREAM_SKIPFIRST(logger, stream) \
  RCLCPP_STANDIN_LOG(RCUTILS_LOG_DEBUG_SKIPFIRST_NAMED, logger, RCLCPP_STANDIN_TEXT(stream))
#define RCLCPP_DEBUG_STREAM_THROTTLE(logger, clock, duration, stream)                    \
  RCLCPP_STANDIN_LOG_THROTTLE(RCUTILS_LOG_DEBUG_THROTTLE_NAMED, logger, clock, duration, \
                              RCLCPP_STANDIN_TEXT(stream))

#define RCLCPP_INFO(logger, ...) RCLCPP_STANDIN_LOG(RCUTILS_LOG_INFO_NAMED, logger, __VA_ARGS__)
#define RCLCPP_INFO_ONCE(logger, ...) \
  RCLCPP_STANDIN_LOG(RCUTILS_LOG_INFO_ONCE_NAMED, logger, __VA_ARGS__)
#define RCLCPP_INFO_EXPRESSION(logger, expression, ...) \
  RCLCPP_STANDIN_LOG_IF(RCUTILS_LOG_INFO_EXPRESSION_NAMED, expression, logger, __VA_ARGS__)
#define RCLCPP_INFO_SKIPFIRST(logger, ...) \
  RCLCPP_STANDIN_LOG(RCUTILS_LOG_INFO_SKIPFIRST_NAMED, logger, __VA_ARGS__)
#define RCLCPP_INFO_THROTTLE(logger, clock, duration, ...) \
  RCLCPP_STANDIN_LOG_THROTTLE(RCUTILS_LOG_INFO_THROTTLE_NAMED, logger, clock, duration, __VA_ARGS__)
#define RCLCPP_INFO_STREAM(logger, stream) \
  RCLCPP_STANDIN_LOG(RCUTILS_LOG_INFO_NAMED, logger, RCLCPP_STANDIN_TEXT(stream))
#define RCLCPP_INFO_STREAM_ONCE(logger, stream) \
  RCLCPP_STANDIN_LOG(RCUTILS_LOG_INFO_ONCE_NAMED, logger, RCLCPP_STANDIN_TEXT(stream))
#define RCLCPP_INFO_STREAM_EXPRESSION(logger, expression, stream)              \
  RCLCPP_STANDIN_LOG_IF(RCUTILS_LOG_INFO_EXPRESSION_NAMED, expression, logger, \
                        RCLCPP_STANDIN_TEXT(stream))
#define RCLCPP_INFO_STREAM_SKIPFIRST(logger, stream) \
  RCLCPP_STANDIN_LOG(RCUTILS_LOG_INFO_SKIPFIRST_NAMED, logger, RCLCPP_STANDIN_TEXT(stream))
#define RCLCPP_INFO_STREAM_THROTTLE(logger, clock, duration, stream)                    \
  RCLCPP_STANDIN_LOG_THROTTLE(RCUTILS_LOG_INFO_THROTTLE_NAMED, logger, clock, duration, \
                              RCLCPP_STANDIN_TEXT(stream))

#define RCLCPP_WARN(logger, ...) RCLCPP_STANDIN_LOG(RCUTILS_LOG_WARN_NAMED, logger, __VA_ARGS__)
#define RCLCPP_WARN_ONCE(logger, ...) \
  RCLCPP_STANDIN_LOG(RCUTILS_LOG_WARN_ONCE_NAMED, logger, __VA_ARGS__)
#define RCLCPP_WARN_EXPRESSION(logger, expression, ...) \
  RCLCPP_STANDIN_LOG_IF(RCUTILS_LOG_WARN_EXPRESSION_NAMED, expression, logger, __VA_ARGS__)
#define RCLCPP_WARN_SKIPFIRST(logger, ...) \
  RCLCPP_STANDIN_LOG(RCUTILS_LOG_WARN_SKIPFIRST_NAMED, logger, __VA_ARGS__)
#define RCLCPP_WARN_THROTTLE(logger, clock, duration, ...) \
  RCLCPP_STANDIN_LOG_THROTTLE(RCUTILS_LOG_WARN_THROTTLE_NAMED, logger, clock, duration, __VA_ARGS__)
#define RCLCPP_WARN_STREAM(logger, stream) \
  RCLCPP_STANDIN_LOG(RCUTILS_LOG_WARN_NAMED, logger, RCLCPP_STANDIN_TEXT(stream))
#define RCLCPP_WARN_STREAM_ONCE(logger, stream) \
  RCLCPP_STANDIN_LOG(RCUTILS_LOG_WARN_ONCE_NAMED, logger, RCLCPP_STANDIN_TEXT(stream))
#define RCLCPP_WARN_STREAM_EXPRESSION(logger, expression, stream)              \
  RCLCPP_STANDIN_LOG_IF(RCUTILS_LOG_WARN_EXPRESSION_NAMED, expression, logger, \
                        RCLCPP_STANDIN_TEXT(stream))
#define RCLCPP_WARN_STREAM_SKIPFIRST(logger, stream) \
  RCLCPP_STANDIN_LOG(RCUTILS_LOG_WARN_SKIPFIRST_NAMED, logger, RCLCPP_STANDIN_TEXT(stream))
#define RCLCPP_WARN_STREAM_THROTTLE(logger, clock, duration, stream)                    \
  RCLCPP_STANDIN_LOG_THROTTLE(RCUTILS_LOG_WARN_THROTTLE_NAMED, logger, clock, duration, \
                              RCLCPP_STANDIN_TEXT(stream))

#define RCLCPP_ERROR(logger, ...) RCLCPP_STANDIN_LOG(RCUTILS_LOG_ERROR_NAMED, logger, __VA_ARGS__)
#define RCLCPP_ERROR_ONCE(logger, ...) \
  RCLCPP_STANDIN_LOG(RCUTILS_LOG_ERROR_ONCE_NAMED, logger, __VA_ARGS__)
#define RCLCPP_ERROR_EXPRESSION(logger, expression, ...) \
  RCLCPP_STANDIN_LOG_IF(RCUTILS_LOG_ERROR_EXPRESSION_NAMED, expression, logger, __VA_ARGS__)
#define RCLCPP_ERROR_SKIPFIRST(logger, ...) \
  RCLCPP_STANDIN_LOG(RCUTILS_LOG_ERROR_SKIPFIRST_NAMED, logger, __VA_ARGS__)
#define RCLCPP_ERROR_THROTTLE(logger, clock, duration, ...)                              \
  RCLCPP_STANDIN_LOG_THROTTLE(RCUTILS_LOG_ERROR_THROTTLE_NAMED, logger, clock, duration, \
                              __VA_ARGS__)
#define RCLCPP_ERROR_STREAM(logger, stream) \
  RCLCPP_STANDIN_LOG(RCUTILS_LOG_ERROR_NAMED, logger, RCLCPP_STANDIN_TEXT(stream))
#define RCLCPP_ERROR_STREAM_ONCE(logger, stream) \
  RCLCPP_STANDIN_LOG(RCUTILS_LOG_ERROR_ONCE_NAMED, logger, RCLCPP_STANDIN_TEXT(stream))
#define RCLCPP_ERROR_STREAM_EXPRESSION(logger, expression, stream)              \
  RCLCPP_STANDIN_LOG_IF(RCUTILS_LOG_ERROR_EXPRESSION_NAMED, expression, logger, \
                        RCLCPP_STANDIN_TEXT(stream))
#define RCLCPP_ERROR_STREAM_SKIPFIRST(logger, stream) \
  RCLCPP_STANDIN_LOG(RCUTILS_LOG_ERROR_SKIPFIRST_NAMED, logger, RCLCPP_STANDIN_TEXT(stream))
#define RCLCPP_ERROR_STREAM_THROTTLE(logger, clock, duration, stream)                    \
  RCLCPP_STANDIN_LOG_THROTTLE(RCUTILS_LOG_ERROR_THROTTLE_NAMED, logger, clock, duration, \
                              RCLCPP_STANDIN_TEXT(stream))

#define RCLCPP_FATAL(logger, ...) RCLCPP_STANDIN_LOG(RCUTILS_LOG_FATAL_NAMED, logger, __VA_ARGS__)
#define RCLCPP_FATAL_ONCE(logger, ...) \
  RCLCPP_STANDIN_LOG(RCUTILS_LOG_FATAL_ONCE_NAMED, logger, __VA_ARGS__)
#define RCLCPP_FATAL_EXPRESSION(logger, expression, ...) \
  RCLCPP_STANDIN_LOG_IF(RCUTILS_LOG_FATAL_EXPRESSION_NAMED, expression, logger, __VA_ARGS__)
#define RCLCPP_FATAL_SKIPFIRST(logger, ...) \
  RCLCPP_STANDIN_LOG(RCUTILS_LOG_FATAL_SKIPFIRST_NAMED, logger, __VA_ARGS__)
#define RCLCPP_FATAL_THROTTLE(logger, clock, duration, ...)                              \
  RCLCPP_STANDIN_LOG_THROTTLE(RCUTILS_LOG_FATAL_THROTTLE_NAMED, logger, clock, duration, \
                              __VA_ARGS__)
#define RCLCPP_FATAL_STREAM(logger, stream) \
  RCLCPP_STANDIN_LOG(RCUTILS_LOG_FATAL_NAMED, logger, RCLCPP_STANDIN_TEXT(stream))
#define RCLCPP_FATAL_STREAM_ONCE(logger, stream) \
  RCLCPP_STANDIN_LOG(RCUTILS_LOG_FATAL_ONCE_NAMED, logger, RCLCPP_STANDIN_TEXT(stream))
#define RCLCPP_FATAL_STREAM_EXPRESSION(logger, expression, stream)              \
  RCLCPP_STANDIN_LOG_IF(RCUTILS_LOG_FATAL_EXPRESSION_NAMED, expression, logger, \
                        RCLCPP_STANDIN_TEXT(stream))
#define RCLCPP_FATAL_STREAM_SKIPFIRST(logger, stream) \
  RCLCPP_STANDIN_LOG(RCUTILS_LOG_FATAL_SKIPFIRST_NAMED, logger, RCLCPP_STANDIN_TEXT(stream))
#define RCLCPP_FATAL_STREAM_THROTTLE(logger, clock, duration, stream)                    \
  RCLCPP_STANDIN_LOG_THROTTLE(RCUTILS_LOG_FATAL_THROTTLE_NAMED, logger, clock, duration, \
                              RCLCPP_STANDIN_TEXT(stream))
