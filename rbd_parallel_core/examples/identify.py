# SPDX-License-Identifier: Apache-2.0
"""Identification of the inertial parameters of an arm from motions and noisy torques.

The robot is simulated: its torques along sums of sines, with noise. The model that the identification starts from has
wrong masses, which do not matter. What can be found are the base parameters, those combinations that torques depend on.

    python identify.py [--robot config/robots/arm7.urdf] [--samples 2000]
"""

import argparse
import pathlib

import numpy

import rbd_parallel

ROBOT = pathlib.Path(__file__).resolve().parents[2] / "config" / "robots" / "arm7.urdf"
NOISE = [0.0, 0.01, 0.1, 1.0]  # N m


def excitation(model, samples, random):
    """(q, v, a): each joint moves by five sines within its limits, twenty seconds long."""
    time = numpy.linspace(0, 20, samples)[:, None]
    q, v, a = (numpy.zeros((samples, model.nv)) for _ in range(3))
    room = numpy.array([min(-joint.limits.lower, joint.limits.upper) for joint in model.joints])
    for harmonic in range(1, 6):
        w = 2 * numpy.pi * 0.1 * harmonic
        size, phase = 0.2 * room * random.uniform(0.3, 1, model.nv), random.uniform(0, 2 * numpy.pi, model.nv)
        q += size * numpy.sin(w * time + phase)
        v += size * w * numpy.cos(w * time + phase)
        a -= size * w**2 * numpy.sin(w * time + phase)
    return q, v, a


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--robot", type=pathlib.Path, default=ROBOT)
    parser.add_argument("--samples", type=int, default=2000)
    options = parser.parse_args()

    model = rbd_parallel.load_urdf(options.robot)
    base = rbd_parallel.base_parameters(model)
    guess = model
    for link in model.link_names:
        guess = guess.with_payload(link, 1.0)
    true = base.matrix @ model.inertial_parameters
    random = numpy.random.default_rng(0)
    q, v, a = excitation(model, options.samples, random)
    tau = rbd_parallel.Backend(model, max_batch=options.samples).inverse_dynamics(q, v, a)
    print(f"{model.name}: torques depend on {len(true)} combinations of {base.matrix.shape[1]} inertial parameters")
    print(f"identified from {options.samples} samples, largest parameter {numpy.abs(true).max():.3g}")
    print("  noise / N m  residual / N m  rms error of the parameters")
    for noise in NOISE:
        found = rbd_parallel.identify(guess, q, v, a, tau + random.normal(0, noise, tau.shape), base)
        error = numpy.sqrt(((found.base - true) ** 2).mean())
        print(f"  {noise:11.2f}  {found.residual:14.2e}  {error:12.2e}")


if __name__ == "__main__":
    main()
