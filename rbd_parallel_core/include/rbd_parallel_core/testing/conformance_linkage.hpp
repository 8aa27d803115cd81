// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The conformance suite is made of headers: the test of a backend includes it, and needs nothing
/// else. Its functions are long, and a program of many files would have each of them compiled in
/// every file. Such a program defines RBD_CONFORMANCE_LINKED for all files, and for one of them
/// RBD_CONFORMANCE_COMPILED_HERE too: the others see declarations only.
///
/// RBD_CONFORMANCE_FUNCTION: what the definition of a function begins with, where there is one.
#if !defined(RBD_CONFORMANCE_LINKED)
#define RBD_CONFORMANCE_FUNCTION inline
#elif defined(RBD_CONFORMANCE_COMPILED_HERE)
#define RBD_CONFORMANCE_FUNCTION
#endif
