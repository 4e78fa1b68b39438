"""Sweeps on farms: an array job for Slurm, and a job template for OpenJD.

Both do the same: task N is `floe sweep --task N -o FOLDER`. It keeps a variant that is done, and goes on with
one that was in flight, so a job may be submitted again after a failure of any kind.
"""

import json
import pathlib
import shlex
from typing import Any, Dict, List, Optional

from .picture import write_whole


def write_jobs(folder: pathlib.Path, count: int, threads: int, at_a_time: Optional[int],
               program_path: str, card: bool) -> List[pathlib.Path]:
    """Writes slurm.sh and job.openjd.json into the folder of a sweep. Returns their paths.

    Args:
        at_a_time: tasks that may run together (Slurm); None: no limit of ours.
        card: each task needs a GPU.
    """
    slurm = folder / "slurm.sh"
    write_whole(slurm, slurm_script(folder, count, threads, at_a_time, program_path, card).encode())
    template = folder / "job.openjd.json"
    write_whole(template, json.dumps(job_template(folder, count, threads, program_path, card),
                                     indent=1).encode())
    return [slurm, template]


def slurm_script(folder: pathlib.Path, count: int, threads: int, at_a_time: Optional[int],
                 program_path: str, card: bool) -> str:
    """The array job. `%` would begin a pattern in the path of logs, so these are named relative to the
    folder that the job works in."""
    limit = f"%{at_a_time}" if at_a_time else ""
    gpu = "#SBATCH --gpus=1\n" if card else ""
    return f"""#!/bin/sh
# Simulates a sweep of {count} variants as an array job: sbatch {shlex.quote(str(folder / "slurm.sh"))}
# Submit it again to repeat what failed; what is done is kept. A task that the cluster puts back into
# the queue goes on from its newest checkpoint. Options that the cluster needs (partition, account,
# time, memory) can be given to sbatch.
#SBATCH --job-name=floe-sweep
#SBATCH --array=1-{count}{limit}
#SBATCH --cpus-per-task={threads}
#SBATCH --output=/dev/null
#SBATCH --requeue
{gpu}folder={shlex.quote(str(folder))}
task=${{SLURM_ARRAY_TASK_ID:?submit this script with sbatch}}
exec {shlex.quote(program_path)} sweep --task "$task" --output "$folder" >"$folder/task-$task.log" 2>&1
"""


def job_template(folder: pathlib.Path, count: int, threads: int, program_path: str,
                 card: bool) -> Dict[str, Any]:
    """The template, as the Open Job Description's specification of 2023-09 has it."""
    def action(*arguments: str) -> Dict[str, Any]:
        return {"actions": {"onRun": {"command": "{{Param.Floe}}", "args": ["sweep", *arguments]}}}

    amounts: List[Dict[str, Any]] = [{"name": "amount.worker.vcpu", "min": threads}]
    if card:
        amounts.append({"name": "amount.worker.gpu", "min": 1})
    return {
        "specificationVersion": "jobtemplate-2023-09",
        "name": f"Floe sweep {folder.name}"[:128],
        "parameterDefinitions": [
            {"name": "Floe", "type": "STRING", "default": program_path,
             "description": "The program 'floe' on the workers"},
            {"name": "Folder", "type": "PATH", "objectType": "DIRECTORY", "dataFlow": "INOUT",
             "default": str(folder), "description": "The sweep's output folder"}],
        "steps": [
            {"name": "Simulate",
             "parameterSpace": {"taskParameterDefinitions": [
                 {"name": "Variant", "type": "INT", "range": f"1-{count}"}]},
             "hostRequirements": {"amounts": amounts},
             "script": action("--task", "{{Task.Param.Variant}}", "--output", "{{Param.Folder}}")},
            {"name": "Collect", "dependencies": [{"dependsOn": "Simulate"}],
             "script": action("--collect", "--output", "{{Param.Folder}}")}]}
