/* SPDX-License-Identifier: Apache-2.0 */
/* Another library of rigid-body dynamics, behind a plain C interface.
 *
 * A library that implements this is loaded at run time (see peer.hpp) and shares nothing but
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
  RBD_PEER_CRBA = 1,
  RBD_PEER_ABA = 2,
  RBD_PEER_RNEA_DERIVATIVES = 3, /* d tau / d q, d tau / d v */
  RBD_PEER_ABA_DERIVATIVES = 4   /* d qdd / d q, d qdd / d v, the inverse of M */
} RbdPeerOperation;

/* One way in which the peer can do the job. */
typedef struct RbdPeerVariant {
  RbdPeerOperation operation;
  const char* name; /* of the convention or the function, where there are several; else empty */
  int threads;
  int finite_differences; /* whether its numbers are differences, so that half of the digits are
                             right */
} RbdPeerVariant;

/* The entry points, handed out by the one exported symbol. Functions that can fail return 0 for
 * success; the text of the last failure of the calling thread is error(). */
typedef struct RbdPeerApi {
  const char* (*name)(void);
  const char* (*version)(void);
  const char* (*error)(void);

  /* All that the peer can do; a variant is named by its index. */
  const RbdPeerVariant* (*variants)(size_t* count);

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

  /* Evaluates every prepared state once; each result stays where the peer writes it. This is what
   * is timed. */
  int (*run)(RbdPeer* peer, size_t variant);

  /* Evaluates the variant and copies the results of `count` prepared states, one after the other:
   * nv numbers each; or, for a mass matrix and for derivatives, full matrices of nv x nv,
   * row-major, in the order above. */
  int (*results)(RbdPeer* peer, size_t variant, size_t count, const size_t* states, double* out);
} RbdPeerApi;

typedef const RbdPeerApi* (*RbdPeerApiFunction)(void);

/* Name of the exported function, of type RbdPeerApiFunction. */
#define RBD_PEER_API_SYMBOL "rbd_peer_api"

#ifdef __cplusplus
}
#endif
