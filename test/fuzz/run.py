# SPDX-License-Identifier: Apache-2.0
"""Runs one fuzzer for RBD_FUZZ_SECONDS (30) and says how much it tried. What it found interesting stays in
corpus-NAME beside the program and is where the next run starts; what broke the program goes to findings-NAME."""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("program", type=pathlib.Path)
parser.add_argument("--seeds", type=pathlib.Path, action="append", default=[], help="folder of inputs to start from")
parser.add_argument("--dictionary", type=pathlib.Path)
arguments = parser.parse_args()

program = arguments.program.resolve()
seconds = int(os.environ.get("RBD_FUZZ_SECONDS", "30"))
corpus, findings = program.parent / f"corpus-{program.name}", program.parent / f"findings-{program.name}"
for folder in (corpus, findings):
    folder.mkdir(exist_ok=True)
for folder in arguments.seeds:
    for file in folder.iterdir():
        if file.is_file():
            shutil.copyfile(file, corpus / file.name)

command = [program, corpus, f"-artifact_prefix={findings}/", f"-max_total_time={seconds}", "-max_len=1048576",
           "-timeout=25", "-rss_limit_mb=4096", "-print_final_stats=1", "-verbosity=1"]
if arguments.dictionary:
    command.append(f"-dict={arguments.dictionary}")
done = subprocess.run(command, stderr=subprocess.STDOUT, stdout=subprocess.PIPE, text=True, errors="replace")
lines = done.stdout.splitlines()
if done.returncode != 0:
    print("\n".join(lines[-120:]))
    sys.exit(f"{program.name} broke; the input is in {findings.name} beside the program")

runs = re.search(r"stat::number_of_executed_units:\s*(\d+)", done.stdout)
last = [line for line in lines if "cov:" in line][-1]
if not runs or int(runs[1]) < 100:
    sys.exit("\n".join(lines[-40:]) + f"\n{program.name} hardly ran")
print(f"{program.name}: {runs[1]} executions in {seconds} s, {len(list(corpus.iterdir()))} inputs kept; {last}")
