# SPDX-License-Identifier: Apache-2.0
"""Time-varying LQR along a trajectory of a seven-axis arm.

The nominal torques come from inverse dynamics, A and B of all knots from one call of Backend.linearize, the gains from a
Riccati recursion. Disturbed robots then follow the trajectory, with the nominal torques alone (open loop) and with the
gains, all of them side by side in one batch; then once more with a payload that nobody told the controller about.

    python tvlqr.py [--robot config/robots/arm7.urdf] [--runs 12] [--plot tvlqr.png]
"""

import argparse
import pathlib
import sys

import numpy

import rbd_parallel

ROBOT = pathlib.Path(__file__).resolve().parents[2] / "config" / "robots" / "arm7.urdf"
START = numpy.array([-0.8, -0.6, 0.3, 1.1, -0.4, 0.7, 0.0])
GOAL = numpy.array([0.9, 0.5, -0.5, 0.6, 0.7, -0.6, 1.0])
MOVE, DURATION, DT = 2.0, 2.5, 0.005  # s: the motion, with a pause after it, and the period of the controller
TIP = "tool_tip"
PAYLOAD = 1.0  # kg


def minimum_jerk(times):
    """q from START to GOAL within MOVE seconds."""
    s = numpy.clip(times / MOVE, 0, 1)[:, None]
    blend = s**3 * (10 - 15 * s + 6 * s**2)
    return START + blend * (GOAL - START)


def nominal(backend, times):
    """(q, v, tau) of all knots. The differences make it a trajectory of the discrete step itself."""
    model = backend.model
    q = minimum_jerk(times)
    v = numpy.zeros_like(q)
    v[1:] = model.difference(q[:-1], q[1:]) / DT
    a = numpy.diff(v, axis=0) / DT
    return q, v, backend.inverse_dynamics(q[:-1], v[:-1], a)


def riccati(A, B, Q, R, held=400):
    """The gains K of tau = tau_nominal - K dx that minimise the sum of dx^T Q dx + dtau^T R dtau.

    The last knot is held for `held` steps more, so that the end of the motion is regulated as firmly as the rest.
    """
    gains = numpy.empty((len(A), B.shape[2], A.shape[1]))
    P = Q
    for k in [len(A) - 1] * held + list(reversed(range(len(A)))):
        PB = P @ B[k]
        gains[k] = numpy.linalg.solve(R + B[k].T @ PB, PB.T @ A[k])
        closed = A[k] - B[k] @ gains[k]
        P = Q + closed.T @ P @ closed + gains[k].T @ R @ gains[k]
    return gains


def simulate(backend, trajectory, gains, q, v, limits):
    """Joint positions of a batch over time, with torques within the limits. gains: None for open loop."""
    model = backend.model
    path = [q]
    for k, (q_ref, v_ref, tau_ref) in enumerate(zip(*trajectory)):
        tau = numpy.tile(tau_ref, (len(q), 1))
        if gains is not None:
            dq = model.difference(numpy.tile(q_ref, (len(q), 1)), q)
            tau -= numpy.concatenate([dq, v - v_ref], axis=1) @ gains[k].T
        q, v = backend.step(q, v, numpy.clip(tau, -limits, limits), DT, "rk4")
        path.append(q)
    return numpy.array(path)


def tip_error(backend, path, reference):
    """mm between the tips, (times, runs)."""
    times, runs, nq = path.shape
    at = backend.link_poses(path.reshape(-1, nq), TIP)[:, :3].reshape(times, runs, 3)
    wanted = backend.link_poses(reference, TIP)[:, :3]
    return 1e3 * numpy.linalg.norm(at - wanted[:, None], axis=2)


def plot(times, reference, lqr, errors, path):
    try:
        import matplotlib
    except ImportError:
        sys.exit("tvlqr.py: the plot needs matplotlib, which this Python does not have: pip install matplotlib")
    matplotlib.use("Agg")  # no screen is needed
    import matplotlib.pyplot as pyplot

    figure, (joints, disturbed, loaded) = pyplot.subplots(1, 3, figsize=(14, 4.4), layout="constrained")
    for k in range(reference.shape[1]):
        joints.plot(times, lqr[:, :, k], color=f"C{k}", linewidth=0.6, alpha=0.6)
        joints.plot(times, reference[:, k], color=f"C{k}", linestyle="--", linewidth=1.8, label=f"joint_{k + 1}")
    joints.set(title="Joints: nominal (dashed) and with TVLQR", xlabel="time / s", ylabel="position / rad", ylim=(-1.7, 1.3))
    joints.legend(fontsize="small", ncols=4, loc="lower center")
    smallest = 1e-2
    for axes, case, title in (
        (disturbed, "disturbed start", "Tip, from disturbed starts"),
        (loaded, "payload", f"And an unknown payload of {PAYLOAD:g} kg"),
    ):
        for name, colour in (("open loop", "C3"), ("TVLQR", "C0")):
            lines = axes.semilogy(times, numpy.maximum(errors[case, name], smallest), color=colour, linewidth=0.8, alpha=0.6)
            lines[0].set_label(name)
        axes.set(title=title, xlabel="time / s", ylabel=f"error of the tip / mm (at least {smallest:g})")
        axes.set_ylim(smallest, 4e3)
        for line in axes.legend(loc="lower left", framealpha=1).get_lines():
            line.set(linewidth=2, alpha=1)
    for axes in (joints, disturbed, loaded):
        axes.grid(alpha=0.3)
        axes.set_xlim(times[0], times[-1])
    figure.savefig(path, dpi=90)
    print(f"plot: {path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--robot", type=pathlib.Path, default=ROBOT)
    parser.add_argument("--runs", type=int, default=12, help="disturbed robots")
    parser.add_argument("--plot", type=pathlib.Path, help="PNG to write")
    options = parser.parse_args()

    model = rbd_parallel.load_urdf(options.robot)
    times = numpy.linspace(0, DURATION, round(DURATION / DT) + 1)
    backend = rbd_parallel.Backend(model, max_batch=max(len(times), options.runs * len(times)))
    q, v, tau = nominal(backend, times)
    A, B = backend.linearize(q[:-1], v[:-1], tau, DT)  # all knots at once
    limits = numpy.array([joint.limits.effort for joint in model.joints])
    Q = numpy.diag(numpy.concatenate([numpy.full(7, 1 / 0.02**2), numpy.full(7, 1 / 0.5**2)]))
    R = numpy.diag(1 / (0.1 * limits) ** 2)
    gains = riccati(A, B, Q, R)

    random = numpy.random.default_rng(0)
    q0 = q[0] + random.uniform(-0.1, 0.1, (options.runs, 7))
    v0 = random.uniform(-0.2, 0.2, (options.runs, 7))
    loaded = rbd_parallel.Backend(model.with_payload(TIP, PAYLOAD), max_batch=options.runs)
    errors, paths = {}, {}
    for case, robot in (("disturbed start", backend), ("payload", loaded)):
        print(f"{case}: error of the tip at the end, root mean square of {options.runs} runs")
        for name, K in (("open loop", None), ("TVLQR", gains)):
            paths[case, name] = simulate(robot, (q[:-1], v[:-1], tau), K, q0, v0, limits)
            errors[case, name] = tip_error(backend, paths[case, name], q)
            print(f"  {name:10} {numpy.sqrt((errors[case, name][-1] ** 2).mean()):10.3f} mm")
    if options.plot:
        plot(times, q, paths["disturbed start", "TVLQR"], errors, options.plot)


if __name__ == "__main__":
    main()
