/* SPDX-License-Identifier: Apache-2.0 */
/* Pinocchio, as its wheel ships it, behind a plain C interface.
 *
 * The library that implements this is loaded at run time (see peer.hpp) and shares nothing but
 * numbers with the rest of the benchmark: no C++ type, no exception and no Eigen object crosses the
 * border, so both sides may be compiled with different flags and against different urdfdoms.
 *
 * A state crosses the border in this project's layout: a floating base comes first and has
 * q = (x y z, qx qy qz qw) and a body-frame twist, linear first; every other joint has one number
 * in q and one in v. The peer turns it into its own layout when the state is set, ahead of timing.
 */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RbdPeer RbdPeer;

typedef enum RbdPeerOperation {
  RBD_PEER_RNEA = 0,
  RBD_PEER_ABA_LOCAL = 1,
  RBD_PEER_ABA_WORLD = 2,
  RBD_PEER_CRBA_LOCAL = 3,
  RBD_PEER_CRBA_WORLD = 4
} RbdPeerOperation;

/* The entry points, handed out by the one exported symbol. Functions that can fail return 0 for
 * success; the text of the last failure of the calling thread is error(). */
typedef struct RbdPeerApi {
  const char* (*version)(void);
  const char* (*error)(void);

  /* A model from the text of a URDF; NULL on failure. Mimic joints become independent. */
  RbdPeer* (*create)(const char* urdf_xml, int floating_base);
  void (*destroy)(RbdPeer* peer);

  /* Sizes of a state as it crosses the border, and the joints in their order. */
  size_t (*nq)(const RbdPeer* peer);
  size_t (*nv)(const RbdPeer* peer);
  size_t (*joint_count)(const RbdPeer* peer);
  const char* (*joint_name)(const RbdPeer* peer, size_t joint);

  /* Prepares `count` states; the arrays are row-major, one state after the other. */
  int (*set_states)(RbdPeer* peer, size_t count, const double* q, const double* v, const double* a,
                    const double* tau);

  /* Evaluates every prepared state once; the results are dropped. This is what is timed. */
  int (*run)(RbdPeer* peer, RbdPeerOperation operation);

  /* Evaluates one prepared state; writes nv numbers, or nv x nv for a mass matrix. Pinocchio fills
   * its upper triangle only; here the lower one is mirrored. */
  int (*evaluate)(RbdPeer* peer, RbdPeerOperation operation, size_t state, double* result);
} RbdPeerApi;

typedef const RbdPeerApi* (*RbdPeerApiFunction)(void);

/* Name of the exported function, of type RbdPeerApiFunction. */
#define RBD_PEER_API_SYMBOL "rbd_peer_api"

#ifdef __cplusplus
}
#endif
